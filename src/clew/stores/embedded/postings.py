"""How are keyword scores computed from arrays? The postings of every chunk in the snapshot, scored by FTS5's formula."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clew.stores.bm25 import K1, WEIGHTS, B

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from clew.core.words import Words
    from clew.stores.embedded.docs import Flags, Numbers

_PART_TERMS = 2_000_000
"""Occurrences gathered before they are summed: 25,000 chunks, 50 MB."""


class Postings(NamedTuple):
    """For each term, in order of its bytes, the places of the chunks that hold it and its weighted count there."""

    blob: NDArray[np.uint8]
    ends: Numbers
    starts: Numbers
    docs: NDArray[np.int32]
    weights: NDArray[np.float32]
    lengths: NDArray[np.int32]

    def of(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The places and weighted counts of one term."""
        wanted = term.encode()
        place = bisect_left(range(len(self.ends)), wanted, key=self.term)
        if place == len(self.ends) or self.term(place) != wanted:
            return self.docs[:0], self.weights[:0]
        start, end = self.starts[place], self.starts[place + 1]
        return self.docs[start:end], self.weights[start:end]

    def term(self, place: int) -> bytes:
        """The term at a place, in UTF-8."""
        return self.blob[self.ends[place - 1] if place else 0 : self.ends[place]].tobytes()


def scores(postings: Postings, weights: Mapping[str, float], average: float) -> NDArray[np.float64]:
    """Each chunk's score; `weights` are the terms' idf times how often each was asked."""
    total = np.zeros(len(postings.lengths))
    shortage = shortages(postings.lengths, average)
    for term, weight in weights.items():
        docs, counted = postings.of(term)
        held = counted.astype(np.float64)
        total[docs] += weight * (held * (K1 + 1.0)) / (held + shortage[docs])
    return total


def shortages(lengths: NDArray[np.int32], average: float) -> NDArray[np.float64]:
    """The part of BM25 that depends on a chunk's length alone."""
    return np.asarray(K1 * (1.0 - B + B * lengths / average), np.float64) if average else np.full(len(lengths), K1)


class Part(NamedTuple):
    """Some chunks' postings in order of term number, then chunk."""

    terms: Sequence[str]
    which: NDArray[np.int32]
    chunks: Numbers
    weights: NDArray[np.float32]
    numbers: Numbers
    lengths: NDArray[np.int32]


class Gathering:
    """Collects the words of chunks and sums them, part by part, so that memory stays bounded."""

    def __init__(self) -> None:
        self._terms: dict[str, int] = {}
        self._numbers: list[int] = []
        self._flat = array("i")
        self._lengths = array("i")
        self.gathered: set[int] = set()
        self._parts: list[Part] = []

    def add(self, found: Iterable[tuple[int, Words]]) -> None:
        """Take in the words of chunks by number."""
        terms = self._terms
        for number, texts in found:
            for text in texts:
                words = text.split()
                self._flat.extend([terms.setdefault(word, len(terms)) for word in words])
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
        flat = np.frombuffer(self._flat, np.int32).astype(np.int64)
        keys = np.sort(((flat * len(numbers) + places) << 3) | fields)
        pairs, counted = keys >> 3, np.array(WEIGHTS, np.float32)[keys & 7]
        firsts = np.flatnonzero(np.r_[True, pairs[1:] != pairs[:-1]]) if len(pairs) else np.zeros(0, np.int64)
        summed = np.add.reduceat(counted, firsts).astype(np.float32) if len(pairs) else counted
        pairs = pairs[firsts]
        chunks = numbers[pairs % len(numbers)]
        self._parts.append(
            Part(list(self._terms), (pairs // len(numbers)).astype(np.int32), chunks, summed, numbers, lengths.sum(axis=1, dtype=np.int32))
        )
        self._terms, self._numbers, self._flat, self._lengths = {}, [], array("i"), array("i")


def part_of(postings: Postings, numbers: Numbers, alive: Flags) -> Part:
    """What a snapshot's postings still say about living chunks; `numbers` are its chunks."""
    counts = np.diff(postings.starts)
    which = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    keep = alive[postings.docs]
    terms = [postings.term(place).decode() for place in range(len(postings.ends))]
    return Part(terms, which[keep], numbers[postings.docs[keep]], postings.weights[keep], numbers[alive], postings.lengths[alive])


def joined(parts: Sequence[Part], numbers: Numbers) -> Postings:
    """The postings of these living chunks, whose words the parts must hold between them; further chunks are left out."""
    terms = sorted({term.encode() for part in parts for term in part.terms})
    rank = {term: place for place, term in enumerate(terms)}
    lengths = np.zeros(len(numbers), np.int32)
    keys, weights = [], []
    for part in parts:
        places, known = _places(numbers, part.numbers)
        lengths[places] = part.lengths[known]
        ranks = np.array([rank[term.encode()] for term in part.terms], np.int64)
        at, kept = _places(numbers, part.chunks)
        keys.append(ranks[part.which[kept]] * max(len(numbers), 1) + at)
        weights.append(part.weights[kept])
    key = np.concatenate(keys) if keys else np.zeros(0, np.int64)
    order = np.argsort(key, kind="stable")
    key = key[order]
    held = np.concatenate(weights)[order] if weights else np.zeros(0, np.float32)
    return _packed(terms, key // max(len(numbers), 1), (key % max(len(numbers), 1)).astype(np.int32), held, lengths)


def _packed(
    terms: Sequence[bytes], which: Numbers, docs: NDArray[np.int32], weights: NDArray[np.float32], lengths: NDArray[np.int32]
) -> Postings:
    counts = np.bincount(which, minlength=len(terms))
    used = np.flatnonzero(counts)
    kept = [terms[place] for place in used.tolist()]
    ends = np.cumsum([len(term) for term in kept], dtype=np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts[used], dtype=np.int64)])
    return Postings(np.frombuffer(b"".join(kept), np.uint8), ends, starts, docs, weights, lengths)


def _places(numbers: Numbers, wanted: Numbers) -> tuple[Numbers, Flags]:
    """Where the wanted numbers stand, of those that are there, and which are."""
    found = np.searchsorted(numbers, wanted)
    there = numbers[np.minimum(found, len(numbers) - 1)] == wanted if len(numbers) else np.zeros(len(wanted), np.bool_)
    return found[there], there
