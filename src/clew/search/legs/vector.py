"""Which chunks mean what the question means? The one module of a search that needs an embedder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from clew.core.protocols import ChunkStore, Embedder
from clew.core.query import Leg, Scope
from clew.errors import ClewError, IndexUnusable
from clew.search.legs import Look
from clew.search.legs.spaces import mismatch

if TYPE_CHECKING:
    from clew.core.catalog import Space

FEW_FILES = 5
"""Files of which half the baseline is believed, and 9 tenths of it at 15; repositories of 17 files and more move by less than .001."""
REBUILD = "run `clew index --mode hybrid` with this model set to add its vectors, or set the model that the index was made with"


class Meanings(NamedTuple):
    """`model` made the vectors. `fault` says why there are none; an answer of vectors alone raises it, any other shows it as a warning."""

    leg: Leg = Leg()
    fault: ClewError | None = None
    model: str = ""


def by_meaning(store: ChunkStore, load: Callable[[], Embedder] | None, look: Look) -> Meanings:
    """The chunks by cosine; on failure none, and the fault."""
    if load is None:
        return Meanings(fault=IndexUnusable("vectors were not searched: no embedder is set", "set one with --embedder provider:model"))
    try:
        embedder = load()
        searched, warnings = _searchable(store, look.scope, embedder.space)
        leg = store.nearest(searched, embedder.space, embedder.embed_query(look.query.about), look.filters, look.limit)
    except ClewError as fault:
        return Meanings(fault=fault)
    except (OSError, ValueError, RuntimeError, ImportError) as fault:
        return Meanings(fault=IndexUnusable(f"vectors were not searched: {fault}", "`clew doctor` tries each part and says what is wrong"))
    return Meanings(replace(leg, baseline=_unrelated(leg), warnings=(*warnings, *leg.warnings)), model=embedder.space.model)


def _unrelated(leg: Leg) -> float:
    """The leg's baseline, as far as its files are enough to know what unrelated ones score; of three files the median may be an answer."""
    files = len({hit.filepath for hit in leg.hits})
    return leg.baseline * files**2 / (files**2 + FEW_FILES**2)


def _searchable(store: ChunkStore, scope: Scope, space: Space) -> tuple[Scope, tuple[str, ...]]:
    """The part of the scope that has vectors in this space; raises a ModelMismatch or IndexUnusable when that is nothing."""
    made = {namespace: [known.fingerprint for known in store.spaces(namespace)] for namespace in scope.namespaces}
    ready = tuple(namespace for namespace, known in made.items() if space.fingerprint in known)
    if not ready and any(made.values()):
        raise mismatch([known for namespace in scope.namespaces for known in store.spaces(namespace)], space, REBUILD)
    if not ready:
        raise IndexUnusable("the index holds no vectors", "run `clew index --mode hybrid` to add them")
    absent = [namespace for namespace in scope.namespaces if namespace not in ready]
    warnings = tuple(f"{namespace} has no vectors of {space.model}: only its keywords were searched" for namespace in absent)
    return Scope(ready, scope.visibilities), warnings
