"""How is the catalog opened, read as one moment, and written all or nothing? The SQLite connection and its faults."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clew.errors import IndexUnusable, NoIndex, UsageError, WriterBusy
from clew.stores.embedded.schema import REBUILD, check_version, migrate, version_of
from clew.stores.embedded.segments import prepare_postings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "catalog.db"
_BUSY_MS = 5_000
"""How long a write waits for another connection's: commits take milliseconds, the writer lock is asked before."""
_CACHE_KIB = 32_768
"""Pages kept in memory: the inner pages of a 100,000 chunk index, and one batch of writes."""
_LOG_PAGES = 256
"""Pages of the log (a megabyte) after which they go into the database: SQLite's 1,000 would be half of a small project's index."""
_ROOM_BYTES = 65_536
"""Free space below which an error of the disk is taken to be a full one."""


class Catalog:
    """One connection. `reading` and `writing` are transactions; SQLite's faults leave them as clew's own."""

    def __init__(self, folder: Path, *, read_only: bool = False, at_rest: bool = False, in_memory: bool = False) -> None:
        self.path = folder / NAME
        self.in_memory = in_memory
        with self.faults():
            self.connection = _read_only(self.path, at_rest=at_rest) if read_only else _writable(":memory:" if in_memory else self.path)
        self._in_transaction = False
        self._is_writing = False
        self._is_closed = False
        self._number = (0, 0) if in_memory else _number_of(self.path)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Everything read inside belongs to one moment; inside `writing` it is part of that."""
        if self._in_transaction:
            with self.faults():
                yield self.connection
            return
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All of it is kept, or nothing; inside another one it is part of that."""
        if self._is_writing:
            with self.faults():
                yield self.connection
            return
        with self._transaction("BEGIN IMMEDIATE") as connection:
            self._is_writing = True
            try:
                yield connection
            finally:
                self._is_writing = False

    def begin_again(self) -> bool:
        """Let a transaction that only reads begin now, and not when it did; false in one that writes, which is always of now."""
        if self._is_writing or not self.connection.in_transaction:
            return False
        self.connection.execute("COMMIT")
        self.connection.execute("BEGIN")
        return True

    def close(self) -> None:
        """Close the connection; the last one tidies the log into the database."""
        self._is_closed = True
        self.connection.close()

    def is_there(self) -> bool:
        """Whether the file that is open still stands in its place: someone may have deleted it, or put another one there."""
        return self._number == _number_of(self.path)

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self.faults():
            self.connection.execute(begin)
            self._in_transaction = True
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            finally:
                self._in_transaction = False
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    @contextmanager
    def faults(self) -> Iterator[None]:
        """What SQLite says no to inside becomes an error that a caller can act on."""
        try:
            yield
        except sqlite3.IntegrityError as fault:
            raise ValueError(f"two chunks or files with one key: {fault}") from fault
        except sqlite3.ProgrammingError as fault:
            if not self._is_closed:
                raise
            raise UsageError("the engine was closed", "open another one: clew.open_engine") from fault
        except sqlite3.DatabaseError as fault:
            raise _named(fault, self.path) from fault


def meta(connection: sqlite3.Connection, key: str) -> Any:
    """One of the catalog's own values."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise sqlite3.DatabaseError(f"it has no {key}")
    return row[0]


def set_meta(connection: sqlite3.Connection, key: str, value: int | str) -> None:
    """Change one of the catalog's own values."""
    connection.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))


def _writable(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
    try:
        return _prepared(connection)
    except BaseException:
        connection.close()
        raise


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    check_version(connection)
    if version_of(connection) == 0:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    # NORMAL: a killed process loses nothing; a power cut may lose the last commits, whose files are then indexed again.
    for pragma in (
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "secure_delete = OFF",
        f"cache_size = -{_CACHE_KIB}",
        f"wal_autocheckpoint = {_LOG_PAGES}",
    ):
        connection.execute(f"PRAGMA {pragma}")
    if version_of(connection) == 0:
        migrate(connection)
        prepare_postings(connection)
    migrate(connection)
    return connection


def is_at_rest(folder: Path) -> bool:
    """Whether there is a catalog and everything stands in it: no write waits in a log."""
    beside = (folder / f"{NAME}{ending}" for ending in ("-wal", "-journal"))
    return (folder / NAME).is_file() and all(not path.exists() or path.stat().st_size == 0 for path in beside)


def _read_only(path: Path, *, at_rest: bool) -> sqlite3.Connection:
    if not path.is_file():
        raise NoIndex(f"there is no index in {path.parent}", "make one with `clew index`")
    log = path.with_name(path.name + "-wal")
    frozen = at_rest or (not os.access(path.parent, os.W_OK) and not (log.exists() and log.stat().st_size))
    address = f"file:{_escaped(str(path.absolute()))}?mode=ro{'&immutable=1' if frozen else ''}"
    connection = sqlite3.connect(address, uri=True, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
    check_version(connection)
    if version_of(connection) == 0:
        raise NoIndex(f"the index in {path.parent} was never begun", "make one with `clew index`")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    return connection


def _number_of(path: Path) -> tuple[int, int]:
    """By what the file system knows the file that stands there now."""
    try:
        seen = os.stat(path)  # noqa: PTH116 - once for each question
    except OSError:
        return (0, 0)
    return (seen.st_dev, seen.st_ino)


def _escaped(path: str) -> str:
    """A path in SQLite's address; urllib.parse would do the same for 5 milliseconds of import."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _is_full(path: Path) -> bool:
    """Whether the disk has no room left, even for the small file that SQLite's readers share."""
    import shutil  # 2 ms that only a fault is worth

    try:
        return shutil.disk_usage(path.parent).free < _ROOM_BYTES
    except OSError:
        return False


def _named(fault: sqlite3.DatabaseError, path: Path) -> Exception:
    text = str(fault)
    if "locked" in text or "busy" in text:
        return WriterBusy("another process is writing this index", "wait until it is done, then try again")
    if "full" in text or "readonly" in text or ("I/O" in text and _is_full(path)):
        return IndexUnusable(f"the index at {path.parent} cannot be written: {text}", "free some disk space, or make the folder writable")
    return IndexUnusable(f"the index at {path.parent} cannot be read: {text}", REBUILD)
