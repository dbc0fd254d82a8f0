"""How strongly does each word of a question stand for each word of a schema?"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from clew.search.schema.index import Floats, SchemaIndex
from clew.search.schema.vocabulary import abbreviations, cues, related, synonyms
from clew.search.schema.weights import Weights
from clew.search.schema.words import Asked


class Matches(NamedTuple):
    """A row for each word (or cue) of the question that stands for anything: `strengths[row, word]`; `is_exact` where the word itself is meant."""

    words: tuple[str, ...]
    strengths: Floats
    exact: Floats
    importance: Floats


def match(asked: Asked, index: SchemaIndex, weights: Weights) -> Matches:
    """The strengths of all words of a question in an index."""
    rows: list[tuple[str, dict[int, float], float]] = []
    for word in asked.words:
        found = _of_word(word, index, weights)
        if found:
            importance = weights.quoted if word in asked.quoted else weights.formulaic if word in asked.formulaic else 1.0
            rows.append((word, found, importance))
    for cue in asked.cues:
        found = {number: weights.cue for stem in cues()[cue] for number, own in index.keys.get(stem, ()) if own}
        if found:
            rows.append((cue, found, 1.0))
    strengths = np.zeros((len(rows), len(index.words)), dtype=np.float32)
    for row, (_, found, _) in enumerate(rows):
        strengths[row, list(found)] = list(found.values())
    exact = np.where(strengths >= weights.abbreviation, strengths, 0).astype(np.float32)
    return Matches(tuple(row[0] for row in rows), strengths, exact, np.asarray([row[2] for row in rows], dtype=np.float32))


def _of_word(word: str, index: SchemaIndex, weights: Weights) -> dict[int, float]:
    found: dict[int, float] = {}
    for stem, strength in _stand_ins(word, weights):
        for number, own in index.keys.get(stem, ()):
            value = strength if own else min(strength, weights.abbreviation * strength)
            if value > found.get(number, 0.0):
                found[number] = value
    if not found:
        return {index.words[other]: share * weights.fuzzy for other, share in index.spellings.like(word).items()}
    return found


@lru_cache(maxsize=50_000)
def _stand_ins(word: str, weights: Weights) -> tuple[tuple[str, float], ...]:
    """The word itself, what it is short for, its synonyms and relatives."""
    found = {word: 1.0}
    for long in abbreviations().get(word, ()):
        found.setdefault(long, weights.abbreviation)
    for other in synonyms().get(word, ()):
        found.setdefault(other, weights.synonym)
    for others, strength in zip(related(word), (weights.sense, weights.wider, weights.kind), strict=True):
        for other in others:
            found[other] = max(strength, found.get(other, 0.0))
    return tuple(found.items())
