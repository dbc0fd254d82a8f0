"""Where is what a language model said of tables kept? In a small SQLite file: asking again would cost time and money."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from clew.core.schema.contracts import Snapshot
from clew.core.schema.meaning import TableMeaning
from clew.errors import IndexUnusable

_BUSY_S = 10.0
"""How long to wait for another process that keeps its own."""
_TABLE = """
CREATE TABLE IF NOT EXISTS meanings(
    datasource TEXT, schema_name TEXT, name TEXT, fingerprint TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (datasource, schema_name, name)
) WITHOUT ROWID
"""


class SavedMeanings:
    """Meanings of tables by datasource. Each call is a transaction of its own; several processes may use one file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def fingerprints(self, datasource: str) -> dict[tuple[str, str], str]:
        """What each table's meaning depends on, by schema and name."""
        with self._opened() as connection:
            found = connection.execute("SELECT schema_name, name, fingerprint FROM meanings WHERE datasource = ?", (datasource,))
            return {(schema, name): fingerprint for schema, name, fingerprint in found}

    def keep(self, datasource: str, meanings: Sequence[tuple[str, TableMeaning]]) -> None:
        """Keep meanings, each with its fingerprint."""
        rows = [(datasource, one.schema_name, one.table, fingerprint, one.model_dump_json()) for fingerprint, one in meanings]
        with self._opened() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO meanings VALUES (?, ?, ?, ?, ?)", rows)

    def of(self, snapshot: Snapshot) -> tuple[TableMeaning, ...]:
        """What was said of the snapshot's tables and of columns that it still has, in its order."""
        if not self._path.exists():
            return ()
        with self._opened() as connection:
            found = connection.execute("SELECT schema_name, name, content FROM meanings WHERE datasource = ?", (snapshot.datasource,))
            kept = {(schema, name): content for schema, name, content in found}
        made = []
        for table in snapshot.tables:
            content = kept.get(table.key)
            with suppress(ValidationError):
                if content is not None:
                    made.append(_existing(TableMeaning.model_validate_json(content), {column.name for column in table.columns}))
        return tuple(made)

    def forget(self, datasource: str) -> None:
        """Delete what is kept of a datasource."""
        if self._path.exists():
            with self._opened() as connection, connection:
                connection.execute("DELETE FROM meanings WHERE datasource = ?", (datasource,))

    def discard_if_damaged(self) -> None:
        """Delete all of it where it cannot be read; what can be was paid for."""
        try:
            if self._path.exists():
                with self._opened() as connection:
                    connection.execute("SELECT count(*) FROM meanings").fetchone()
        except IndexUnusable:
            self._path.unlink(missing_ok=True)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_BUSY_S)) as connection:
                connection.execute(_TABLE)
                yield connection
        except (sqlite3.Error, OSError) as fault:
            raise IndexUnusable(
                f"{self._path} cannot be used: {fault}",
                "`clew db index --rebuild` makes it anew: `--enrich` asks again what language models said",
            ) from fault


def _existing(meaning: TableMeaning, columns: set[str]) -> TableMeaning:
    descriptions = {name: text for name, text in meaning.column_descriptions.items() if name in columns}
    synonyms = {name: words for name, words in meaning.column_synonyms.items() if name in columns}
    return meaning.model_copy(update={"column_descriptions": descriptions, "column_synonyms": synonyms})
