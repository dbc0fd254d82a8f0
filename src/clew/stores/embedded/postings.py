"""How are keyword scores computed from arrays? The postings of every chunk in the snapshot, scored by FTS5's formula."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clew.stores.bm25 import K1, WEIGHTS, B

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from clew.core.words import Words
    from clew.stores.embedded.docs import Numbers

_PART_TERMS = 2_000_000
"""Occurrences gathered before they are summed: 25,000 chunks, 50 MB."""


_MOST_FOUND = 10_000
"""Terms whose places are remembered: those of some thousand questions."""
_UNIT = 0.25
"""Weights are multiples of this."""

_UNITS = np.rint(np.array(WEIGHTS) / _UNIT).astype(np.int64)


class Postings(NamedTuple):
    """For each term, in order of its bytes, the places of the chunks that hold it and its weighted count there.

    `found` remembers where the terms stand that were asked for.
    """

    blob: NDArray[np.uint8]
    ends: Numbers
    starts: Numbers
    docs: NDArray[np.int32]
    weights: NDArray[np.float32]
    lengths: NDArray[np.int32]
    found: dict[str, tuple[int, int]]

    def of(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The places and weighted counts of one term."""
        if term not in self.found:
            if len(self.found) >= _MOST_FOUND:
                self.found.clear()
            self.found[term] = self._span(term.encode())
        start, end = self.found[term]
        return self.docs[start:end], self.weights[start:end]

    def _span(self, wanted: bytes) -> tuple[int, int]:
        place = bisect_left(range(len(self.ends)), wanted, key=self.term)
        if place == len(self.ends) or self.term(place) != wanted:
            return 0, 0
        return int(self.starts[place]), int(self.starts[place + 1])

    def term(self, place: int) -> bytes:
        """The term at a place, in UTF-8."""
        return self.blob[self.ends[place - 1] if place else 0 : self.ends[place]].tobytes()


def scores(postings: Postings, weights: Mapping[str, float], shortage: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each chunk's score; `weights` are the terms' idf times how often each was asked, `shortage` is what `shortages` gives."""
    total = np.zeros(len(postings.lengths))
    for term, weight in weights.items():
        docs, counted = postings.of(term)
        held = counted.astype(np.float64)
        total[docs] += weight * (held * (K1 + 1.0)) / (held + shortage[docs])
    return total


def shortages(lengths: NDArray[np.int32], average: float) -> NDArray[np.float64]:
    """The part of BM25 that depends on a chunk's length alone."""
    return np.asarray(K1 * (1.0 - B + B * lengths / average), np.float64) if average else np.full(len(lengths), K1)


class Part(NamedTuple):
    """Some chunks' postings; `numbers` are the chunks that the places stand for, ascending."""

    postings: Postings
    numbers: Numbers


class Gathering:
    """Collects the words of chunks and sums them, part by part, so that memory stays bounded."""

    def __init__(self) -> None:
        self._terms = _numbering()
        self._numbers: list[int] = []
        self._flat = array("i")
        self._lengths = array("i")
        self.gathered: set[int] = set()
        self._parts: list[Part] = []

    def add(self, found: Iterable[tuple[int, Words]]) -> None:
        """Take in the words of chunks by number."""
        for number, texts in found:
            number_of = self._terms.__getitem__
            for text in texts:
                words = text.split()
                self._flat.extend(map(number_of, words))
                self._lengths.append(len(words))
            self._numbers.append(number)
            self.gathered.add(number)
            if len(self._flat) >= _PART_TERMS:
                self._sum()

    def parts(self) -> list[Part]:
        """Everything that was gathered."""
        self._sum()
        return self._parts

    def _sum(self) -> None:
        if not self._numbers:
            return
        numbers = np.array(self._numbers, np.int64)
        lengths = np.frombuffer(self._lengths, np.int32).reshape(-1, len(WEIGHTS))
        fields = np.repeat(np.tile(np.arange(len(WEIGHTS)), len(numbers)), lengths.reshape(-1))
        places = np.repeat(np.arange(len(numbers)), lengths.sum(axis=1))
        terms = [term.encode() for term in self._terms]
        order = sorted(range(len(terms)), key=terms.__getitem__)
        ranks = np.zeros(len(terms), np.int64)
        ranks[order] = np.arange(len(terms))
        flat = ranks[np.frombuffer(self._flat, np.int32)]
        keys = np.sort(((flat * len(numbers) + places) << 3) | fields)
        pairs, counted = keys >> 3, _UNITS[keys & 7]
        firsts = np.flatnonzero(np.r_[True, pairs[1:] != pairs[:-1]]) if len(pairs) else pairs
        summed = np.add.reduceat(counted, firsts) if len(pairs) else counted
        which, docs = np.divmod(pairs[firsts], len(numbers))
        counts = np.bincount(which, minlength=len(terms))
        weights = (summed * _UNIT).astype(np.float32)
        self._parts.append(
            Part(packed([terms[n] for n in order], counts, docs.astype(np.int32), weights, lengths.sum(axis=1, dtype=np.int32)), numbers)
        )
        self._terms, self._numbers, self._flat, self._lengths = _numbering(), [], array("i"), array("i")


def _numbering() -> defaultdict[str, int]:
    """Gives each new term the next number."""
    terms: defaultdict[str, int] = defaultdict()
    terms.default_factory = terms.__len__
    return terms


def packed(
    terms: Sequence[bytes], counts: Numbers, docs: NDArray[np.int32], weights: NDArray[np.float32], lengths: NDArray[np.int32]
) -> Postings:
    """Postings of terms in order, each with as many entries as `counts` says."""
    ends = np.cumsum([len(term) for term in terms], dtype=np.int64)
    return Postings(np.frombuffer(b"".join(terms), np.uint8), ends, starting(counts), docs, weights, lengths, {})


def starting(counts: Numbers) -> Numbers:
    """Where each of so many things begins, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
