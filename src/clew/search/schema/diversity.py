"""Which tables say the same? Maximal marginal relevance (Carbonell and Goldstein, 1998) over a pool, so that copies of one table do not fill an answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import inf
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
    """Positions in the order of answering; `scores` fall. Deterministic: of equals the first. Tables of two databases are no copies of each other."""
    size = min(len(scores), POOL * limit)
    if not size or scores[0] <= 0:
        return list(range(size))[:limit]
    values = [RELEVANCE * scores[one] / scores[0] for one in range(size)]
    relevance = values.copy()
    of_datasource: dict[int, list[int]] = defaultdict(list)
    for one in range(size):
        of_datasource[contents[one].datasource].append(one)
    chosen: list[int] = []
    while len(chosen) < min(limit, size):
        best = values.index(max(values))
        values[best] = -inf
        chosen.append(best)
        for one in of_datasource[contents[best].datasource]:
            if values[one] > -inf:
                values[one] = min(values[one], relevance[one] - (1 - RELEVANCE) * _alike(contents[best].names, contents[one].names))
    return chosen


def _alike(left: frozenset[str], right: frozenset[str]) -> float:
    """The share of names in common (Jaccard), sharpened."""
    shared = len(left & right)
    return float((shared / (len(left) + len(right) - shared)) ** SHARPNESS) if shared else 0.0
