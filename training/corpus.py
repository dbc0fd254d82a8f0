"""What is learned from, as arrays? The pairs of all packages as sparse rows over one vocabulary, with their neighbours."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from clew.adapters.embedders.static import header_of
from clew.adapters.embedders.word_parts import WordParts
from training.bags import Spelled, Texts, bags, vocabulary
from training.batches import neighbours
from training.harvest import mined
from training.packages import Package

NEIGHBOURS = 3
FEWEST_PACKAGES = 2
"""A part that fewer packages hold is a name of theirs."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A row for each pair, those of one package together: its question, its text, the text's number and its package's."""

    asked: csr_array
    texts: Texts
    same: NDArray[np.int64]
    owners: NDArray[np.int32]
    kinds: tuple[str, ...]
    packages: tuple[Package, ...]

    def of(self, number: int) -> slice:
        """The pairs of one package."""
        start, end = np.searchsorted(self.owners, (number, number + 1))
        return slice(int(start), int(end))

    def neighbours(self) -> list[NDArray[np.int32]]:
        """For each package, each pair's nearest wrong texts by BM25."""
        places = map(self.of, range(len(self.packages)))
        return [neighbours(self.asked[place], self.texts.whole[place], NEIGHBOURS) for place in places]


@dataclass(slots=True)
class Read:
    """The pairs of all packages before a vocabulary is chosen."""

    asked: Spelled
    texts: Spelled
    paths: Spelled
    names: Spelled
    same: list[int]
    owners: list[int]
    kinds: list[str]
    packages: list[Package]


def read(packages: Sequence[Package], folder: Path) -> Read:
    """All pairs, spelled out."""
    found = Read(Spelled(), Spelled(), Spelled(), Spelled(), [], [], [], [])
    for one in mined(packages, folder):
        for pair in one.pairs:
            found.asked.add(pair.query)
            found.texts.add(pair.text)
            path, name = header_of(pair.text)
            found.paths.add(path)
            found.names.add(name)
            found.same.append(int.from_bytes(hashlib.blake2b(pair.text.encode("utf-8", "replace"), digest_size=7).digest(), "big"))
            found.owners.append(len(found.packages))
            found.kinds.append(pair.kind)
        found.packages.append(one.package)
    return found


def vocabulary_of(found: Read, size: int) -> list[str]:
    """The word parts of questions and texts that most packages hold."""
    owners = np.array(found.owners, np.int32)
    return vocabulary((found.asked, found.texts), (owners, owners), size, FEWEST_PACKAGES)


def corpus(found: Read, parts: Sequence[str]) -> Corpus:
    """The pairs as rows over a vocabulary; those of which one side holds no known part are left out."""
    splitter = WordParts(parts)
    asked = bags(found.asked, splitter)
    texts = Texts(*(bags(one, splitter) for one in (found.texts, found.paths, found.names)))
    full = np.flatnonzero((np.diff(asked.indptr) > 0) & (np.diff(texts.whole.indptr) > 0))
    return Corpus(
        asked[full],
        texts[full],
        np.array(found.same, np.int64)[full],
        np.array(found.owners, np.int32)[full],
        tuple(found.kinds[place] for place in full.tolist()),
        tuple(found.packages),
    )


def frequencies(one: Corpus) -> NDArray[np.float64]:
    """The share of the texts that hold each part."""
    return np.bincount(one.texts.whole.indices, minlength=one.texts.whole.shape[1]) / one.texts.whole.shape[0]
