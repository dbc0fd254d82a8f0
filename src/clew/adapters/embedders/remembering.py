"""Which texts did a model embed before, in whatever project? The user's own cache, for models that cost time or money to ask.

An index re-uses its embeddings by the text's checksum, across files and branches. This does so across indexes: another work tree of a project,
an index that was thrown away, a copy on another branch. It is for an embedder that says `costly = True`; the one shipped is cheaper than a look-up.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import numpy as np

from clew.core.embedding import Cost, EmbeddedBatch, cost_of, hurried, in_batches
from clew.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from clew.core.catalog import Space, Vector, Vectors
    from clew.core.protocols import Embedder

MOST_BYTES = 500_000_000
"""Size that the vectors kept never exceed: 120,000 of 1,024 dimensions, the code of some large projects."""
_ROOM = 0.9
"""Share that is kept when it is full: making room each time would cost as much as keeping."""
_AT_ONCE = 500
"""Keys in one query: SQLite's older limit is 999 values."""
_BUSY_S = 5.0
"""How long to wait for another process that keeps its own; then the texts are embedded again."""

_TABLE = """
CREATE TABLE IF NOT EXISTS kept(key BLOB PRIMARY KEY, vector BLOB NOT NULL, turn INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS kept_by_turn ON kept(turn);
CREATE TABLE IF NOT EXISTS total(one INTEGER PRIMARY KEY CHECK (one = 1), bytes INTEGER NOT NULL);
INSERT OR IGNORE INTO total SELECT 1, coalesce(sum(length(vector)), 0) FROM kept WHERE NOT EXISTS (SELECT 1 FROM total);
"""


class RememberingEmbedder:
    """An embedder that is asked for a text once. Faults of the cache, full disks and damage among them, cost an embedding and nothing else."""

    costly = True

    def __init__(self, embedder: Embedder, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self._embedder = embedder
        self._path = path
        self._most_bytes = most_bytes

    @property
    def space(self) -> Space:
        """The embedder's space."""
        return self._embedder.space

    @property
    def is_resting(self) -> bool:
        """Whether the embedder's provider is left alone at the moment."""
        return bool(getattr(self._embedder, "is_resting", False))

    def embed_query(self, text: str) -> Vector:
        """A question is embedded anew."""
        return self._embedder.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The texts' vectors, those known from the cache. Raises InputRefused where the embedder will have nothing of one."""
        vectors = np.zeros((len(texts), self.space.dims), np.float32)
        for done in self.embed_each(texts):
            for reason in done.refused.values():
                raise InputRefused(reason, "shorten the text, or leave it out")
            vectors[list(done.places)] = done.vectors
        return vectors

    def embed_each(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
        """What is known first, then what the embedder makes: each of its batches is kept before it is given back."""
        places: dict[bytes, list[int]] = {}
        for place, text in enumerate(texts):
            places.setdefault(self._key(text), []).append(place)
        found = self._known(list(places))
        if found:
            yield self._batch({key: np.frombuffer(vector, np.dtype("<f4")) for key, vector in found.items()}, places)
        lacking = [key for key in places if key not in found]
        for batch in in_batches(self._embedder, [texts[places[key][0]] for key in lacking]):
            made = {lacking[at]: row for at, row in zip(batch.places, batch.vectors, strict=True)}
            self._keep({key: np.ascontiguousarray(row, np.dtype("<f4")).tobytes() for key, row in made.items()})
            refused = {place: reason for at, reason in batch.refused.items() for place in places[lacking[at]]}
            yield self._batch(made, places)._replace(refused=refused, truncated=batch.truncated)

    def hurried(self) -> RememberingEmbedder:
        """The same over an embedder that hurries."""
        return RememberingEmbedder(hurried(self._embedder), self._path, self._most_bytes)

    def cost(self, texts: Sequence[str]) -> Cost:
        """What the embedder would take for those that are not known."""
        keys = {self._key(text): text for text in texts}
        found = self._known(list(keys))
        return cost_of(self._embedder, [text for key, text in keys.items() if key not in found])

    def _batch(self, vectors: Mapping[bytes, Vector], places: Mapping[bytes, Sequence[int]]) -> EmbeddedBatch:
        """Vectors by key as a batch, each for all places of its text."""
        at = [(place, key) for key in vectors for place in places[key]]
        rows = np.array([vectors[key] for _, key in at], np.float32).reshape(len(at), self.space.dims)
        return EmbeddedBatch(tuple(place for place, _ in at), rows)

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.space.fingerprint}\0document\0{text}".encode("utf-8", "surrogatepass")).digest()

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The vectors that are kept, which are the last to go from now on."""
        found: dict[bytes, bytes] = {}
        with suppress(sqlite3.Error, OSError), closing(self._opened()) as connection, connection:
            turn = _turn(connection)
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ", ".join("?" * len(some))
                rows = connection.execute(f"SELECT key, vector FROM kept WHERE key IN ({marks})", some).fetchall()
                found.update((key, vector) for key, vector in rows if len(vector) == 4 * self.space.dims)
                connection.execute(f"UPDATE kept SET turn = {turn} WHERE key IN ({marks})", some)
        return found

    def _keep(self, vectors: Mapping[bytes, bytes]) -> None:
        """Keep vectors; where that is too much, those that were not asked for the longest go."""
        if not vectors:
            return
        with suppress(sqlite3.Error, OSError), closing(self._opened()) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")  # two processes add to one sum
            turn = _turn(connection)
            added = sum(map(len, vectors.values())) - _size(connection, list(vectors))
            connection.executemany(f"INSERT OR REPLACE INTO kept VALUES (?, ?, {turn})", vectors.items())
            size = int(connection.execute("UPDATE total SET bytes = bytes + ? RETURNING bytes", (added,)).fetchone()[0])
            if size > self._most_bytes:
                _make_room(connection, size - int(_ROOM * self._most_bytes))

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(self._path, timeout=_BUSY_S)
        try:
            connection.executescript(_TABLE)
        except sqlite3.Error:
            connection.close()
            raise
        return connection


def _turn(connection: sqlite3.Connection) -> int:
    """The number of this use: one more than any before."""
    return int(connection.execute("SELECT coalesce(max(turn), 0) + 1 FROM kept").fetchone()[0])


def _size(connection: sqlite3.Connection, keys: Sequence[bytes]) -> int:
    """Bytes that are kept under these keys."""
    size = 0
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        size += connection.execute(f"SELECT coalesce(sum(length(vector)), 0) FROM kept WHERE key IN ({marks})", some).fetchone()[0]
    return size


def _make_room(connection: sqlite3.Connection, wanted: int) -> None:
    """Forget the oldest until so many bytes are free."""
    freed, doomed = 0, []
    for key, size in connection.execute("SELECT key, length(vector) FROM kept ORDER BY turn, key"):
        if freed >= wanted:
            break
        freed += size
        doomed.append((key,))
    connection.executemany("DELETE FROM kept WHERE key = ?", doomed)
    connection.execute("UPDATE total SET bytes = bytes - ?", (freed,))
