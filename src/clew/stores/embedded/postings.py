"""How are keyword scores computed from arrays? The postings of every chunk in the snapshot, scored by FTS5's formula."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clew.stores.bm25 import K1, WEIGHTS, B

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from clew.core.words import Words
    from clew.stores.embedded.docs import Numbers

_PART_CHARACTERS = 12_000_000
"""Characters of terms gathered before they are summed: 25,000 chunks, some 60 MB while that is done."""


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
        self._waiting: list[tuple[int, Words]] = []
        self._size = 0
        self.gathered: set[int] = set()
        self._parts: list[Part] = []

    def add(self, found: Iterable[tuple[int, Words]]) -> None:
        """Take in the words of chunks by number."""
        for number, texts in found:
            self._waiting.append((number, texts))
            self._size += sum(map(len, texts))
            self.gathered.add(number)
            if self._size >= _PART_CHARACTERS:
                self._sum()

    def parts(self) -> list[Part]:
        """Everything that was gathered."""
        self._sum()
        return self._parts

    def _sum(self) -> None:
        if self._waiting:
            numbers = np.array([number for number, _ in self._waiting], np.int64)
            self._parts.append(Part(_summed(*_told_apart(self._waiting), len(numbers)), numbers))
        self._waiting, self._size = [], 0


def _told_apart(found: Sequence[tuple[int, Words]]) -> tuple[list[bytes], Numbers, NDArray[np.int32]]:
    """All terms; the number of each that occurs, field after field, chunk after chunk; and how many each field has, shape (chunks, fields).

    Arrow splits and numbers in a third of the time that dictionaries take.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    fields = pa.array([text.encode() for _, texts in found for text in texts], pa.binary())
    split = pc.split_pattern(fields, b" ")
    terms = split.flatten().dictionary_encode()
    known, numbers = terms.dictionary.to_pylist(), terms.indices.to_numpy().astype(np.int64)
    owners = np.repeat(np.arange(len(fields)), split.value_lengths().to_numpy())
    if b"" in known:  # what an empty field is split into, and what stands between two blanks
        there = numbers != known.index(b"")
        numbers, owners = numbers[there], owners[there]
    return known, numbers, np.bincount(owners, minlength=len(fields)).reshape(-1, len(WEIGHTS)).astype(np.int32)


def _summed(terms: Sequence[bytes], found: Numbers, lengths: NDArray[np.int32], chunks: int) -> Postings:
    """Occurrences summed by term and chunk, each by the weight of its field."""
    fields = np.repeat(np.tile(np.arange(len(WEIGHTS)), chunks), lengths.reshape(-1))
    places = np.repeat(np.arange(chunks), lengths.sum(axis=1))
    order = sorted(range(len(terms)), key=terms.__getitem__)
    ranks = np.zeros(len(terms), np.int64)
    ranks[order] = np.arange(len(terms))
    keys = np.sort(((ranks[found] * chunks + places) << 3) | fields)
    pairs, counted = keys >> 3, _UNITS[keys & 7]
    firsts = np.flatnonzero(np.r_[True, pairs[1:] != pairs[:-1]]) if len(pairs) else pairs
    summed = np.add.reduceat(counted, firsts) if len(pairs) else counted
    which, docs = np.divmod(pairs[firsts], chunks)
    counts = np.bincount(which, minlength=len(terms))
    weights = (summed * _UNIT).astype(np.float32)
    known = [terms[n] for n in order]
    used = np.flatnonzero(counts)
    return packed([known[n] for n in used.tolist()], counts[used], docs.astype(np.int32), weights, lengths.sum(axis=1, dtype=np.int32))


def packed(
    terms: Sequence[bytes], counts: Numbers, docs: NDArray[np.int32], weights: NDArray[np.float32], lengths: NDArray[np.int32]
) -> Postings:
    """Postings of terms in order, each with as many entries as `counts` says."""
    ends = np.cumsum([len(term) for term in terms], dtype=np.int64)
    return Postings(np.frombuffer(b"".join(terms), np.uint8), ends, starting(counts), docs, weights, lengths, {})


def starting(counts: Numbers) -> Numbers:
    """Where each of so many things begins, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
