"""How strongly does each word of a question stand for each word of a schema?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew.search.schema.index import Floats, Places, SchemaIndex
from clew.search.schema.vocabulary import abbreviations, cues, related, synonyms
from clew.search.schema.weights import Weights
from clew.search.schema.words import A_DATE, A_NAME, A_PERIOD, A_YEAR, Asked

_TIMES = frozenset((A_YEAR, A_DATE, A_PERIOD, "when", "since", "until", "earliest", "latest", "newest", "recent", "recently"))
"""Cues that only a time answers."""
_MOST_KEPT = 20_000
"""Words of questions that are remembered."""


class Matches(NamedTuple):
    """A row for each word (or cue) of the question that stands for anything: `strengths[row, word]`, `exact` of the same word alone;
    `importance` of each row for columns, `of_tables` for tables (a cue says what is asked of a thing, not which thing); `is_dated` when a time is asked for."""

    words: tuple[str, ...]
    strengths: Floats
    exact: Floats
    importance: Floats
    of_tables: Floats
    is_dated: bool


class Matcher:
    """The words of one index, as questions may call them."""

    def __init__(self, index: SchemaIndex, weights: Weights) -> None:
        self._index = index
        self._weights = weights
        self._kept: dict[str, tuple[Places, Floats]] = {}

    def match(self, asked: Asked) -> Matches:
        """The strengths of all words of a question."""
        weights = self._weights
        rows: list[tuple[str, tuple[Places, Floats], float, float]] = []
        for word in asked.words:
            found = self._of_word(word)
            if len(found[0]):
                counts = weights.quoted if word in asked.quoted else weights.formulaic if word in asked.formulaic else 1.0
                rows.append((word, found, counts, counts))
        for cue in asked.cues:
            found = self._of_cue(cue)
            if len(found[0]):
                rows.append((cue, found, 1.0, weights.cue_of_table))
        strengths = np.zeros((len(rows), len(self._index.words)), dtype=np.float32)
        for row, (_, (numbers, values), _, _) in enumerate(rows):
            strengths[row, numbers] = values
        exact = np.where(strengths >= weights.abbreviation, strengths, np.float32(0))
        of_columns, of_tables = (np.asarray([row[at] for row in rows], dtype=np.float32) for at in (2, 3))
        return Matches(tuple(row[0] for row in rows), strengths, exact, of_columns, of_tables, not _TIMES.isdisjoint(asked.cues))

    def _of_word(self, word: str) -> tuple[Places, Floats]:
        if word not in self._kept:
            if len(self._kept) > _MOST_KEPT:
                self._kept.clear()
            self._kept[word] = _arrays(self._found(word))
        return self._kept[word]

    def _of_cue(self, cue: str) -> tuple[Places, Floats]:
        weights = self._weights
        strength = {A_NAME: weights.literal, A_YEAR: weights.moment, A_DATE: weights.moment, A_PERIOD: weights.moment}.get(cue, weights.cue)
        return _arrays({number: strength for stem in cues()[cue] for number, is_own in self._index.keys.get(stem, ()) if is_own})

    def _found(self, word: str) -> dict[int, float]:
        """Word of the schema -> strength."""
        index, weights = self._index, self._weights
        found: dict[int, float] = {}
        for stem, strength in self._stand_ins(word).items():
            for number, is_own in index.keys.get(stem, ()):
                value = strength if is_own else strength * weights.abbreviation
                found[number] = max(value, found.get(number, 0.0))
        if not found:
            return {index.words[other]: share * weights.fuzzy for other, share in index.spellings.like(word).items()}
        return found

    def _stand_ins(self, word: str) -> dict[str, float]:
        """The word itself, what it is short for, its synonyms and relatives."""
        weights = self._weights
        found = {word: 1.0}
        for long in abbreviations().get(word, ()):
            found.setdefault(long, weights.abbreviation)
        for other in synonyms().get(word, ()):
            found.setdefault(other, weights.synonym)
        for others, strength in zip(related(word), (weights.sense, weights.wider, weights.kind), strict=True):
            for other in others:
                found[other] = max(strength, found.get(other, 0.0))
        return found


def _arrays(found: dict[int, float]) -> tuple[Places, Floats]:
    return np.asarray(list(found), dtype=np.int32), np.asarray(list(found.values()), dtype=np.float32)
