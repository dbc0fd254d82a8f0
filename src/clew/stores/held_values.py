"""Where are the values of columns kept by which questions find them? In an SQLite file of their own, by folded words, apart from what is shown."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from clew.core.schema.contracts import HeldValues
from clew.core.schema.folding import folded
from clew.core.schema.protocols import HeldCount, Holder
from clew.errors import IndexUnusable

_BUSY_S = 10.0
"""How long to wait for another process that keeps its own."""
_AT_ONCE = 400
"""Keys of one look: SQLite takes 999 variables at least."""
_TABLES = (
    """CREATE TABLE IF NOT EXISTS columns(
    place INTEGER PRIMARY KEY, datasource TEXT NOT NULL, schema_name TEXT NOT NULL, name TEXT NOT NULL, column_name TEXT NOT NULL,
    count INTEGER NOT NULL, left_out TEXT NOT NULL)""",
    "CREATE TABLE IF NOT EXISTS held(key TEXT NOT NULL, place INTEGER NOT NULL, text TEXT, PRIMARY KEY (key, place)) WITHOUT ROWID",
)


class SqliteValues:
    """A ValueStore. Each call is a transaction of its own; several processes may use one file. A spelling is kept only where it is not the key."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def keep(self, datasource: str, held: Sequence[HeldValues]) -> None:
        """Keep these, in the place of all of the datasource that were kept."""
        if not held and not self._path.exists():
            return
        with self._opened() as connection:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                old = "SELECT place FROM columns WHERE datasource = ?"
                connection.execute(f"DELETE FROM held WHERE place IN ({old})", (datasource,))
                connection.execute("DELETE FROM columns WHERE datasource = ?", (datasource,))
                for one in held:
                    row = (datasource, one.schema_name, one.table, one.column, len(one.values), one.left_out)
                    place = connection.execute(
                        "INSERT INTO columns(datasource, schema_name, name, column_name, count, left_out) VALUES (?, ?, ?, ?, ?, ?)", row
                    ).lastrowid
                    keyed = ((" ".join(folded(text)), text) for text in one.values)
                    connection.executemany(
                        "INSERT OR IGNORE INTO held VALUES (?, ?, ?)",
                        ((key, place, None if text == key else text) for key, text in keyed if key),
                    )

    def holding(self, keys: Sequence[str], datasources: Sequence[str]) -> tuple[Holder, ...]:
        """The columns of these datasources that hold values of these folded words, in order."""
        if not self._path.exists() or not keys:
            return ()
        found: list[Holder] = []
        wanted = frozenset(datasources)
        with self._opened() as connection:
            for start in range(0, len(keys), _AT_ONCE):
                part = keys[start : start + _AT_ONCE]
                rows = connection.execute(
                    "SELECT c.datasource, c.schema_name, c.name, c.column_name, h.key, coalesce(h.text, h.key)"
                    f" FROM held h JOIN columns c ON c.place = h.place WHERE h.key IN ({', '.join('?' * len(part))})",
                    part,
                )
                found += (Holder(*row) for row in rows if row[0] in wanted)
        return tuple(sorted(found))

    def count(self, datasource: str) -> HeldCount:
        """How much is kept."""
        if not self._path.exists():
            return HeldCount()
        with self._opened() as connection:
            rows = connection.execute(
                "SELECT name, column_name, count, left_out FROM columns WHERE datasource = ? ORDER BY schema_name, name, column_name",
                (datasource,),
            ).fetchall()
        left_out = tuple(f"{name}.{column}: {why}" for name, column, _, why in rows if why)
        return HeldCount(sum(row[2] > 0 for row in rows), sum(row[2] for row in rows), left_out)

    def discard(self) -> None:
        """Delete all of it, damaged or not."""
        for ending in ("", "-journal", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None)) as connection:
                connection.execute("PRAGMA secure_delete = ON")  # what is no longer kept is not to be read in the file
                for statement in _TABLES:
                    connection.execute(statement)
                yield connection
        except (sqlite3.Error, OSError) as fault:
            raise IndexUnusable(f"{self._path} cannot be used: {fault}", "`clew db index --rebuild` makes it anew") from fault
