"""Which tables say the same? Maximal marginal relevance (Carbonell and Goldstein, 1998) over a pool, so that copies of one table do not fill an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

RELEVANCE: Final = 0.7
"""Lambda: what relevance counts; the rest is what likeness to an earlier table takes away."""
POOL: Final = 4
"""Times the limit, the candidates that are looked at."""


def diverse(scores: Sequence[float], contents: Sequence[frozenset[str]], limit: int) -> list[int]:
    """Positions in the order of answering; `scores` fall, likeness is the share of contents in common (Jaccard). Deterministic: of equals the first."""
    pool = list(range(min(len(scores), POOL * limit)))
    if not pool or scores[0] <= 0:
        return pool[:limit]
    likest = [0.0] * len(pool)
    chosen: list[int] = []
    while pool and len(chosen) < limit:
        best = max(pool, key=lambda one: (RELEVANCE * scores[one] / scores[0] - (1 - RELEVANCE) * likest[one], -one))
        pool.remove(best)
        chosen.append(best)
        for one in pool:
            likest[one] = max(likest[one], _alike(contents[best], contents[one]))
    return chosen


def _alike(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right) if left and right else 0.0
