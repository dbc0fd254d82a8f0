"""What has a store in memory about the moment that it searches? Kept for one generation, made when first needed."""

from __future__ import annotations

import json
import os
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from clew.core.query import Hit
from clew.stores.embedded import keywords, reading, rows
from clew.stores.embedded.catalog import meta
from clew.stores.embedded.encoding import SPACE_STEP
from clew.stores.embedded.places import snapshot_file

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Sequence
    from pathlib import Path

    from clew.core.catalog import FileRecord
    from clew.core.chunk import Chunk
    from clew.core.query import Filters, Scope
    from clew.stores.embedded.docs import Docs, Flags, Numbers
    from clew.stores.embedded.snapshot import Snapshot


_SMALL = 20_000
"""Chunks up to which what hits show is read for all of them at once, in a tenth of a second, when questions keep coming."""
_KEEP_COMING = 6
"""Answers of a leg after which they do: three questions."""
_KEPT = 32
"""Masks kept at a time: a batch of questions repeats a few filters."""


_MOST_CHUNKS = 8_000
"""Whole chunks kept for the next questions: about 20 MB."""

_NEWER = "SELECT 1 FROM chunks WHERE chunk > (SELECT value FROM meta WHERE key = 'settled') LIMIT 1"


_score = itemgetter(1)
Made = TypeVar("Made")


