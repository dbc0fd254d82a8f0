"""Where do snapshots of databases live? In one SQLite file: each immutable version by datasource, the last few of each, and how each datasource stands.

A version is one row, written in one transaction: whoever reads sees it whole or not at all, whatever becomes of the process that writes.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from clew.core.schema.contracts import Snapshot
from clew.core.schema.identity import fingerprint, version_of
from clew.core.schema.registry import Standing
from clew.errors import IndexUnusable, WriterBusy

FORMAT = 1
_BUSY_S = 10.0
"""How long one waits for another process's write, which takes a second for the largest schema."""
_LEVEL = 1
"""Of compression: a snapshot of 60,000 columns takes a tenth of its 20 MB, in .1 s."""
_REPAIR = "run `clew db index --rebuild`: snapshots are made anew, their history is lost"
_TABLES = """
CREATE TABLE snapshots(
    number INTEGER PRIMARY KEY AUTOINCREMENT, datasource TEXT NOT NULL, version TEXT NOT NULL, fingerprint TEXT NOT NULL,
    renewals INTEGER NOT NULL DEFAULT 0, content BLOB NOT NULL, UNIQUE (datasource, version)
);
CREATE TABLE standings(datasource TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
"""


class SqliteSchemas:
    """A SchemaStore, and Standings beside it. Every call opens the file anew: processes and threads may share it, and it may be deleted at any time."""

    def __init__(self, path: Path, kept: int) -> None:
        self._path = path
        self._kept = kept

    def register(self, snapshot: Snapshot) -> Snapshot:
        """Keep a snapshot as a new version, or as the renewed latest one where the structure is that one's."""
        mark = fingerprint(snapshot)
        with self._writing() as connection:
            row = connection.execute(
                "SELECT version, fingerprint, content FROM snapshots WHERE datasource = ? ORDER BY number DESC LIMIT 1",
                (snapshot.datasource,),
            ).fetchone()
            if row is not None and row[1] == mark:
                kept = snapshot.model_copy(update={"fingerprint": mark, "version": row[0]})
                self._renew(connection, kept, row[2])
                return kept
            kept = snapshot.model_copy(update={"fingerprint": mark, "version": self._free_version(connection, snapshot, mark)})
            connection.execute(
                "INSERT INTO snapshots(datasource, version, fingerprint, content) VALUES (?, ?, ?, ?)",
                (kept.datasource, kept.version, mark, _packed(kept)),
            )
            connection.execute(
                "DELETE FROM snapshots WHERE datasource = ?1 AND number NOT IN"
                " (SELECT number FROM snapshots WHERE datasource = ?1 ORDER BY number DESC LIMIT ?2)",
                (kept.datasource, self._kept),
            )
            return kept

    def get(self, datasource: str, version: str) -> Snapshot | None:
        """This version."""
        return self._one("SELECT content FROM snapshots WHERE datasource = ? AND version = ?", datasource, version)

    def latest(self, datasource: str) -> Snapshot | None:
        """The current version."""
        return self._one("SELECT content FROM snapshots WHERE datasource = ? ORDER BY number DESC LIMIT 1", datasource)

    def versions(self, datasource: str) -> tuple[str, ...]:
        """All kept versions, the oldest first."""
        return tuple(str(row[0]) for row in self._rows("SELECT version FROM snapshots WHERE datasource = ? ORDER BY number", datasource))

    def datasources(self) -> tuple[str, ...]:
        """Every datasource with a snapshot."""
        return tuple(str(row[0]) for row in self._rows("SELECT DISTINCT datasource FROM snapshots ORDER BY datasource"))

    def marks(self) -> dict[str, str]:
        """What changes whenever the latest snapshot of a datasource does, by datasource."""
        rows = self._rows("SELECT datasource, version, renewals, number FROM snapshots ORDER BY number")
        return {str(name): f"{version}+{renewals}#{number}" for name, version, renewals, number in rows}

    def forget(self, datasource: str) -> None:
        """Delete all snapshots of a datasource, and how it stands."""
        if self._path.exists():
            with self._writing() as connection:
                connection.execute("DELETE FROM snapshots WHERE datasource = ?", (datasource,))
                connection.execute("DELETE FROM standings WHERE datasource = ?", (datasource,))

    def standing(self, datasource: str) -> Standing:
        """How a datasource stands."""
        return self.standings().get(datasource, Standing())

    def standings(self) -> dict[str, Standing]:
        """How every datasource stands of which anything is known."""
        with self._faults():
            return {str(name): _standing(found) for name, found in self._rows("SELECT datasource, content FROM standings")}

    def note(self, datasource: str, standing: Standing) -> None:
        """Keep how it stands now."""
        if standing == self.standing(datasource):
            return
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO standings VALUES (?, ?)", (datasource, json.dumps(asdict(standing))))

    def discard(self) -> None:
        """Delete all of it, damaged or not."""
        for ending in ("", "-journal", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    def _renew(self, connection: sqlite3.Connection, snapshot: Snapshot, known: bytes) -> None:
        """Statistics and texts of a structure that is kept already, where they differ."""
        if _unpacked(known).model_copy(update={"taken_at": snapshot.taken_at}) == snapshot:
            return
        connection.execute(
            "UPDATE snapshots SET content = ?, renewals = renewals + 1 WHERE datasource = ? AND version = ?",
            (_packed(snapshot), snapshot.datasource, snapshot.version),
        )

    def _free_version(self, connection: sqlite3.Connection, snapshot: Snapshot, mark: str) -> str:
        """The version's name; a second later where the very same structure came, went and came again in one."""
        taken_at = snapshot.taken_at
        sql = "SELECT 1 FROM snapshots WHERE datasource = ? AND version = ?"
        while connection.execute(sql, (snapshot.datasource, version_of(taken_at, mark))).fetchone():
            taken_at += 1
        return version_of(taken_at, mark)

    def _one(self, sql: str, *values: str) -> Snapshot | None:
        rows = self._rows(sql, *values)
        if not rows:
            return None
        with self._faults():
            return _unpacked(rows[0][0])

    def _rows(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        if not self._path.exists():
            return []
        with self._faults(), closing(self._connected()) as connection:
            return connection.execute(sql, values).fetchall() if _is_ready(connection) else []

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """All of it is kept, or nothing."""
        with self._faults():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._connected()) as connection:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    if not _is_ready(connection):
                        for statement in filter(str.strip, _TABLES.split(";")):
                            connection.execute(statement)
                        connection.execute(f"PRAGMA user_version = {FORMAT}")
                    yield connection
                    connection.execute("COMMIT")
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")

    def _connected(self) -> sqlite3.Connection:
        if os.access(self._path.parent, os.W_OK):
            return sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None)
        return sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, timeout=_BUSY_S, isolation_level=None)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """What cannot be read or written becomes an error that says what to do."""
        try:
            yield
        except sqlite3.OperationalError as fault:
            if "locked" in str(fault) or "busy" in str(fault):
                raise WriterBusy("another process is writing the schemas", "wait until it is done, then try again") from fault
            raise IndexUnusable(
                f"the schemas at {self._path} cannot be opened: {fault}", "make the folder writable, or free some space"
            ) from fault
        except (sqlite3.DatabaseError, zlib.error, ValidationError, TypeError, ValueError) as fault:
            raise IndexUnusable(f"the schemas at {self._path} are damaged ({type(fault).__name__})", _REPAIR) from fault
        except OSError as fault:
            raise IndexUnusable(
                f"the schemas at {self._path} cannot be written: {fault.strerror or fault}", "make the folder writable"
            ) from fault


@lru_cache(2_048)  # every question reads them all, and they seldom change
def _standing(content: str) -> Standing:
    return Standing(**json.loads(content))


def _is_ready(connection: sqlite3.Connection) -> bool:
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found > FORMAT:
        raise IndexUnusable("the schemas were written by a newer clew", f"upgrade clew, or {_REPAIR}")
    return found == FORMAT


def _packed(snapshot: Snapshot) -> bytes:
    return zlib.compress(snapshot.model_dump_json(exclude_defaults=True).encode("utf-8"), _LEVEL)


def _unpacked(content: bytes) -> Snapshot:
    return Snapshot.model_validate_json(zlib.decompress(content))
