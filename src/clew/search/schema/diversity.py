"""Which tables say the same? Maximal marginal relevance (Carbonell and Goldstein, 1998) over a pool, so that copies of one table do not fill an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

RELEVANCE: Final = 0.7
"""Lambda: what relevance counts; the rest is what likeness to an earlier table takes away."""
POOL: Final = 4
"""Times the limit, the candidates that are looked at."""


SHARPNESS: Final = 4
"""Power of likeness: half of the columns in common is no copy (at 1 it costs a question needing two such tables 3 points of pooled full@5)."""


class Contents(NamedTuple):
    """What a table is compared by: its datasource's place, its name's words and its columns."""

    datasource: int
    names: frozenset[str]


def diverse(scores: Sequence[float], contents: Sequence[Contents], limit: int) -> list[int]:
    """Positions in the order of answering; `scores` fall. Deterministic: of equals the first."""
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


def _alike(left: Contents, right: Contents) -> float:
    """The share of names in common (Jaccard), sharpened; tables of two databases are no copies of each other."""
    if left.datasource != right.datasource or not left.names or not right.names:
        return 0.0
    return float((len(left.names & right.names) / len(left.names | right.names)) ** SHARPNESS)
