"""Which pairs stand in a batch together? Runs of one package, in which neighbours by BM25 are near each other: wrong answers that look right."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

BATCH, RUN = 1024, 256
_FLOCK = 4
"""A question, and the questions of three texts that BM25 takes for its answer."""
_COMMON = 0.08
"""A part in more of a package's texts than this tells nothing apart, and costs the most time."""
_K1, _B = 1.2, 0.75
_WARM = 0.04
"""Of all batches, over which the rate rises; then it falls linearly."""
_AT_ONCE = 2_000


def neighbours(asked: csr_array, texts: csr_array, count: int) -> NDArray[np.int32]:
    """For each question of one package the places of the `count` best texts by BM25 that are not its own; -1 where there are fewer."""
    found = np.full((asked.shape[0], count), -1, np.int32)
    if not len(texts.data):
        return found
    holders = np.bincount(texts.indices, minlength=texts.shape[1])
    rarity = np.log(1 + (texts.shape[0] - holders + 0.5) / (holders + 0.5)).astype(np.float32)
    rarity[holders > max(_COMMON * texts.shape[0], 20)] = 0
    times = np.exp(texts.data - 1)
    lengths = np.add.reduceat(times, texts.indptr[:-1])
    each = np.repeat(lengths / lengths.mean(), np.diff(texts.indptr))
    weighed = csr_array(
        (times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * each)) * rarity[texts.indices], texts.indices, texts.indptr), shape=texts.shape
    )
    weighed.eliminate_zeros()
    by_part = weighed.T.tocsr()
    binary = csr_array((np.ones(len(asked.data), np.float32), asked.indices, asked.indptr), shape=asked.shape)
    for start in range(0, asked.shape[0], _AT_ONCE):
        scores = (binary[start : start + _AT_ONCE] @ by_part).toarray()
        own = np.arange(len(scores))
        scores[own, start + own] = 0
        best = np.argpartition(-scores, min(count, scores.shape[1] - 1), axis=1)[:, :count]
        kept = np.take_along_axis(scores, best, axis=1) > 0
        found[start : start + _AT_ONCE, : best.shape[1]] = np.where(kept, best, -1)
    return found


def flocked(near: NDArray[np.int32], chance: np.random.Generator) -> NDArray[np.int64]:
    """All places of one package, in an order in which a question is followed by the questions of texts near to it."""
    left = np.ones(len(near), bool)
    order: list[int] = []
    for place in chance.permutation(len(near)).tolist():
        if left[place]:
            flock = [place, *(other for other in near[place].tolist() if other >= 0 and other != place and left[other])][:_FLOCK]
            left[flock] = False
            order += flock
    return np.array(order, np.int64)


def batches(
    owners: NDArray[np.int32], near: list[NDArray[np.int32]], epochs: float, seed: int
) -> Iterator[tuple[float, NDArray[np.int64]]]:
    """(share of the learning rate, places) of each batch. `owners` tells each pair's package, whose pairs stand together;
    `near` holds each package's neighbours."""
    chance = np.random.default_rng(seed)
    starts = np.searchsorted(owners, np.arange(len(near) + 1))
    total = int(epochs * len(owners) / BATCH)
    done = 0
    while done < total:
        runs = []
        for number, some in enumerate(near):
            order = flocked(some, chance) + starts[number]
            runs += [order[place : place + RUN] for place in range(0, len(order), RUN)]
        mixed = np.concatenate([runs[place] for place in chance.permutation(len(runs))])
        for place in range(0, len(mixed) - BATCH + 1, BATCH):
            if done == total:
                return
            share = min(1.0, (done + 1) / (_WARM * total)) * (1 - done / total)
            done += 1
            yield share, mixed[place : place + BATCH]
