"""How does the table learn? By telling, in each batch, which text answers which question (symmetric InfoNCE), with Adam."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from clew.adapters.embedders.static import NAME_SHARE, PATH_SHARE
from training.bags import Texts

TEMPERATURE = 0.1
"""Of .05, .07 and .1 over 1.5 epochs: .315, .320, .320 on the packages kept out, .746, .743, .751 on repositories."""
RATE, QUERY_RATE = 2e-3, 5e-3
DROPPED_ASKED, DROPPED_TEXT = 0.15, 0.4
"""Parts left out of each question and text in each batch: without, the table learns them by heart."""
_BETA1, _BETA2, _TINY = 0.9, 0.999, 1e-8
_HIDDEN = -1e9
_SHARES = (np.float32(1), np.float32(PATH_SHARE), np.float32(NAME_SHARE))


@dataclass(slots=True)
class Table:
    """A row for each word part, and the logarithm of its weight in a question."""

    rows: NDArray[np.float32]
    query: NDArray[np.float32]

    def texts(self, bags: Texts) -> NDArray[np.float32]:
        """Vectors of length 1, with the shares of path and name as in the embedder."""
        return _unit(sum(share * _unit(bag @ self.rows)[0] for share, bag in zip(_SHARES, bags.layers, strict=True)))[0]

    def questions(self, bags: csr_array) -> NDArray[np.float32]:
        """Vectors of length 1, the parts weighted as in a question."""
        return _unit(bags @ (self.rows * np.exp(self.query)[:, None]))[0]


class Adam:
    """Adam on those rows of an array that a batch touches."""

    def __init__(self, values: NDArray[np.float32]) -> None:
        self._values = values
        self._mean, self._square = np.zeros_like(values), np.zeros_like(values)

    def step(self, rows: NDArray[np.int64], gradient: NDArray[np.float32], rate: float, number: int) -> None:
        mean = self._mean[rows]
        mean += (1 - _BETA1) * (gradient - mean)
        self._mean[rows] = mean
        square = self._square[rows]
        gradient *= gradient
        square += (1 - _BETA2) * (gradient - square)
        self._square[rows] = square
        scale = np.float32(rate * np.sqrt(1 - _BETA2**number) / (1 - _BETA1**number))
        np.sqrt(square, out=square)
        square += np.float32(_TINY)
        mean /= square
        mean *= scale
        self._values[rows] -= mean


def learn(
    table: Table, asked: csr_array, texts: Texts, same: NDArray[np.int64], batches: Iterator[tuple[float, NDArray[np.int64]]], seed: int
) -> Iterator[float]:
    """Change the table in place, a batch at a time; yields each batch's loss. A batch is (share of the rate, places of pairs);
    `same` numbers the texts, of which equal ones are not each other's wrong answers."""
    chance = np.random.default_rng(seed)
    rows, query = Adam(table.rows), Adam(table.query)
    for number, (share, places) in enumerate(batches, 1):
        left = _dropped(asked[places], DROPPED_ASKED, chance)
        layers = [_dropped(one, DROPPED_TEXT, chance) for one in texts[places].layers]
        touched, (left, *layers) = _compacted(left, *layers)
        weights = np.exp(table.query[touched])
        own = table.rows[touched]
        weighted = own * weights[:, None]
        units = [_unit(one @ own) for one in layers]
        whole = sum(part * unit for part, (unit, _) in zip(_SHARES, units, strict=True))
        loss, to_left, to_right = _contrast(left @ weighted, whole, same[places])
        from_left = left.T @ to_left
        query.step(touched, np.einsum("ij,ij->i", from_left, weighted), QUERY_RATE * share, number)
        from_left *= weights[:, None]
        for part, one, (unit, size) in zip(_SHARES, layers, units, strict=True):
            from_left += one.T @ _through_unit(part * to_right, unit, size)
        rows.step(touched, from_left, RATE * share, number)
        yield loss


def _contrast(
    left: NDArray[np.float32], right: NDArray[np.float32], same: NDArray[np.int64]
) -> tuple[float, NDArray[np.float32], NDArray[np.float32]]:
    """The loss, and its gradients by the sums that make up questions and texts."""
    a, a_size = _unit(left)
    b, b_size = _unit(right)
    scores = a @ b.T
    scores /= np.float32(TEMPERATURE)
    twins = same[:, None] == same[None, :]
    np.fill_diagonal(twins, False)
    scores[twins] = _HIDDEN
    across, down = _softmax(scores, 1), _softmax(scores, 0)
    right_ones = np.arange(len(a))
    loss = -float(np.log(across[right_ones, right_ones] + 1e-12).mean() + np.log(down[right_ones, right_ones] + 1e-12).mean()) / 2
    across += down
    across[right_ones, right_ones] -= 2
    across /= np.float32(2 * len(a) * TEMPERATURE)
    return loss, _through_unit(across @ b, a, a_size), _through_unit(across.T @ a, b, b_size)


def _softmax(scores: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    lifted = np.exp(scores - scores.max(axis=axis, keepdims=True))
    lifted /= lifted.sum(axis=axis, keepdims=True)
    return lifted


def _unit(sums: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    sizes = np.linalg.norm(sums, axis=1, keepdims=True) + np.float32(1e-6)
    return sums / sizes, sizes


def _through_unit(gradient: NDArray[np.float32], unit: NDArray[np.float32], size: NDArray[np.float32]) -> NDArray[np.float32]:
    gradient -= unit * np.einsum("ij,ij->i", gradient, unit)[:, None]
    gradient /= size
    return gradient


def _dropped(bags: csr_array, share: float, chance: np.random.Generator) -> csr_array:
    """The rows without a random share of their parts."""
    kept = chance.random(len(bags.data), np.float32) >= share
    before = np.concatenate(([0], np.cumsum(kept)))
    return csr_array((bags.data[kept], bags.indices[kept], before[bags.indptr]), shape=bags.shape)


def _compacted(*bags: csr_array) -> tuple[NDArray[np.int64], list[csr_array]]:
    """The columns in use, and the same rows over these alone."""
    used = np.zeros(bags[0].shape[1], bool)
    for bag in bags:
        used[bag.indices] = True
    touched = np.flatnonzero(used)
    places = np.zeros(len(used), np.int32)
    places[touched] = np.arange(len(touched), dtype=np.int32)
    return touched, [csr_array((bag.data, places[bag.indices], bag.indptr), shape=(bag.shape[0], len(touched))) for bag in bags]
