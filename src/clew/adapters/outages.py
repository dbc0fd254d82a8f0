"""Which providers are down, as far as all of the user's processes know? A command that lives for a second learns from those before it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

T = TypeVar("T")
Turn = Literal["ask", "probe", "rest"]

FORGOTTEN_S = 600.0
"""Failures so long ago say nothing of now: the count begins anew."""
_BUSY_S = 0.2
"""How long to wait for another process; the record is worth less than an answer in time."""
_TABLE = "CREATE TABLE IF NOT EXISTS outages(provider TEXT PRIMARY KEY, failures INTEGER NOT NULL, at REAL NOT NULL)"


class _Record(NamedTuple):
    """Failures in a row, in whatever process, and when the last one was, by the wall clock."""

    failures: int
    at: float


class Outages:
    """One provider's record in a file that all processes of a user share. Faults of the file (damage, a full disk, no right to write) are as no record;
    a moment that has not come yet, as after a clock was set back, is none either, so that nobody waits longer than `rest_s` for it."""

    def __init__(self, path: Path, provider: str, failures: int, rest_s: float, wall: Callable[[], float] = time.time) -> None:
        self._path = path
        self._provider = provider
        self._failures = failures
        self._rest_s = rest_s
        self._wall = wall
        self._seen = False

    def turn(self) -> Turn:
        """Whether to ask, to ask as the one process that tries after a rest, or to leave the provider alone."""
        ask: Turn = "ask"
        return self._guarded(self._turn, ask) if self._path.exists() else ask

    @property
    def is_resting(self) -> bool:
        """Whether the provider is left alone now. Claims nothing."""
        return self._path.exists() and self._guarded(self._rests, False)

    def failed(self) -> None:
        """Count a call that met an outage."""
        self._seen = True
        self._guarded(self._count, None)

    def answered(self) -> None:
        """A sign of life: what was counted is forgotten."""
        if self._seen:
            self._seen = False
            self._guarded(self._forget, None)

    def _turn(self, connection: sqlite3.Connection) -> Turn:
        now = self._wall()
        known = self._known(connection, now)
        self._seen = known is not None
        if known is None or known.failures < self._failures:
            return "ask"
        if now - known.at < self._rest_s:
            return "rest"
        claimed = connection.execute(  # whoever changes it first tries; for the others it has just failed
            "UPDATE outages SET at = ? WHERE provider = ? AND at = ?", (now, self._provider, known.at)
        ).rowcount
        return "probe" if claimed else "rest"

    def _rests(self, connection: sqlite3.Connection) -> bool:
        now = self._wall()
        known = self._known(connection, now)
        return known is not None and known.failures >= self._failures and now - known.at < self._rest_s

    def _count(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")  # two processes add to one number
        now = self._wall()
        known = self._known(connection, now)
        failures = known.failures + 1 if known else 1
        connection.execute("INSERT OR REPLACE INTO outages VALUES (?, ?, ?)", (self._provider, failures, now))

    def _forget(self, connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM outages WHERE provider = ?", (self._provider,))

    def _known(self, connection: sqlite3.Connection, now: float) -> _Record | None:
        row = connection.execute("SELECT failures, at FROM outages WHERE provider = ?", (self._provider,)).fetchone()
        known = _Record(int(row[0]), float(row[1])) if row else None
        return known if known is not None and 0 <= now - known.at < FORGOTTEN_S else None

    def _guarded(self, done: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(sqlite3.connect(self._path, timeout=_BUSY_S)) as connection, connection:
                connection.execute(_TABLE)
                return done(connection)
        except sqlite3.DatabaseError as fault:
            if "not a database" in str(fault) or "malformed" in str(fault):
                self._path.unlink(missing_ok=True)
        except (OSError, ValueError, TypeError):
            pass  # as no record: the provider is asked
        return otherwise
