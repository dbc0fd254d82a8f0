"""Which chunks have a vector in which space, and where does a known text's vector come from?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from clew.stores.embedded.encoding import SPACE_STEP

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping

    from clew.core.catalog import Space, Vector
    from clew.stores.embedded.snapshot import Snapshot

PRIMARY_TABLE = "chunks"
Embedded = tuple[int, int, bytes]
"""A vector for a chunk: space number, chunk number, float32 bytes."""

# CROSS JOIN keeps the order: from the checksum to its few chunks, never through all that is embedded.
_DONORS = """
    SELECT e.space, e.chunk FROM chunks c CROSS JOIN spaces s CROSS JOIN embedded e
    WHERE c.checksum = ?1 AND e.space = s.space AND e.chunk = c.chunk
    UNION ALL SELECT s.space, g.chunk FROM gone g, spaces s WHERE g.checksum = ?1
"""


def space_number(connection: sqlite3.Connection, namespace: str, space: Space) -> int:
    """The space's number, given now if it is new, and noted as one of the namespace's."""
    row = connection.execute("SELECT space, dims FROM spaces WHERE fingerprint = ?", (space.fingerprint,)).fetchone()
    if row is None:
        first = connection.execute("SELECT count(*) FROM spaces").fetchone()[0] == 0
        name = PRIMARY_TABLE if first else f"{PRIMARY_TABLE}__{space.fingerprint[:8]}"
        row = connection.execute(
            "INSERT INTO spaces(fingerprint, model, dims, name) VALUES (?, ?, ?, ?) RETURNING space, dims",
            (space.fingerprint, space.model, space.dims, name),
        ).fetchone()
    if row[1] != space.dims:
        raise ValueError(f"one fingerprint, two sizes of vector: {row[1]} and {space.dims}")
    connection.execute("INSERT OR IGNORE INTO homes VALUES (?, ?)", (namespace, row[0]))
    return int(row[0])


def known_number(connection: sqlite3.Connection, space: Space) -> int:
    """The space's number, 0 where the store has never seen it."""
    row = connection.execute("SELECT space FROM spaces WHERE fingerprint = ?", (space.fingerprint,)).fetchone()
    return int(row[0]) if row else 0


def packed_vector(vector: Vector, dims: int) -> bytes:
    """The vector's float32 bytes."""
    import numpy as np

    if len(vector) != dims:
        raise ValueError(f"a vector of {len(vector)} numbers in a space of {dims}")
    return np.ascontiguousarray(vector, np.dtype("<f4")).tobytes()


class Recall:
    """What the snapshot remembers: vectors of chunks up to the last that it has `settled`, those that are gone since among them."""

    def __init__(self, settled: int, snapshot: Callable[[], Snapshot | None]) -> None:
        self._settled = settled
        self._snapshot = snapshot

    def vector(self, space: int, chunk: int) -> bytes | None:
        """The vector of a chunk, as bytes."""
        snapshot = self._snapshot() if chunk <= self._settled else None
        return snapshot.vector(space, chunk) if snapshot else None

    def held(self, space: int, chunks: Iterable[int]) -> set[int]:
        """Those of the chunks that have a vector there."""
        asked = [chunk for chunk in chunks if chunk <= self._settled]
        snapshot = self._snapshot() if asked else None
        if snapshot is None:
            return set()
        import numpy as np

        rows = snapshot.rows_of(space, np.array(asked, np.int64))
        return {chunk for chunk, row in zip(asked, rows.tolist(), strict=True) if row >= 0}


