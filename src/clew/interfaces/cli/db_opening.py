"""How does a command reach the databases of a project?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clew.interfaces.cli.output import note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.databases import Databases


def databases(path: str, overrides: Mapping[str, object] | None = None) -> Databases:
    """The databases of the project around a path; what its settings have to be warned about goes to stderr."""
    from clew.assembly import open_databases

    opened = open_databases(Path(path), overrides)
    for warning in opened.settings.warnings:
        note(f"warning: {warning}")
    return opened
