"""Which chunks mean what the question means? The one module of a search that needs an embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from clew.core.protocols import ChunkStore, Embedder
from clew.core.query import Leg, Scope
from clew.errors import ClewError, IndexUnusable, ModelMismatch
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


def by_meaning(
    store: ChunkStore, loads: Sequence[Callable[[], Embedder]], look: Look, rebuild: Callable[[], str] = lambda: REBUILD
) -> Meanings:
    """The chunks by cosine, in the space of the first model that answers and has vectors there; on failure of all none, and the first one's fault.

    A model whose vectors the index never had is a fault also where another one answers; `rebuild` says how it gets them.
    """
    if not loads:
        return Meanings(fault=IndexUnusable("vectors were not searched: no embedder is set", "set one with --embedder provider:model"))
    if not look.scope.namespaces:  # only what is mounted is asked
        return Meanings()
    tried: list[Meanings] = []
    for load in loads:
        found = _asked(store, load, look, rebuild)
        if found.leg.hits:
            return _instead(found, tried) if tried else found
        tried.append(found)
    empty = next((one for one in tried if one.fault is None), None)
    return tried[0] if tried[0].fault is None or empty is None else _instead(empty, tried)


def _asked(store: ChunkStore, load: Callable[[], Embedder], look: Look, rebuild: Callable[[], str]) -> Meanings:
    """What one model finds, or why it finds nothing."""
    try:
        embedder = load()
        searched, warnings = _searchable(store, look.scope, embedder.space, rebuild)
        leg = store.nearest(searched, embedder.space, embedder.embed_query(look.query.about), look.filters, look.limit)
    except ClewError as fault:
        return Meanings(fault=fault)
    except (OSError, ValueError, RuntimeError, ImportError) as fault:
        return Meanings(fault=IndexUnusable(f"vectors were not searched: {fault}", "`clew doctor` tries each part and says what is wrong"))
    return Meanings(replace(leg, baseline=_unrelated(leg), warnings=(*warnings, *leg.warnings)), model=embedder.space.model)


def _instead(found: Meanings, tried: Sequence[Meanings]) -> Meanings:
    """What a fallback found, with why it was asked."""
    first = tried[0].fault
    if isinstance(first, ModelMismatch):
        said = f"vectors of {found.model} were searched instead"
        return found._replace(leg=replace(found.leg, warnings=(said, *found.leg.warnings)), fault=first)
    why = first.message if first is not None else f"{tried[0].model} has no vectors of what is searched yet"
    before = () if first is not None else tried[0].leg.warnings
    said = f"{why}: vectors of {found.model} were searched instead, which is slightly less exact"
    return found._replace(leg=replace(found.leg, warnings=(said, *before, *found.leg.warnings)))


def _unrelated(leg: Leg) -> float:
    """The leg's baseline, as far as its files are enough to know what unrelated ones score; of three files the median may be an answer."""
    files = len({hit.filepath for hit in leg.hits})
    return leg.baseline * files**2 / (files**2 + FEW_FILES**2)


def _searchable(store: ChunkStore, scope: Scope, space: Space, rebuild: Callable[[], str]) -> tuple[Scope, tuple[str, ...]]:
    """The part of the scope that has vectors in this space; raises a ModelMismatch or IndexUnusable when that is nothing."""
    made = {namespace: [known.fingerprint for known in store.spaces(namespace)] for namespace in scope.namespaces}
    ready = tuple(namespace for namespace, known in made.items() if space.fingerprint in known)
    if not ready and any(made.values()):
        raise mismatch([known for namespace in scope.namespaces for known in store.spaces(namespace)], space, rebuild())
    if not ready:
        raise IndexUnusable("the index holds no vectors", "run `clew index --mode hybrid` to add them")
    absent = [namespace for namespace in scope.namespaces if namespace not in ready]
    warnings = tuple(f"{namespace} has no vectors of {space.model}: only its keywords were searched" for namespace in absent)
    return Scope(ready, scope.visibilities), warnings
