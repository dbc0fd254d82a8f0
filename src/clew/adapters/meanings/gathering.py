"""What do a project's settings say about its databases? Metrics and glossary of all their files, together."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from clew.adapters.meanings.entries import Warn
from clew.adapters.meanings.glossary import read_glossary, terms_of
from clew.adapters.meanings.metrics import read_metrics
from clew.core.schema.meaning import Meanings
from clew.errors import UsageError
from clew.settings import PROJECT_FILE, Settings, section

_log = logging.getLogger("clew.databases")
Read = TypeVar("Read")


def read_meanings(root: Path, settings: Settings, warn: Warn = _log.warning) -> Meanings:
    """Metrics and glossary of a project; files that are not there are warnings, since an answer does not need them."""
    metrics = _read_all(root, settings.metrics, read_metrics, warn)
    terms = _read_all(root, settings.glossary, read_glossary, warn)
    return Meanings(metrics=metrics, glossary=(*terms_of(section(root, "terms"), PROJECT_FILE, warn), *terms))


def _read_all(root: Path, names: Sequence[str], read: Callable[[Path, Warn], tuple[Read, ...]], warn: Warn) -> tuple[Read, ...]:
    found: list[Read] = []
    for name in names:
        try:
            found += read(root / Path(name).expanduser(), warn)
        except UsageError as fault:
            warn(f"{fault.message}; {fault.hint}")
    return tuple(found)
