"""What does an unrelated file score? Told from some files of a scope that is too large to score whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from statistics import median
from typing import TYPE_CHECKING, Any

from clew.stores.mongodb.encoding import packed, unpacked_vector

if TYPE_CHECKING:
    from clew.core.catalog import Vector
    from clew.stores.mongodb.sight import Sight

FILES = 96
"""Files that are looked at: the median of so many is within a twentieth of the spread of the median of all."""
KEPT = 8
"""Samples that a process keeps, each some megabytes."""


class Samples:
    """Samples of scopes, each read once for what the scope shows; the same files for the same scope, so that answers repeat."""

    def __init__(self, vector_path: str) -> None:
        self._path = vector_path
        self._kept: dict[tuple[object, ...], list[Any]] = {}

    def level(self, sight: Sight, collection: str, paths: Mapping[str, Collection[str]], vector: Vector) -> float:
        """What the median file scores by its best chunk."""
        key = (*sight.key, collection)
        if key not in self._kept:
            while len(self._kept) >= KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = self._read(sight, collection, paths)
        bests = [float((matrix @ vector).max()) for matrix in self._kept[key]]
        return median(bests) if bests else 0.0

    def _read(self, sight: Sight, collection: str, paths: Mapping[str, Collection[str]]) -> list[Any]:
        import numpy as np

        every = sorted((namespace, path) for namespace, some in paths.items() for path in some)
        chosen = every[:: max(len(every) // FILES, 1)][:FILES]
        found: defaultdict[tuple[str, str], list[Vector]] = defaultdict(list)
        names = list(dict.fromkeys(packed(path) for _, path in chosen))
        for one in sight.find(collection, {"file_path": {"$in": names}}, ("namespace_id", "file_path", self._path)) if chosen else ():
            if self._path in one:
                found[one["namespace_id"], one["file_path"]].append(unpacked_vector(one[self._path]))
        return [np.array(vectors) for vectors in found.values()]
