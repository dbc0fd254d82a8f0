"""Which business words does a file explain? A YAML file, or `[[terms]]` in clew.toml:

terms:
  churned customer:
    synonyms: [lost customer]
    table: customers
    condition: cancelled_at is not null
  ARR: subscriptions.annual_amount
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clew.adapters.meanings.entries import Entry, Warn, documents, each
from clew.core.schema.meaning import Term

_log = logging.getLogger("clew.databases")
_COLUMN = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*){1,2}")
"""A text that says where a term is found: a column with its table."""
_SECTIONS = ("terms", "glossary")
_NAMES = ("term", "name")


def read_glossary(path: Path | str, warn: Warn = _log.warning) -> tuple[Term, ...]:
    """The terms of a YAML file, or of all in a folder, in order.

    What is wrong is told to `warn`, with the file's and the term's name, and the rest is taken. Raises UsageError for a path that is not there.
    """
    found: list[Term] = []
    for name, content in documents(Path(path), warn):
        for section in _SECTIONS:
            found += terms_of(content.get(section), name, warn)
    return tuple(found)


def terms_of(section: Any, source: str, warn: Warn = _log.warning) -> tuple[Term, ...]:
    """The terms of a list or mapping that was read from `source`."""
    made = (_term(label, value, f"{source}: term {label[:80]!r}", warn) for label, value in each(section, "term", source, warn, _NAMES))
    return tuple(one for one in made if one is not None)


def _term(label: str, value: Any, where: str, warn: Warn) -> Term | None:
    if isinstance(value, str):
        value = {"column": value} if _COLUMN.fullmatch(value.strip()) else {"description": value}
    entry = Entry(value if isinstance(value, Mapping) else {}, where, warn)
    for key in _NAMES:
        entry.raw(key)
    term = Term(
        term=label,
        synonyms=entry.names("synonyms", "synonym"),
        datasource=entry.text("datasource", "database"),
        table=entry.text("table"),
        columns=entry.names("columns", "column"),
        value=entry.text("value"),
        condition=entry.text("condition", "filter", "where"),
        description=entry.text("description", "definition"),
    )
    entry.finish()
    if not (term.table or term.columns or term.value or term.condition or term.description):
        entry.warn("it stands for nothing, and is left out")
        return None
    return term
