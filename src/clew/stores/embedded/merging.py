"""How do the postings of some chunks, part by part, become those of all? By ranges of terms, so that memory stays bounded.

An index of a million chunks has 80 million entries. The parts hold them in eight bytes each; beside those there is only one range at a time.
"""

from __future__ import annotations

import heapq
from itertools import pairwise
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew.stores.embedded.arrays import Streamed
from clew.stores.embedded.postings import starting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from clew.stores.embedded.docs import Numbers
    from clew.stores.embedded.postings import Part

_RANGE_ENTRIES = 4_000_000
"""Entries merged at a time: 150 MB while they are sorted."""
_BLOCK_BYTES = 2**23


class _Terms(NamedTuple):
    """The terms of all parts in order of their bytes, and for each part where its own terms stand among them."""

    blob: NDArray[np.uint8]
    sizes: Numbers
    ranks: list[Numbers]


def merged(parts: Sequence[Part], numbers: Numbers, aside: Path) -> dict[str, Streamed]:
    """The postings of these living chunks, whose words the parts must hold between them, as arrays to be written in this order.

    Chunks that are not among `numbers` are left out, and so is a chunk that an earlier part had. Weights wait in a file in the folder `aside`.
    """
    terms = _united(parts)
    places = _places(parts, numbers)
    lengths = np.zeros(len(numbers), np.int32)
    for part, (found, there) in zip(parts, places, strict=True):
        lengths[found[there]] = part.postings.lengths[there]
    counts = np.zeros(len(terms.sizes), np.int64)
    waiting = TemporaryFile(dir=aside)  # noqa: SIM115 - closed by whoever reads it last

    def docs() -> Iterator[NDArray[np.int32]]:
        for first, last in _ranges(parts, terms):
            which, found, weights = _range(parts, terms, places, first, last)
            counts[first:last] = np.bincount(which, minlength=last - first)
            waiting.write(weights.data)
            yield found

    def weights() -> Iterator[NDArray[np.float32]]:
        with waiting:
            waiting.seek(0)
            while raw := waiting.read(_BLOCK_BYTES):
                yield np.frombuffer(raw, np.float32)

    def later(make: Callable[[], NDArray[Any]]) -> Iterator[NDArray[Any]]:
        yield make()

    return {
        "docs": Streamed("<i4", 0, docs()),
        "weights": Streamed("<f4", 0, weights()),
        "blob": Streamed("|u1", 0, later(lambda: terms.blob[np.repeat(counts > 0, terms.sizes)])),
        "ends": Streamed("<i8", 0, later(lambda: np.cumsum(terms.sizes[counts > 0], dtype=np.int64))),
        "starts": Streamed("<i8", 0, later(lambda: starting(counts[counts > 0]))),
        "lengths": Streamed("<i4", 0, later(lambda: lengths)),
    }


def _united(parts: Sequence[Part]) -> _Terms:
    blob = bytearray()
    sizes: list[int] = []
    ranks = [np.zeros(len(part.postings.ends), np.int64) for part in parts]
    last = None
    for term, which, place in heapq.merge(*(_terms_of(part, which) for which, part in enumerate(parts))):
        if term != last:
            blob += term
            sizes.append(len(term))
            last = term
        ranks[which][place] = len(sizes) - 1
    return _Terms(np.frombuffer(blob, np.uint8), np.array(sizes, np.int64), ranks)


def _terms_of(part: Part, which: int) -> Iterator[tuple[bytes, int, int]]:
    blob, start = part.postings.blob.tobytes(), 0
    for place, end in enumerate(part.postings.ends.tolist()):
        yield blob[start:end], which, place
        start = end


def _places(parts: Sequence[Part], numbers: Numbers) -> list[tuple[NDArray[np.int32], NDArray[np.bool_]]]:
    """For each part, where its chunks stand among `numbers`, and which of them do, and did not in an earlier part."""
    taken = np.zeros(len(numbers) + 1, np.bool_)
    taken[-1] = True
    made = []
    for part in parts:
        found = np.searchsorted(numbers, part.numbers)
        known = numbers[np.minimum(found, len(numbers) - 1)] == part.numbers if len(numbers) else np.zeros(len(found), np.bool_)
        there = known & ~taken[found]
        taken[found[there]] = True
        made.append((found.astype(np.int32), there))
    return made


def _ranges(parts: Sequence[Part], terms: _Terms) -> Iterator[tuple[int, int]]:
    """Ranges of terms with about so many entries."""
    counts = np.zeros(len(terms.sizes), np.int64)
    for part, ranks in zip(parts, terms.ranks, strict=True):
        counts[ranks] += np.diff(part.postings.starts)
    steps = np.cumsum(counts) // _RANGE_ENTRIES
    bounds = [0, *(np.flatnonzero(np.diff(steps)) + 1).tolist(), len(counts)]
    yield from pairwise(bounds)


def _range(
    parts: Sequence[Part], terms: _Terms, places: Sequence[tuple[NDArray[np.int32], NDArray[np.bool_]]], first: int, last: int
) -> tuple[Numbers, NDArray[np.int32], NDArray[np.float32]]:
    """The entries of a range of terms, in order: the term, counted from the first, the chunk's place, and the weight."""
    keys, weights = [], []
    size = max((int(found.max(initial=0)) for found, _ in places), default=0) + 1
    for part, ranks, (found, there) in zip(parts, terms.ranks, places, strict=True):
        begin, end = np.searchsorted(ranks, (first, last))
        starts = part.postings.starts[begin : end + 1]
        entries = slice(int(starts[0]), int(starts[-1]))
        docs = part.postings.docs[entries]
        kept = there[docs]
        which = np.repeat(ranks[begin:end] - first, np.diff(starts))[kept]
        keys.append(which * size + found[docs[kept]])
        weights.append(part.postings.weights[entries][kept])
    key, weight = np.concatenate([np.zeros(0, np.int64), *keys]), np.concatenate([np.zeros(0, np.float32), *weights])
    order = np.argsort(key, kind="stable")
    which, docs = np.divmod(key[order], size)
    return which, docs.astype(np.int32), weight[order]
