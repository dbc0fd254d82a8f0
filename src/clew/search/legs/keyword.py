"""Which chunks hold the words of a question?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from clew.core.protocols import ChunkStore
from clew.core.query import Leg
from clew.errors import ClewError
from clew.search.legs import Look

MAX_TERMS = 48
"""Distinct terms that are searched: a long report's rarest by weight; more cost time and moved nothing."""


class Keywords(NamedTuple):
    """`rarity` is each distinct term's inverse document frequency, the weight of evidence that it carries."""

    leg: Leg
    rarity: Mapping[str, float]


def rarities(store: ChunkStore, look: Look) -> dict[str, float]:
    """BM25's idf of each distinct term; a term that no chunk holds weighs most."""
    distinct = dict.fromkeys(look.query.terms)
    statistics = store.statistics(look.scope, distinct.keys())
    held = [statistics.frequency.get(term, 0) for term in distinct]
    return {term: math.log(1 + (statistics.total - n + 0.5) / (n + 0.5)) for term, n in zip(distinct, held, strict=True)}


def by_keywords(store: ChunkStore, look: Look) -> Keywords:
    """The chunks by BM25F; on failure none, and a warning that says so."""
    try:
        rarity = rarities(store, look)
        leg = store.keywords(look.scope, _rarest(look.query.terms, rarity), look.filters, look.limit)
    except (ClewError, OSError) as fault:
        return Keywords(Leg(warnings=(f"keywords were not searched: {fault}",)), dict.fromkeys(look.query.terms, 1.0))
    return Keywords(leg, rarity)


def _rarest(terms: tuple[str, ...], rarity: Mapping[str, float]) -> tuple[str, ...]:
    if len(rarity) <= MAX_TERMS:
        return terms
    weight = dict.fromkeys(rarity, 0.0)
    for term in terms:
        weight[term] += rarity[term]
    kept = set(sorted(weight, key=lambda term: (-weight[term], term))[:MAX_TERMS])
    return tuple(term for term in terms if term in kept)
