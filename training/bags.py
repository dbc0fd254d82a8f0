"""How do pairs become numbers? Each text a sparse row of word parts, as the shipped embedder would count them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from clew.adapters.embedders.word_parts import WordParts
from training.spelling import parts_of, words_in


@dataclass(slots=True)
class Spelled:
    """Texts as numbers of words, whatever the vocabulary will be. `words` are all spellings, by number."""

    words: list[str] = field(default_factory=list)
    numbers: array[int] = field(default_factory=lambda: array("i"))
    ends: array[int] = field(default_factory=lambda: array("q"))
    _known: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> None:
        known = self._known
        for word in words_in(text):
            number = known.get(word)
            if number is None:
                number = known[word] = len(self.words)
                self.words.append(word)
            self.numbers.append(number)
        self.ends.append(len(self.numbers))

    def __len__(self) -> int:
        return len(self.ends)


@dataclass(frozen=True, slots=True)
class Texts:
    """A row for each text: all of it, and once more its path's and its name's parts alone, as the embedder takes them."""

    whole: csr_array
    path: csr_array
    name: csr_array

    @property
    def layers(self) -> tuple[csr_array, csr_array, csr_array]:
        return self.whole, self.path, self.name

    def __getitem__(self, places: NDArray[np.int64] | slice) -> Texts:
        return Texts(self.whole[places], self.path[places], self.name[places])


def vocabulary(spelled: Sequence[Spelled], packages: Sequence[NDArray[np.int32]], size: int, fewest_packages: int) -> list[str]:
    """The word parts found in most packages, those found often first. `packages` tells each text's package."""
    owners: dict[str, set[int]] = {}
    counts: dict[str, int] = {}
    for one, owner in zip(spelled, packages, strict=True):
        numbers = np.frombuffer(one.numbers, np.int32).astype(np.int64)
        lengths = np.diff(np.frombuffer(one.ends, np.int64), prepend=0)
        pairs, times = np.unique(numbers * 4096 + np.repeat(owner, lengths), return_counts=True)
        for key, count in zip(pairs.tolist(), times.tolist(), strict=True):
            for part in set(parts_of(one.words[key >> 12])):
                owners.setdefault(part, set()).add(key & 4095)
                counts[part] = counts.get(part, 0) + count
    usual = [part for part, where in owners.items() if len(where) >= fewest_packages]
    return sorted(usual, key=lambda part: (-len(owners[part]), -counts[part], part))[:size]


def bags(spelled: Spelled, parts: WordParts) -> csr_array:
    """A row for each text: 1 + ln of how often each part occurs, float32."""
    rows = [parts.rows(word) for word in spelled.words]
    sizes = np.array([len(one) for one in rows], np.int64)
    flat = np.fromiter(chain.from_iterable(rows), np.int32, int(sizes.sum()))
    starts = np.cumsum(sizes) - sizes
    numbers = np.frombuffer(spelled.numbers, np.int32)
    columns = flat[_ranges(starts[numbers], sizes[numbers])]
    before = np.concatenate(([0], np.cumsum(sizes[numbers])))
    ends = before[np.frombuffer(spelled.ends, np.int64)]
    counted = csr_array((np.ones(len(columns), np.float32), columns, np.concatenate(([0], ends))), shape=(len(spelled), len(parts)))
    counted.sum_duplicates()
    counted.data = 1 + np.log(counted.data)
    return counted


def _ranges(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """start, start + 1, … of each, one after the other."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - sizes), sizes)


def spelled_out(texts: Iterable[str]) -> Spelled:
    """The texts as numbers of words."""
    found = Spelled()
    for text in texts:
        found.add(text)
    return found
