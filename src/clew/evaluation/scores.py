"""How good are the answers of each way to search? Means over questions, with an interval for the one that matters most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from clew.evaluation.asked import KINDS, Asked
from clew.evaluation.reading import Read

ALL = "all"
_NORMAL = 1.96
"""Standard errors on both sides of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Score:
    """One row of the table: `right_first` is the share of questions whose first file is right, `low` and `high` its 95 % interval;
    `mrr` the mean reciprocal rank over ten files, `recall` the share of right files met within the budget, `tokens` the mean cost."""

    kind: str
    mode: str
    questions: int
    right_first: float
    low: float
    high: float
    mrr: float
    recall: float
    tokens: float


def table(asked: Sequence[Asked], read: Sequence[dict[str, Read]]) -> list[Score]:
    """A row for each mode, over all questions and, where there are several kinds, over each."""
    kinds = [kind for kind in KINDS if any(one.kind == kind for one in asked)]
    rows = []
    for kind in (ALL, *(kinds if len(kinds) > 1 else ())):
        chosen = [modes for one, modes in zip(asked, read, strict=True) if kind in (ALL, one.kind)]
        rows += [_score(kind, mode, [modes[mode] for modes in chosen]) for mode in (chosen[0] if chosen else ())]
    return rows


def _score(kind: str, mode: str, read: Sequence[Read]) -> Score:
    count = len(read)
    first = sum(one.rank == 1 for one in read)
    low, high = wilson(first, count)
    return Score(
        kind=kind,
        mode=mode,
        questions=count,
        right_first=first / count,
        low=low,
        high=high,
        mrr=sum(1 / one.rank for one in read if one.rank) / count,
        recall=sum(one.recall for one in read) / count,
        tokens=sum(one.tokens for one in read) / count,
    )


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share (E. B. Wilson, 1927)."""
    share, square = hits / count, _NORMAL**2
    middle = share + square / (2 * count)
    spread = _NORMAL * math.sqrt(share * (1 - share) / count + square / (4 * count**2))
    return (middle - spread) / (1 + square / count), (middle + spread) / (1 + square / count)