class View:
    """One generation of an index, as far as searches have asked for it."""

    def __init__(self, folder: Path, generation: int, snapshot: str, before: View | None) -> None:
        self._folder = folder
        self.generation = generation
        self.snapshot_name = snapshot
        same = before is not None and before.snapshot_name == snapshot
        self._snapshot: Snapshot | None = before._snapshot if before is not None and same else None
        self.damage: str = before.damage if before is not None and same else ""
        # Opened now, though it may never be read: a writer may remove it at any time, and what is open stays.
        self._file: BinaryIO | None = before._file if before is not None and same else _opened(folder, snapshot)
        self._newer: bool | None = None
        self._hits: dict[int, rows.HitFields] = {}
        self._chunks: dict[tuple[str, str], Chunk] = {}
        self._answers = 0
        self._made: dict[Any, Any] = {}

    def is_without_its_snapshot(self) -> bool:
        """Whether there should be a snapshot and none was there when this was made."""
        return bool(self.snapshot_name) and self._snapshot is None and self._file is None

    def snapshot(self) -> Snapshot | None:
        """The snapshot, mapped; None when there is none or it is damaged (then `damage` says how)."""
        if self._snapshot is None and self.snapshot_name and not self.damage:
            from clew.stores.embedded.arrays import Damaged
            from clew.stores.embedded.snapshot import open_snapshot

            try:
                self._snapshot = open_snapshot(self._file)
            except Damaged as fault:
                self.damage = str(fault)
            if self._file is not None:
                self._file.close()
                self._file = None
        return self._snapshot

    def newer(self, connection: sqlite3.Connection) -> bool:
        """Whether there are chunks that the snapshot cannot hold."""
        if self._newer is None:
            self._newer = connection.execute(_NEWER).fetchone() is not None
        return self._newer

    def meta(self, connection: sqlite3.Connection, key: str) -> Any:
        """One of the catalog's own values."""
        return self.once(("meta", key), lambda: meta(connection, key))

    def count(self, connection: sqlite3.Connection, scope: Scope | None = None) -> int:
        """How many chunks the scope shows; without one, how many are alive."""
        realms: list[tuple[str, str, int]] = self.once(
            "realms", lambda: connection.execute("SELECT namespace, visibility, chunks FROM realms").fetchall()
        )
        return sum(
            chunks
            for namespace, visibility, chunks in realms
            if scope is None or (namespace in scope.namespaces and visibility in scope.visibilities)
        )

    def alive(self, connection: sqlite3.Connection, snapshot: Snapshot) -> Flags | None:
        """Which chunks of the snapshot live; None when all."""
        if "alive" not in self._made:
            import numpy as np

            gone = np.fromiter((number for (number,) in connection.execute("SELECT chunk FROM gone")), np.int64)
            flags = snapshot.alive(gone)
            self._made["alive"] = None if flags.all() else flags
        alive: Flags | None = self._made["alive"]
        return alive

    def flags(self, connection: sqlite3.Connection, snapshot: Snapshot, scope: Scope, filters: Filters) -> Flags | None:
        """Which chunks of the snapshot live and pass; None when all."""
        key = (scope, filters)
        if key not in self._made:
            if len(self._made) > _KEPT:
                self._made.clear()
            from clew.stores.embedded import docs

            files = self.files_passing(connection, scope, filters)
            found = docs.both(
                self.alive(connection, snapshot), docs.seen(snapshot.docs, scope), docs.passing(snapshot.docs, filters, files)
            )
            self._made[key] = None if found is None or found.all() else found
        flags: Flags | None = self._made[key]
        return flags

    def shortages(self, snapshot: Snapshot, average: float) -> Any:
        """What the lengths of the snapshot's chunks cost them, given the average length of all living ones."""
        key = ("shortages", average)
        if key not in self._made:
            from clew.stores.embedded.postings import shortages

            self._made[key] = shortages(snapshot.postings.lengths, average)
        return self._made[key]

    def files_passing(self, connection: sqlite3.Connection, scope: Scope, filters: Filters) -> list[int] | None:
        """The files that the path filters let through; None when all."""
        if not filters.paths:
            return None
        key = (scope, filters.paths)
        if key not in self._made:
            self._made[key] = reading.files_passing(connection, scope, filters)
        files: list[int] = self._made[key]
        return files

    def rows_of(self, snapshot: Snapshot, space: int) -> tuple[Numbers, Numbers, Numbers | None]:
        """The chunk and the file of each row of the space's matrix, and each file's first row where those of every file stand together."""
        key = ("rows", space)
        if key not in self._made:
            from clew.stores.embedded.nearest import firsts

            places = snapshot.places(space)
            files = snapshot.docs.files[places]
            self._made[key] = (snapshot.docs.numbers[places], files, firsts(files))
        made: tuple[Numbers, Numbers, Numbers | None] = self._made[key]
        return made

    def pending(self, connection: sqlite3.Connection, space: int) -> tuple[Docs, Any]:
        """The chunks whose vectors are in the catalog, and those vectors."""
        key = ("pending", space)
        if key not in self._made:
            import numpy as np

            from clew.stores.embedded import docs

            low, high = space * SPACE_STEP, (space + 1) * SPACE_STEP
            found = connection.execute(
                "SELECT number, vector FROM vectors WHERE number BETWEEN ? AND ? ORDER BY number", (low, high)
            ).fetchall()
            matrix = np.frombuffer(b"".join(raw for _, raw in found), np.dtype("<f4"))
            which = "c.chunk IN (SELECT number - ? FROM vectors WHERE number BETWEEN ? AND ?)"
            chunks = docs.load(connection, which, (low, low, high))
            self._made[key] = (chunks, matrix.reshape(len(found), -1) if found else matrix.reshape(0, 1))
        made: tuple[Docs, Any] = self._made[key]
        return made

    def once(self, key: object, make: Callable[[], Made]) -> Made:
        """What was made under this key in this generation, or is made now."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def files(self, connection: sqlite3.Connection, namespace: str) -> dict[str, FileRecord]:
        """The namespace's file records by path."""
        key = ("files", namespace)
        if key not in self._made:
            self._made[key] = reading.files(connection, namespace)
        found: dict[str, FileRecord] = self._made[key]
        return found

    def files_at(self, connection: sqlite3.Connection, namespace: str, paths: Collection[str]) -> dict[str, FileRecord]:
        """The records of these paths; from memory, once questions keep coming to an index of a size to be kept there."""
        if ("files", namespace) not in self._made and (self._answers <= _KEEP_COMING or self.count(connection) > _SMALL):
            return reading.files_at(connection, namespace, paths)
        known = self.files(connection, namespace)
        return {path: known[path] for path in paths if path in known}

    def lacking(self, connection: sqlite3.Connection, space: int, scope: Scope) -> int:
        """How many chunks of the scope's namespaces have no vector in the space."""
        key = ("lacking", space, scope.namespaces)
        if key not in self._made:
            self._made[key] = reading.lacking(connection, space, scope)
        found: int = self._made[key]
        return found

    def chunks(self, connection: sqlite3.Connection, scope: Scope, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Chunk]:
        """The whole chunks under these keys that the scope shows, in that order."""
        unknown = [key for key in keys if key not in self._chunks]
        if unknown:
            if len(self._chunks) > _MOST_CHUNKS:
                self._chunks.clear()
                unknown = list(keys)
            self._chunks.update(reading.whole_chunks(connection, unknown))
        found = {key: self._chunks[key] for key in keys if key in self._chunks}
        return {key: chunk for key, chunk in found.items() if key[0] in scope.namespaces and chunk.visibility in scope.visibilities}

    def best(self, connection: sqlite3.Connection, scored: keywords.Scored, limit: int) -> tuple[Hit, ...]:
        """The best of what was scored, the scores rounded to PRECISION; equal ones in order of key."""
        ordered = sorted(scored, key=_score, reverse=True)
        if len(ordered) > limit:
            floor = ordered[limit - 1][1]
            ordered = [one for one in ordered if one[1] >= floor]
        self._fetch(connection, ordered)
        fields, made = self._hits, tuple.__new__
        hits: list[Hit] = [made(Hit, (*fields[number], score)) for number, score in ordered]
        _settle_ties(hits)
        return tuple(hits[:limit])

    def by_file(self, averages: Iterable[tuple[int, float, float]], hits: Sequence[Hit]) -> dict[tuple[str, str], float]:
        """The mean of each file, by namespace and path, of which a chunk scores as well as the last hit."""
        fields, least = self._hits, hits[-1].score if hits else 0.0
        return {(fields[number][0], fields[number][2]): mean for number, score, mean in averages if score >= least}

    def _fetch(self, connection: sqlite3.Connection, scored: keywords.Scored) -> None:
        self._answers += 1
        unknown = [number for number, _ in scored if number not in self._hits]
        if unknown and self._answers > _KEEP_COMING and self.count(connection) <= _SMALL:
            self._hits = {row[0]: rows.hit_fields(row) for row in connection.execute(rows.HIT)}
        elif unknown:
            query = f"{rows.HIT} WHERE c.chunk IN (SELECT value FROM json_each(?))"
            for row in connection.execute(query, (json.dumps(unknown),)):
                self._hits[row[0]] = rows.hit_fields(row)


def _opened(folder: Path, snapshot: str) -> BinaryIO | None:
    """The file of a snapshot; None where there is none."""
    try:
        handle = os.open(snapshot_file(folder, snapshot), os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        return os.fdopen(handle, "rb") if snapshot else None
    except OSError:
        return None


def _settle_ties(hits: list[Hit]) -> None:
    """Put hits of one score, which stand together, in order of their key."""
    start = 0
    for end in range(1, len(hits) + 1):
        if end == len(hits) or hits[end][-1] != hits[start][-1]:
            if end - start > 1:
                hits[start:end] = sorted(hits[start:end])
            start = end
