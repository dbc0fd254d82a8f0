"""Which parts of a schema mean what a question means? The vector leg over schema chunks, behind a breaker."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import pybreaker

from clew.core.protocols import ChunkStore, Embedder
from clew.core.query import Filters, Hit, Scope
from clew.core.schema.naming import namespace_of, read_id
from clew.core.schema.protocols import Proposal
from clew.errors import ClewError, IndexUnusable, ModelMismatch, NoIndex, Unreachable
from clew.search.legs.spaces import mismatch

if TYPE_CHECKING:
    from clew.core.catalog import Space, Vector

FAILURES = 5
"""Failures in a row after which nothing is asked for a while."""
REST_S = 30.0
"""How long that is; then one question tries again."""
_QUESTIONS = 64
"""Questions whose vectors are kept: one question asks for tables first, for columns later."""

_CHOICES = 64
"""Choices of datasources of which is kept what answers for them."""

REINDEX = "run `clew db index` with this model set, or set the model that the index was made with"
_log = logging.getLogger("clew.databases")


class _Owners(NamedTuple):
    """What answers for some versions at one generation: the datasource of each namespace, those that this space can be searched in, the spaces of all,
    and the datasources that are answered from another version."""

    of: dict[str, str]
    ready: tuple[str, ...]
    spaces: tuple[Space, ...]
    outdated: tuple[str, ...]


class StoredSchemaVectors:
    """`SchemaVectors` over a chunk store. Proposals are of the version that is asked for; where that is not indexed, of the one in force."""

    def __init__(self, store: ChunkStore, embedder: Callable[[], Embedder], *, failures: int = FAILURES, rest_s: float = REST_S) -> None:
        self._store = store
        self._embedder = embedder
        self._vector = lru_cache(_QUESTIONS)(self._embed)
        self._owners: dict[tuple[tuple[str, str], ...], tuple[object, _Owners]] = {}
        self._breaker = pybreaker.CircuitBreaker(
            fail_max=failures, reset_timeout=rest_s, exclude=[ModelMismatch, NoIndex], listeners=[_Telling()], name="schema vectors"
        )

    @property
    def model(self) -> str:
        """The name of the embedding model."""
        return self._embedder().space.model

    def nearest(self, question: str, versions: Sequence[tuple[str, str]], kinds: Sequence[str], limit: int) -> tuple[Proposal, ...]:
        """The best chunks of these (datasource, version) pairs and kinds, by cosine, best first.

        Raises Unreachable while the breaker is open, EmbeddingModelMismatchError and EmbeddingDimensionMismatchError for an index of another model,
        NoIndex where nothing of them is indexed, IndexUnusable for whatever else fails.
        """
        try:
            found: tuple[Proposal, ...] = self._breaker.call(self._nearest, question, tuple(versions), tuple(kinds), limit)
        except pybreaker.CircuitBreakerError as fault:
            raise Unreachable(
                "vectors of schemas were not searched: they failed too often",
                f"they are tried again within {self._breaker.reset_timeout:g} seconds",
            ) from fault
        except ClewError:
            raise
        except Exception as fault:  # a provider or a store may fail in any way; an answer must not
            raise IndexUnusable(f"vectors of schemas were not searched: {type(fault).__name__}: {fault}", REINDEX) from fault
        return found

    def outdated(self, versions: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """The datasources that `nearest` answers from another version than is asked for, since that one is not indexed, or not to its end."""
        return self._answering(tuple(versions)).outdated

    def _nearest(self, question: str, versions: Sequence[tuple[str, str]], kinds: Sequence[str], limit: int) -> tuple[Proposal, ...]:
        owners = self._answering(tuple(versions))
        if not owners.of:
            raise NoIndex("the schemas are not indexed", "run `clew db index`")
        space = self._embedder().space
        if not owners.ready:
            raise mismatch(list(owners.spaces), space, REINDEX)
        leg = self._store.nearest(Scope(owners.ready), space, self._vector(question), Filters(symbol_types=tuple(kinds)), limit)
        proposals = (_proposal(owners.of[hit.namespace], hit) for hit in leg.hits)
        return tuple(one for one in proposals if one is not None)

    def _answering(self, versions: tuple[tuple[str, str], ...]) -> _Owners:
        """What answers for these versions, looked up again only where the store has changed: of a hundred databases that takes 30 ms."""
        space = self._embedder().space
        now = (self._store.keywords(Scope(()), (), Filters(), 0).generation, space)
        known = self._owners.get(versions)
        if known is None or known[0] != now:
            while len(self._owners) >= _CHOICES:
                self._owners.pop(next(iter(self._owners)))
            known = self._owners[versions] = (now, self._looked_up(versions, space))
        return known[1]

    def _looked_up(self, versions: tuple[tuple[str, str], ...], space: Space) -> _Owners:
        found = {(name, version): self._namespace(name, version) for name, version in versions}
        of = {namespace: name for (name, _), namespace in found.items() if namespace}
        made = {namespace: self._store.spaces(namespace) for namespace in of}
        ready = tuple(namespace for namespace, spaces in made.items() if space in spaces)
        outdated = tuple(name for (name, version), one in found.items() if one not in ("", namespace_of(name, version)))
        return _Owners(of, ready, tuple(one for spaces in made.values() for one in spaces), outdated)

    def _namespace(self, datasource: str, version: str) -> str:
        """The namespace that answers for a version; empty where none does."""
        asked = namespace_of(datasource, version)
        if self._store.facts(asked).get("complete") == "yes":
            return asked
        in_force = self._store.facts(namespace_of(datasource)).get("in_force")
        return namespace_of(datasource, in_force) if in_force else ""

    def _embed(self, question: str) -> Vector:
        return self._embedder().embed_query(question)


class _Telling(pybreaker.CircuitBreakerListener):
    """Logs when the breaker opens and closes."""

    def state_change(self, cb: pybreaker.CircuitBreaker, old_state: object, new_state: object) -> None:
        before, after = getattr(old_state, "name", "none"), getattr(new_state, "name", "none")
        _log.warning("the circuit breaker of %s went from %s to %s", cb.name, before, after)


def _proposal(datasource: str, hit: Hit) -> Proposal | None:
    named = read_id(hit.id)
    if named is None:
        return None
    return Proposal(datasource, named.kind, named.schema_name, named.name, named.column, hit.score)
