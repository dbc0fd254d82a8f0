"""Which vectors of questions are known already? A file beside the catalog, shared by all processes that search the index, for a day.

It is not in the catalog: a question would have to become its one writer, and to seal it anew (docs/decisions/0013). Losing it costs a call of a model.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from clew.core.answer import Remembered
from clew.core.catalog import Space

NAME = "questions.db"
KEPT_S = 86_400.0
"""A model may be changed behind its name; a day of wrong vectors is the most."""
MOST = 2_000
"""Questions kept: 8 MB of 1,024 dimensions."""
_ROOM = 0.9
"""Share that is kept when it is full, as making room each time would cost more than a look."""
_BUSY_S = 0.2
"""What another process may let a question wait; then the model is asked."""

_TABLES = """
CREATE TABLE IF NOT EXISTS kept(key BLOB PRIMARY KEY, vector BLOB NOT NULL, since REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS kept_since ON kept(since);
CREATE TABLE IF NOT EXISTS counted(what TEXT PRIMARY KEY, times INTEGER NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO counted VALUES ('asked', 0), ('hits', 0);
"""


class QuestionVectors:
    """The vectors in one index's folder. What cannot be read or written is not there, and nothing fails for it; the folder is never made."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time, most: int = MOST) -> None:
        self._folder = folder
        self._clock = clock
        self._most = most

    def find(self, space: Space, kind: str, text: str) -> bytes | None:
        """The vector's float32 bytes, where the text was embedded as such an input in this space within a day."""
        raw: bytes | None = None
        with suppress(sqlite3.Error, OSError), closing(self._opened()) as connection, connection:
            now = self._clock()
            wanted = (_key(space, kind, text), now - KEPT_S, now)
            row = connection.execute("SELECT vector FROM kept WHERE key = ? AND since > ? AND since <= ?", wanted).fetchone()
            raw = row[0] if row and isinstance(row[0], bytes) and len(row[0]) == 4 * space.dims else None
            counted = ("asked",) if raw is None else ("asked", "hits")
            connection.executemany("UPDATE counted SET times = times + 1 WHERE what = ?", ((what,) for what in counted))
        return raw

    def keep(self, space: Space, kind: str, text: str, vector: bytes) -> None:
        """Keep a vector; those of yesterday go, and where there are too many the oldest."""
        with suppress(sqlite3.Error, OSError), closing(self._opened()) as connection, connection:
            now = self._clock()
            connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (_key(space, kind, text), vector, now))
            connection.execute("DELETE FROM kept WHERE since <= ? OR since > ?", (now - KEPT_S, now))
            count = connection.execute("SELECT count(*) FROM kept").fetchone()[0]
            if count > self._most:
                doomed = (count - int(_ROOM * self._most),)
                connection.execute("DELETE FROM kept WHERE key IN (SELECT key FROM kept ORDER BY since, key LIMIT ?)", doomed)

    def counted(self) -> Remembered:
        """How often a vector was found, of so many times that one was looked for."""
        path = self._folder / NAME
        if not path.is_file():
            return Remembered()
        with suppress(sqlite3.Error, OSError), closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            times = dict(connection.execute("SELECT what, times FROM counted"))
            return Remembered(int(times.get("hits", 0)), int(times.get("asked", 0)))
        return Remembered()

    def _opened(self) -> sqlite3.Connection:
        path = self._folder / NAME
        if not os.access(self._folder, os.W_OK):
            raise PermissionError(str(path))
        connection = sqlite3.connect(path, timeout=_BUSY_S)
        try:
            connection.execute("PRAGMA synchronous = OFF")  # a power cut may take it all
            connection.executescript(_TABLES)
        except sqlite3.DatabaseError as fault:
            connection.close()
            if not isinstance(fault, sqlite3.OperationalError):  # damaged: begun anew by the next question
                path.unlink(missing_ok=True)
            raise
        return connection


def _key(space: Space, kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{space.fingerprint}\0{kind}\0{text}".encode("utf-8", "surrogatepass")).digest()
