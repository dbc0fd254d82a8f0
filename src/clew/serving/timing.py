"""How long does each leg of a search take? A store, and an embedder, whose questions are timed on their way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from clew.core.catalog import Space, Vector
    from clew.core.protocols import Embedder
    from clew.core.query import Filters, Leg, Scope
    from clew.serving.measures import Measures
    from clew.stores.copying import Portable


class Timing:
    """Times legs into measures, and knows the embedders that were made."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self.embedders: list[Embedder] = []

    def leg(self, name: str) -> AbstractContextManager[None]:
        """Time what is done inside."""
        return self._measures.timed("clew_leg_seconds", {"leg": name})

    def resting(self) -> int:
        """How many embedding providers are left alone at the moment."""
        return sum(bool(getattr(one, "is_resting", False)) for one in self.embedders)


class TimedStore:
    """The store, its legs timed; in all else it is the store."""

    def __init__(self, store: Portable, timing: Timing) -> None:
        self._store = store
        self._timing = timing

    def keywords(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Leg:
        """The store's answer by words."""
        with self._timing.leg("keywords"):
            return self._store.keywords(scope, terms, filters, limit)

    def nearest(self, scope: Scope, space: Space, vector: Vector, filters: Filters, limit: int) -> Leg:
        """The store's answer by vectors."""
        with self._timing.leg("vectors"):
            return self._store.nearest(scope, space, vector, filters, limit)

    def named(self, *arguments: Any) -> Any:
        """The store's answer by names."""
        with self._timing.leg("names"):
            return self._store.named(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class TimedEmbedder:
    """The embedder, its questions timed; in all else it is the embedder."""

    def __init__(self, embedder: Embedder, timing: Timing) -> None:
        self._embedder = embedder
        self._timing = timing

    def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        with self._timing.leg("embedding"):
            return self._embedder.embed_query(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)


def timed_store(store: Portable, timing: Timing | None) -> Portable:
    """The store, its legs timed where somebody wants to know."""
    return cast("Portable", TimedStore(store, timing)) if timing is not None else store


def timed_embedder(made: Callable[[], Embedder], timing: Timing | None) -> Callable[[], Embedder]:
    """The same of what makes an embedder."""
    if timing is None:
        return made

    def timed() -> Embedder:
        embedder = cast("Embedder", TimedEmbedder(made(), timing))
        timing.embedders.append(embedder)
        return embedder

    return timed
