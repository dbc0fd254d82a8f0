"""Is the catalog, byte for byte, what was written last? A sum beside it, which is there only while nobody writes.

SQLite notices pages that do not fit together, and in its log every changed byte; a letter that changes in the database itself it does not
notice. Whoever ends writing seals; whoever begins to write breaks the seal first. A missing seal says nothing.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from clew.stores.embedded.catalog import NAME, meta

if TYPE_CHECKING:
    from pathlib import Path

SEAL = "catalog.sum"
MOST_BYTES = 32 * 2**20
"""Catalogs up to this size (some 15,000 chunks) are sealed: a sum of it takes 13 ms of every process that opens it, of larger ones too long."""
_AT_ONCE = 65_536
"""Bytes summed at a time: they stay in the cache, which is a third faster than a mapping."""


def break_seal(folder: Path) -> None:
    """Before the first write."""
    (folder / SEAL).unlink(missing_ok=True)


def seal(folder: Path, connection: sqlite3.Connection) -> None:
    """After the last write, by the one writer. Where that cannot be done, readers being in the middle or the disk full, there is no seal."""
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        is_busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy or (folder / NAME).stat().st_size > MOST_BYTES:
            return
        aside = folder / f".{SEAL}"
        aside.write_text(_written(meta(connection, "generation"), _sum(folder / NAME)), encoding="ascii")
        aside.replace(folder / SEAL)
    except (OSError, sqlite3.Error):
        with suppress(OSError):
            break_seal(folder)


def is_broken_by_damage(folder: Path, connection: sqlite3.Connection) -> bool:
    """Whether there is a seal, of this generation, and the catalog is not what was sealed."""
    try:
        sealed = (folder / SEAL).read_bytes()
        if not _is_still(folder) or (folder / NAME).stat().st_size > MOST_BYTES:
            return False
        now = _written(meta(connection, "generation"), _sum(folder / NAME)).encode()
        is_of_now = sealed.split(b" ")[0] == now.split(b" ")[0] and sealed == _whole(sealed)
        return is_of_now and sealed != now and _is_still(folder) and (folder / SEAL).read_bytes() == sealed
    except OSError:  # no seal, or broken meanwhile by a writer
        return False


def _is_still(folder: Path) -> bool:
    """Whether no write waits in the log."""
    try:
        return os.stat(folder / f"{NAME}-wal").st_size == 0  # noqa: PTH116
    except FileNotFoundError:
        return True


def _sum(path: Path) -> int:
    found = 0
    if os.name != "posix":
        with path.open("rb", buffering=0) as file:
            while some := file.read(_AT_ONCE):
                found = zlib.crc32(some, found)
        return found
    seen = path.stat()
    descriptor, place = _descriptor(path, (seen.st_dev, seen.st_ino)), 0
    while some := os.pread(descriptor, _AT_ONCE, place):
        found = zlib.crc32(some, found)
        place += len(some)
    return found


@cache
def _descriptor(path: Path, number: tuple[int, int]) -> int:
    """The open file, kept open for as long as the process lives: POSIX gives up all of a process's locks on a file when it closes any
    descriptor of it, SQLite's among them, and then another process takes away the log that is in use here."""
    return os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))


def _written(generation: int, found: int) -> str:
    text = f"{generation} {found:08x}"
    return f"{text} {zlib.crc32(text.encode()):08x}\n"


def _whole(sealed: bytes) -> bytes:
    """The seal as it would be written with the same content: a seal may be damaged too."""
    text = b" ".join(sealed.split(b" ")[:2])
    return b"%b %08x\n" % (text, zlib.crc32(text))
