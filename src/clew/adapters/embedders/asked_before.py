"""Which question did a model embed before? What costs to be asked is asked once a day for each question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.core.embedding import Cost, EmbeddedBatch, cost_of, hurried, in_batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.core.catalog import Space, Vector, Vectors
    from clew.core.protocols import Embedder
    from clew.stores.question_vectors import QuestionVectors

_QUERY = "query"


class AskedBefore:
    """An embedder whose answers to questions are kept in an index's folder."""

    costly = True

    def __init__(self, embedder: Embedder, kept: QuestionVectors) -> None:
        self._embedder = embedder
        self._kept = kept

    @property
    def space(self) -> Space:
        """The embedder's space."""
        return self._embedder.space

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As the embedder does."""
        return self._embedder.embed_documents(texts)

    def embed_each(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
        """As the embedder does, batch by batch."""
        return in_batches(self._embedder, texts)

    def hurried(self) -> AskedBefore:
        """The same over an embedder that hurries."""
        return AskedBefore(hurried(self._embedder), self._kept)

    def cost(self, texts: Sequence[str]) -> Cost:
        """What the embedder would take."""
        return cost_of(self._embedder, texts)

    @property
    def is_resting(self) -> bool:
        """Whether the embedder's provider is left alone at the moment."""
        return bool(getattr(self._embedder, "is_resting", False))

    def embed_query(self, text: str) -> Vector:
        """The question's vector, as it was made within a day, or made now."""
        import numpy as np

        known = self._kept.find(self.space, _QUERY, text)
        if known is not None:
            return np.frombuffer(known, np.dtype("<f4")).astype(np.float32)
        vector = self._embedder.embed_query(text)
        self._kept.keep(self.space, _QUERY, text, np.ascontiguousarray(vector, np.dtype("<f4")).tobytes())
        return vector
