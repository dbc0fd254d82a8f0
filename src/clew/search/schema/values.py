"""Which values in the question are known values of a column? `Alameda` stands in no name, and in the samples of the county's column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from clew.core.words import STOP_WORDS
from clew.search.schema.index import SchemaIndex
from clew.search.schema.words import MAX_TEXT, name_words

LONGEST = 6
"""Words of the longest value that is looked for as a whole."""


class Value(NamedTuple):
    """A column that holds a value of the question; `strength` falls with the number of columns that hold it."""

    column: int
    strength: float
    text: str


def grounded(question: str, literals: Sequence[str], index: SchemaIndex) -> tuple[Value, ...]:
    """The columns that hold what the question names, each with its best value. A word of the language alone is a value only in quotes or capitals."""
    if not index.whole_values:
        return ()
    marked = {word for literal in literals for word in _words(literal)}
    words = _words(question[:MAX_TEXT])
    found: dict[int, Value] = {}
    for length in range(min(LONGEST, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            part = tuple(words[start : start + length])
            places = index.whole_values.get(part)
            if not places or (length == 1 and not _can_be_value(part[0], marked)):
                continue
            strength = math.log1p(len(index.columns) / len(places)) * min(2, length)
            for place in places:
                if place not in found or found[place].strength < strength:
                    found[place] = Value(place, strength, " ".join(part))
    return tuple(found.values())


def _can_be_value(word: str, marked: set[str]) -> bool:
    if word in STOP_WORDS or len(word) < 2:
        return False
    return word in marked or not word.isdigit()


def _words(text: str) -> list[str]:
    return [word for part in text.split() for word in name_words(part)]
