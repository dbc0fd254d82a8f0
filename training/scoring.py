"""How good is a table on packages that it has not seen? The right text among all of its package's, MRR@10, for each kind of question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DEPTH = 10
KINDS = ("docs", "name", "comment", "test", "readme", "file", "change")


def reciprocal_ranks(questions: NDArray[np.float32], texts: NDArray[np.float32], same: NDArray[np.int64]) -> NDArray[np.float64]:
    """1 / rank of each question's own text (or its twin) among the distinct texts, 0 beyond the tenth."""
    _, first, number = np.unique(same, return_index=True, return_inverse=True)
    scores = questions @ texts[first].T
    own = scores[np.arange(len(scores)), number]
    ranks = 1 + (scores > own[:, None]).sum(axis=1)
    return np.where(ranks <= DEPTH, 1 / ranks, 0.0)


def by_kind(kinds: Sequence[str], ranks: NDArray[np.float64]) -> dict[str, float]:
    """The mean of each kind of question."""
    found: dict[str, list[float]] = defaultdict(list)
    for kind, rank in zip(kinds, ranks.tolist(), strict=True):
        found[kind].append(rank)
    return {kind: sum(found[kind]) / len(found[kind]) for kind in KINDS if kind in found}
