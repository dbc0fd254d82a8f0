"""Which chunks hold the words of a question?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from clew.core.protocols import ChunkStore
from clew.core.query import Leg, Scope
from clew.errors import ClewError
from clew.search.legs import Look
from clew.search.question import Query

MAX_TERMS = 48
"""Distinct terms that are searched: a long report's rarest by weight; more cost time and moved nothing."""


class Rarity(NamedTuple):
    """`weights` are each distinct term's inverse document frequency: the evidence that it carries. `chunks` is how many were counted."""

    weights: Mapping[str, float]
    chunks: int = 0
    warnings: tuple[str, ...] = ()


def rarity_of(store: ChunkStore, scope: Scope, query: Query) -> Rarity:
    """BM25's idf of each distinct term; a term that no chunk holds weighs most. On failure all weigh the same, and a warning says so."""
    distinct = dict.fromkeys(query.terms)
    try:
        statistics = store.statistics(scope, distinct.keys())
    except (ClewError, OSError) as fault:
        return Rarity(dict.fromkeys(distinct, 1.0), warnings=(f"words could not be counted: {fault}",))
    held = [statistics.frequency.get(term, 0) for term in distinct]
    weights = {term: math.log(1 + (statistics.total - n + 0.5) / (n + 0.5)) for term, n in zip(distinct, held, strict=True)}
    return Rarity(weights, statistics.total)


def by_keywords(store: ChunkStore, look: Look, weights: Mapping[str, float]) -> Leg:
    """The chunks by BM25F; on failure none, and a warning that says so."""
    try:
        return store.keywords(look.scope, _rarest(look.query.terms, weights), look.filters, look.limit)
    except (ClewError, OSError) as fault:
        return Leg(warnings=(f"keywords were not searched: {fault}",))


def _rarest(terms: tuple[str, ...], weights: Mapping[str, float]) -> tuple[str, ...]:
    if len(weights) <= MAX_TERMS:
        return terms
    weight = dict.fromkeys(weights, 0.0)
    for term in terms:
        weight[term] += weights[term]
    kept = set(sorted(weight, key=lambda term: (-weight[term], term))[:MAX_TERMS])
    return tuple(term for term in terms if term in kept)
