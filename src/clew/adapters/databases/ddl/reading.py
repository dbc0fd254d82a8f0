"""What does one statement that a database keeps say of its table? For adapters whose catalogs lack comments, checks or exact types."""

from __future__ import annotations

from clew.adapters.databases.ddl.changes import read_statement
from clew.adapters.databases.ddl.drafts import Catalog, Reading, TableDraft
from clew.adapters.databases.ddl.lexicon import lexicon_of


def table_of_statement(text: str, dialect: str) -> TableDraft | None:
    """The table or view that a CREATE statement makes, or None where it cannot be read."""
    reading = Reading(Catalog(ignores_case=True), lexicon_of(dialect))
    if read_statement(text, "", reading):
        return None
    return next(iter(reading.catalog.tables.values()), None)
