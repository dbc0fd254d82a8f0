"""In which order does a model that reads question and code together put what was found? A pool of lines in, those of the answer out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.core.answer import Question
from clew.errors import ClewError
from clew.search.question import read
from clew.search.router import intent_of
from clew.search.tiers import TIERS

if TYPE_CHECKING:
    from clew.core.protocols import Reranker
    from clew.search.searcher import Found

NO_RERANKER = "reranking was asked for and no reranker is configured: the order is the one of the search itself"
UNRERANKED = "not reranked: {}: the order is the one of the search itself"
BY_ITSELF = frozenset(["refactor", "security audit"])
"""Intents for which a set reranker is asked unasked: a place that is missed there costs more than a second's wait."""
_SHOWN = 200
"""Characters of somebody else's failure that a warning repeats."""


class Reranking:
    """A reranker that is loaded when it is first asked, over so many lines, for so many seconds. `unasked`: also for questions that ask for every
    place, not only where it is asked for by name."""

    def __init__(self, load: Callable[[], Reranker], pool: int, seconds: float, *, unasked: bool) -> None:
        self._load = load
        self._pool = pool
        self._seconds = seconds
        self._unasked = unasked

    def pool_for(self, question: Question) -> int:
        """How many lines are to be found for this question; 0 where it is not to be reranked."""
        wanted = question.rerank or (self._unasked and question.mode not in TIERS and intent_of(read(question.text)).name in BY_ITSELF)
        return self._pool if wanted else 0

    def reordered(self, question: Question, found: Found) -> Found:
        """The best lines of the pool, as many as the answer had; where the model does not answer, the answer as it was and a warning."""
        there = {one.chunk.id for one in found.pool}
        pool = (*found.pool, *(one for one in found.ranked if one.chunk.id not in there))
        if len(pool) <= 1:
            return found
        try:
            reranker = self._load()
            name = reranker.name
            scores = [float(one) for one in reranker.relevance(question.text, [one.chunk.text for one in pool], self._seconds)]
            if len(scores) != len(pool) or not all(map(math.isfinite, scores)):
                raise ValueError("it did not give every text a score")
        except ClewError as fault:
            return _as_it_was(found, f"{fault.message} ({fault.hint})" if fault.hint else fault.message)
        except Exception as fault:  # noqa: BLE001 - a provider may fail in any way; an answer must not
            return _as_it_was(found, f"{type(fault).__name__}: {fault}"[:_SHOWN])
        order = sorted(range(len(pool)), key=lambda place: (-scores[place], place))[: len(found.ranked)]
        said = [f"reranked by {name}: {scores[place]:.3g}, was {_ordinal(place + 1)}" for place in order]
        ranked = (
            # The place in the answer has the score: how sure it is of itself is not the reranker's to say.
            replace(pool[place], score=before.score, reasons=(*pool[place].reasons, why))
            for place, before, why in zip(order, found.ranked, said, strict=True)
        )
        return replace(found, ranked=tuple(ranked), reasons=(*found.reasons, f"reranked by {name}, the best of {len(pool)}"))


def reranked(reranking: Reranking | None, question: Question, found: Found) -> Found:
    """The answer in the reranker's order, where that was asked for, or is to be; else as it was, and if it was asked for, why."""
    if found.pool and reranking is not None:
        return reranking.reordered(question, found)
    if not question.rerank:
        return found
    if reranking is None:
        return replace(found, warnings=(*found.warnings, NO_RERANKER))
    if found.ranked:
        return _as_it_was(found, f"an answer of mode {found.mode} has an order of its own")
    return found


def _as_it_was(found: Found, why: str) -> Found:
    return replace(found, warnings=(*found.warnings, UNRERANKED.format(why)))


def _ordinal(place: int) -> str:
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"
