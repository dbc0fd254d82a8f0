"""Where is what a language model said of files and folders kept? In a small SQLite file: asking again would cost time and money."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from clew.errors import IndexUnusable

_BUSY_S = 10.0
"""How long to wait for another process that keeps its own."""
_AT_ONCE = 500
"""Values of one statement, well under what any SQLite takes."""
_TABLES = """
CREATE TABLE IF NOT EXISTS sentences(fingerprint TEXT PRIMARY KEY, sentence TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS places(namespace TEXT, path TEXT, fingerprint TEXT NOT NULL, PRIMARY KEY (namespace, path)) WITHOUT ROWID;
"""


class SavedSummaries:
    """Sentences by the fingerprint of what they were made from, and which one belongs to a path now. Each call is a transaction of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def said(self, fingerprints: Collection[str]) -> dict[str, str]:
        """The sentences that are kept under these fingerprints."""
        if not self._path.exists():
            return {}
        asked, found = list(fingerprints), dict[str, str]()
        with self._opened() as connection:
            for start in range(0, len(asked), _AT_ONCE):
                some = asked[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                found |= dict(connection.execute(f"SELECT fingerprint, sentence FROM sentences WHERE fingerprint IN ({marks})", some))
        return found

    def keep(self, sentences: Mapping[str, str]) -> None:
        """Keep sentences by fingerprint."""
        with self._opened() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO sentences VALUES (?, ?)", list(sentences.items()))

    def place(self, namespace: str, fingerprints: Sequence[tuple[str, str]]) -> None:
        """Say which (path, fingerprint) there are in a namespace now; what is said of no path in any namespace is forgotten."""
        with self._opened() as connection, connection:
            connection.execute("DELETE FROM places WHERE namespace = ?", (namespace,))
            connection.executemany("INSERT INTO places VALUES (?, ?, ?)", [(namespace, path, one) for path, one in fingerprints])
            connection.execute("DELETE FROM sentences WHERE fingerprint NOT IN (SELECT fingerprint FROM places)")

    def of(self, namespace: str) -> dict[str, str]:
        """What is said of each path."""
        if not self._path.exists():
            return {}
        with self._opened() as connection:
            return dict(
                connection.execute("SELECT path, sentence FROM places JOIN sentences USING (fingerprint) WHERE namespace = ?", (namespace,))
            )

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_BUSY_S)) as connection:
                connection.executescript(_TABLES)
                yield connection
        except (sqlite3.Error, OSError) as fault:
            raise IndexUnusable(
                f"{self._path} cannot be used: {fault}", "delete it: what language models said of files is asked again"
            ) from fault