class Embeddings:
    """The vectors known to the catalog and, through `recall`, to the snapshot."""

    def __init__(self, connection: sqlite3.Connection, recall: Recall | None) -> None:
        self._connection = connection
        self._recall = recall
        self._spaces = [space for (space,) in connection.execute("SELECT space FROM spaces ORDER BY space")]

    def find(self, wanting: Iterable[tuple[int, bytes]], given: Mapping[bytes, bytes], space: int, first_new: int) -> list[Embedded]:
        """Vectors for chunks (number, checksum) that lack them: given ones, else those of another chunk with the same text.

        Chunks from number `first_new` on are known to have none.
        """
        chunks = list(wanting)
        having = self._having([number for number, _ in chunks if number < first_new])
        found: list[Embedded] = []
        remembered: dict[bytes, dict[int, bytes]] = {}
        for number, raw_checksum in chunks:
            lacking = [one for one in self._spaces if number not in having[one]]
            if space in lacking and raw_checksum in given:
                found.append((space, number, given[raw_checksum]))
                lacking.remove(space)
            if lacking:
                if raw_checksum not in remembered:
                    remembered[raw_checksum] = self.of_text(raw_checksum, lacking)
                found += [(one, number, remembered[raw_checksum][one]) for one in lacking if one in remembered[raw_checksum]]
        return found

    def _having(self, chunks: list[int]) -> dict[int, set[int]]:
        """By space, those of the chunks that have a vector."""
        look = "SELECT chunk FROM embedded WHERE space = ? AND chunk IN (SELECT value FROM json_each(?))"
        asked = json.dumps(chunks)
        return {space: {chunk for (chunk,) in self._connection.execute(look, (space, asked))} for space in self._spaces}

    def known(self, space: int, raw_checksums: Iterable[bytes]) -> set[bytes]:
        """Those of the texts whose vector the store has, of a chunk that lives or of one that is gone but still in the snapshot."""
        first = f"SELECT chunk FROM ({_DONORS}) WHERE space = ?2 LIMIT 1"  # a license may stand in every file
        donors = [(raw, row[0]) for raw in raw_checksums if (row := self._connection.execute(first, (raw, space)).fetchone())]
        asked = json.dumps([space * SPACE_STEP + chunk for _, chunk in donors])
        found = self._connection.execute("SELECT number FROM vectors WHERE number IN (SELECT value FROM json_each(?))", (asked,))
        held = {number - space * SPACE_STEP for (number,) in found}
        if self._recall is not None:
            held |= self._recall.held(space, (chunk for _, chunk in donors if chunk not in held))
        return {raw for raw, chunk in donors if chunk in held or self.of_text(raw, (space,))}

    def of_text(self, raw_checksum: bytes, spaces: Iterable[int]) -> dict[int, bytes]:
        """The vectors, by space, that the store has for a text."""
        wanted = set(spaces)
        found: dict[int, bytes] = {}
        for space, chunk in self._connection.execute(_DONORS, (raw_checksum,)):
            if space in wanted and (vector := self.of_chunk(space, chunk)) is not None:
                found[space] = vector
                wanted.remove(space)
            if not wanted:
                break
        return found

    def of_chunk(self, space: int, chunk: int) -> bytes | None:
        """The vector of a chunk, or of one that is gone but still in the snapshot."""
        row = self._connection.execute("SELECT vector FROM vectors WHERE number = ?", (space * SPACE_STEP + chunk,)).fetchone()
        if row is None and self._recall is not None:
            return self._recall.vector(space, chunk)
        return row[0] if row else None

    def store(self, found: Iterable[Embedded]) -> None:
        """Keep vectors until the snapshot and the vector table have them."""
        kept = list(found)
        self._connection.executemany("INSERT INTO embedded VALUES (?, ?)", ((space, chunk) for space, chunk, _ in kept))
        self._connection.executemany(
            "INSERT INTO vectors VALUES (?, ?)", ((space * SPACE_STEP + chunk, vector) for space, chunk, vector in kept)
        )

    @staticmethod
    def drop(connection: sqlite3.Connection, chunk: int) -> None:
        """Forget the vectors of a chunk."""
        for (space,) in connection.execute("SELECT space FROM spaces").fetchall():
            connection.execute("DELETE FROM embedded WHERE space = ? AND chunk = ?", (space, chunk))
            connection.execute("DELETE FROM vectors WHERE number = ?", (space * SPACE_STEP + chunk,))
