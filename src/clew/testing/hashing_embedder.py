"""What can stand in for an embedding model? A bag of hashed words: deterministic, instant, close for texts that share words."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from clew.core.catalog import Space
from clew.core.words import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.core.catalog import Vector, Vectors


class HashingEmbedder:
    """An `Embedder`: each term adds a direction derived from its SHA-256. `name` makes spaces of their own; `embedded` counts texts, `asked`
    questions. While `fault` is set, that is raised instead; `costly` is what it says of itself."""

    costly = False

    def __init__(self, dims: int = 32, name: str = "hashing", *, costly: bool = False) -> None:
        self._space = Space(hashlib.sha256(f"{name}:{dims}".encode()).hexdigest(), name, dims)
        self._seed = name
        self._directions: dict[str, Vector] = {}
        self.embedded = 0
        self.asked = 0
        self.fault: Exception | None = None
        self.costly = costly or self.costly

    @property
    def space(self) -> Space:
        """The space of this name and size."""
        return self._space

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One unit row a text; a text without a word gives zeros."""
        if self.fault is not None:
            raise self.fault
        self.embedded += len(texts)
        rows = np.zeros((len(texts), self._space.dims), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self._embed(text)
        return rows

    def embed_query(self, text: str) -> Vector:
        """As a document."""
        if self.fault is not None:
            raise self.fault
        self.asked += 1
        return self._embed(text)

    def _embed(self, text: str) -> Vector:
        total = np.zeros(self._space.dims, np.float64)
        for term in terms(text):
            total += self._direction(term)
        length = float(np.linalg.norm(total))
        return (total / length if length else total).astype(np.float32)

    def _direction(self, term: str) -> Vector:
        known = self._directions.get(term)
        if known is None:
            needed = self._space.dims
            noise = hashlib.shake_256(f"{self._seed}:{term}".encode()).digest(needed)
            known = np.frombuffer(noise, np.uint8).astype(np.float32) - np.float32(127.5)
            self._directions[term] = known
        return known
