"""How is a question answered? The search indexes propose, the written formulas score; both legs, and statistics of terms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from statistics import median
from typing import TYPE_CHECKING, Any

from clew.core.query import Filters, Hit, Leg, TermStatistics
from clew.stores.bm25 import K1, PRECISION, WEIGHTS, B, idf, single
from clew.stores.lagging import without_vectors
from clew.stores.mongodb.documents import FIELDS, best, hit_of
from clew.stores.mongodb.encoding import packed, packed_vector, unpacked
from clew.stores.mongodb.sight import MOST_CANDIDATES, Near, Paths, Sight

if TYPE_CHECKING:
    from clew.core.catalog import Space, Vector
    from clew.stores.mongodb.limits import Limits

PROPOSED = 4
"""Chunks that the server proposes by its own score of words for each that is asked: the formula of ours then orders them."""
LEAST_PROPOSED = 400
CONSIDERED = 20
"""Neighbours that the server considers for each that is asked: MongoDB's advice for a start."""
EXTRA = 50
"""Neighbours beyond the limit, so that a tie at the limit is seen, and what an index shows that has not noticed its end takes no place."""
MOST_TERMS = 150
"""Terms of one question that are looked up, the rarest ones: a server takes a thousand clauses, six fields of each term."""
COUNTED = 100
"""Terms that are counted with one command."""
_TIE = 10.0 ** (1 - PRECISION)

Counts = dict[tuple[object, ...], dict[str, int]]
"""How many chunks hold a term, by what was seen."""


def by_keywords(sight: Sight, counts: Counts, asked: Mapping[str, int], filters: Filters, paths: Paths, limit: int) -> Leg:
    """Chunks by BM25F, over what the scope shows and nothing else: no score tells of what may not be seen."""
    total, words = sight.size
    frequency = frequencies(sight, counts, {term: [term] for term in asked})
    rare = sorted((term for term in asked if frequency.get(term)), key=lambda term: (frequency[term], term))[:MOST_TERMS]
    if not rare or paths.few == ():
        return Leg((), 0.0, sight.generation)
    weights = {packed(term): asked[term] * idf(total, frequency[term]) for term in rare}
    found = sight.matching(list(weights), filters, paths, max(limit * PROPOSED, LEAST_PROPOSED))
    hits = [hit_of(one, _score(one, weights, words / max(total, 1))) for one in found]
    return Leg(best(hits, limit), 0.0, sight.generation)


def frequencies(sight: Sight, counts: Counts, asked: Mapping[str, list[str]]) -> dict[str, int]:
    """How many chunks in scope hold each term; what was counted for the same sight is not counted again."""
    known = counts.setdefault(sight.key, {}) if sight else {}
    lacking = [term for term in asked if term not in known]
    for start in range(0, len(lacking), COUNTED) if sight.size.chunks else ():
        some = lacking[start : start + COUNTED]
        found = sight.frequencies({term: [packed(word) for word in asked[term]] for term in some})
        known.update({term: found.get(packed(term), 0) for term in some})
    return {term: known.get(term, 0) for term in asked}


def term_statistics(sight: Sight, counts: Counts, terms: Collection[str]) -> TermStatistics:
    """How many chunks in scope there are, and how many hold each term."""
    asked = {term: words for term in dict.fromkeys(terms) if (words := list(single([term])))}
    found = frequencies(sight, counts, asked)
    return TermStatistics(sight.size.chunks, {term: number for term, number in found.items() if number})


def by_vector(
    sight: Sight,
    collection: str,
    space: Space,
    vector: Vector,
    filters: Filters,
    paths: Paths,
    limit: int,
    limits: Limits,
    sampled: Callable[[], float],
) -> Leg:
    """Chunks by cosine. `sampled` tells what an unrelated file scores where too many would have to be scored."""
    total = sight.size.chunks
    lacking = sum(state.chunks - state.embedded.get(space.fingerprint, 0) for state in sight.states)
    warnings = (without_vectors(lacking),) if lacking else ()
    if not total or not collection:
        return Leg((), 0.0, sight.generation, warnings)
    question = packed_vector(vector)
    hits = () if paths.few == () else _nearest(sight, collection, question, filters, paths, limit, exact=total <= limits.exact)
    if total > limits.levels:
        return Leg(hits, sampled(), sight.generation, warnings)
    level, average, averages = _levels(sight, Near(collection, question, total + EXTRA), hits)
    return Leg(hits, level, sight.generation, warnings, averages, average)


def holding(sight: Sight, words: Collection[str]) -> tuple[str, ...]:
    """The files with a chunk that holds all of the words, in order."""
    return tuple(sorted(unpacked(path) for path in sight.holding([packed(word) for word in words])))


def _nearest(sight: Sight, collection: str, question: Any, filters: Filters, paths: Paths, limit: int, *, exact: bool) -> tuple[Hit, ...]:
    """The nearest of those that pass, wider and wider until there are enough, and none that may tie with the last is left out."""
    most = 2 * sight.size.chunks + EXTRA if exact else MOST_CANDIDATES
    wide = min(limit + EXTRA, most)
    while True:
        candidates = None if exact else min(max(wide * CONSIDERED, EXTRA), MOST_CANDIDATES)
        found = [hit_of(one, cosine(one["score"])) for one in sight.nearest(Near(collection, question, wide, candidates), filters, paths)]
        enough = len(found) > limit and found[-1].score < found[limit - 1].score - _TIE
        if enough or wide >= most or (not paths.pattern and len(found) + EXTRA // 2 < wide):
            return best(found, limit)
        wide = min(wide * 4, most)


def _levels(sight: Sight, near: Near, hits: Iterable[Hit]) -> tuple[float, float, dict[tuple[str, str], float]]:
    """What the median file scores by its best chunk and on average, and the averages of the files of hits."""
    bests, means = [], {}
    for found in sight.levels(near, Filters()):
        bests.append(cosine(found["best"]))
        means[found["_id"]["namespace_id"], unpacked(found["_id"]["file_path"])] = cosine(found["mean"])
    if not bests:
        return 0.0, 0.0, {}
    averages = {
        (hit.namespace, hit.filepath): round(mean, 6) for hit in hits if (mean := means.get((hit.namespace, hit.filepath))) is not None
    }
    return median(bests), median(round(mean, 6) for mean in means.values()), averages


def cosine(score: float) -> float:
    """The cosine of a score of MongoDB's, which is (1 + cosine) / 2 (documented with `$vectorSearch`)."""
    return 2.0 * score - 1.0


def _score(found: Mapping[str, Any], weights: Mapping[str, float], average: float) -> float:
    """BM25F of a chunk by those of its words that were asked."""
    weighted: Counter[str] = Counter()
    for name, weight in zip(FIELDS, WEIGHTS, strict=True):
        for word in found["found"].get(name) or ():
            weighted[word] += weight  # type: ignore[assignment]
    shortage = K1 * (1 - B + B * found["length"] / average) if average else K1
    return math.fsum(weights[term] * held * (K1 + 1) / (held + shortage) for term, held in _in_order(weights, weighted))


def _in_order(weights: Mapping[str, float], weighted: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    return ((term, weighted[term]) for term in weights if term in weighted)
