"""Which vectors are nearest to a question's? Exact cosine over everything alive, row by row.

`np.vecdot` and not `@`: that would hand the product to threads of BLAS, which wait for each other by spinning. On cores that are busy it
took a hundred times as long; alone, the two are equal, since memory is what both wait for.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew.stores.bm25 import PRECISION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clew.stores.embedded.docs import Flags, Numbers

_SLACK = 1e-5
"""How far a float32 product may be from the exact cosine (measured: under 1e-6): candidates this near the limit are scored again."""

_ABSENT = np.float32(-2.0)
"""Below every cosine."""

_MEAN_DECIMALS = 6
"""Decimals of a file's mean cosine: sums of float32 in another order differ in the seventh."""


class Part(NamedTuple):
    """A matrix with, for each row, its chunk, its file, and whether scope and filters let it through (None: all).

    Rows that were chosen for being near are not `typical`: they say nothing about what an unrelated chunk scores.
    `firsts` are the first rows of the files, where the rows of each file stand together.
    """

    numbers: Numbers
    files: Numbers
    matrix: NDArray[np.float32]
    seen: Flags | None
    passing: Flags | None
    typical: bool = True
    firsts: Numbers | None = None


def firsts(files: Numbers) -> Numbers | None:
    """The first row of each file; None where the rows of a file stand apart."""
    if not len(files):
        return None
    starts = np.flatnonzero(np.r_[True, files[1:] != files[:-1]])
    return starts if len(np.unique(files[starts])) == len(starts) else None


def unit(vector: NDArray[np.float32]) -> NDArray[np.float64] | None:
    """The direction in double precision; None for a vector without one."""
    wide = np.asarray(vector, np.float64)
    length = math.sqrt(wide @ wide)
    return wide / length if 0 < length < math.inf else None


class Near(NamedTuple):
    """The best chunks by cosine and all that may tie with the last of them; the median over files of their best cosine; and for each of
    their files its best chunk, that one's cosine, and the mean cosine of the file, with the median of all files' means."""

    found: list[tuple[int, float]]
    level: float
    averages: list[tuple[int, float, float]]
    average: float


def nearest(parts: Sequence[Part], question: NDArray[np.float64], limit: int) -> Near:
    """The chunks nearest to a question of length 1."""
    narrow = question.astype(np.float32)
    found: list[tuple[int, float]] = []
    averages: list[tuple[int, float, float]] = []
    seen = [_within(np.vecdot(part.matrix, narrow), part.seen) for part in parts]
    level = _middle(_best_of_files([(part, product) for part, product in zip(parts, seen, strict=True) if part.typical]))
    means = _means_of_files(list(zip(parts, seen, strict=True))) if all(part.typical for part in parts) else None
    products = [_within(product, part.passing) for product, part in zip(seen, parts, strict=True)]
    floor = _limit_score(products, limit)
    for part, product in zip(parts, products, strict=True):
        places = np.flatnonzero(product >= floor)
        cosines: NDArray[np.float64] = np.vecdot(part.matrix[places].astype(np.float64), question)
        exact = np.round(cosines, PRECISION)
        found += zip(part.numbers[places].tolist(), exact.tolist(), strict=True)
        if means is not None:
            places, exact = _bests(part.files[places], places, exact)
            averages += zip(part.numbers[places].tolist(), exact.tolist(), means[part.files[places]].tolist(), strict=True)
    return Near(found, level, averages, 0.0 if means is None else _middle(means))


def _bests(files: Numbers, places: Numbers, scores: NDArray[np.float64]) -> tuple[Numbers, NDArray[np.float64]]:
    """The best place of each file, and its score."""
    order = np.argsort(-scores, kind="stable")
    first = order[np.unique(files[order], return_index=True)[1]]
    return places[first], scores[first]


def _within(product: NDArray[np.float32], flags: Flags | None) -> NDArray[np.float32]:
    return product if flags is None else np.where(flags, product, _ABSENT)


def _limit_score(products: Sequence[NDArray[np.float32]], limit: int) -> float:
    """The score at the limit, less what the product may be wrong by."""
    everything = products[0] if len(products) == 1 else np.concatenate(products) if products else np.zeros(0, np.float32)
    lowest = float(_ABSENT) / 2 - _SLACK
    if len(everything) <= limit:
        return lowest
    return max(float(np.partition(everything, len(everything) - limit)[len(everything) - limit]) - _SLACK, lowest)


def _middle(scores: NDArray[Any]) -> float:
    """The median over files, of those that have a score."""
    alive = scores[scores > _ABSENT]
    if not len(alive):
        return 0.0
    low, high = (len(alive) - 1) // 2, len(alive) // 2
    # np.median would import numpy.ma, which costs 60 milliseconds.
    parted = np.partition(alive, (low, high))
    return float((parted[low] + parted[high]) / 2)


def _best_of_files(scored: Sequence[tuple[Part, NDArray[np.float32]]]) -> NDArray[np.float32]:
    if len(scored) == 1 and scored[0][0].firsts is not None:
        return np.maximum.reduceat(scored[0][1], scored[0][0].firsts)
    size = max((int(part.files.max(initial=0)) for part, _ in scored), default=0) + 1
    best = np.full(size, _ABSENT)
    for part, product in scored:
        np.maximum.at(best, part.files, product)
    return best


def _means_of_files(scored: Sequence[tuple[Part, NDArray[np.float32]]]) -> NDArray[np.float64]:
    """By number of a file, the mean over its chunks in scope, rounded to what a product is exact to."""
    size = max((int(part.files.max(initial=0)) for part, _ in scored), default=0) + 1
    sums, counts = np.zeros(size), np.zeros(size)
    for part, product in scored:
        if part.seen is None and part.firsts is not None:
            files = part.files[part.firsts]
            sums[files] += np.add.reduceat(product, part.firsts, dtype=np.float64)
            counts[files] += np.bincount(part.files, minlength=size)[files]
        else:
            there = slice(None) if part.seen is None else part.seen
            sums += np.bincount(part.files[there], weights=product[there], minlength=size)
            counts += np.bincount(part.files[there], minlength=size)
    return np.where(counts > 0, np.round(sums / np.maximum(counts, 1), _MEAN_DECIMALS), float(_ABSENT))
