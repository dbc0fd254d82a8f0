"""Which values in the question are known values of a column? `Alameda` stands in no name, and in the samples of the county's column."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from clew.core.schema.folding import LONGEST, folded
from clew.core.schema.protocols import Proposal, SchemaValues
from clew.core.words import STOP_WORDS
from clew.search.schema.index import SchemaIndex
from clew.search.schema.words import MAX_TEXT, name_words

MOST_WORDS = 200
"""Words of a question that are looked for among kept values: with all that stand beside each other 1,200 keys."""
SURENESS = 2.0
"""How much more a kept value says than a sample: all of a column's are known, so those of other columns are known not to be it."""


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


def held(question: str, literals: Sequence[str], index: SchemaIndex, values: SchemaValues) -> tuple[Value, ...]:
    """The same of values that are kept apart. A word that names a table or column is a value only in quotes or capitals. Raises ClewError."""
    marked = {word for literal in literals for word in folded(literal)}
    words = folded(question[:MAX_TEXT])[:MOST_WORDS]
    keys: dict[str, int] = {}
    for length in range(min(LONGEST, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            part = words[start : start + length]
            if length > 1 or (_can_be_value(part[0], marked) and (part[0] in marked or _is_no_name(part[0], index))):
                keys.setdefault(" ".join(part), length)
    holders: dict[str, dict[int, str]] = defaultdict(dict)
    for one in values.holding(tuple(keys), tuple(entry.snapshot.datasource for entry in index.entries)):
        place = index.find(Proposal(one.datasource, "column", one.schema_name, one.table, one.column, 1.0))
        if place is not None:
            holders[one.key][place] = one.text
    found: dict[int, Value] = {}
    for key, length in keys.items():
        strength = SURENESS * math.log1p(len(index.columns) / max(1, len(holders[key]))) * min(2, length)
        for place, text in holders[key].items():
            if place not in found or found[place].strength < strength:
                found[place] = Value(place, strength, text)
    return tuple(found.values())


def _is_no_name(word: str, index: SchemaIndex) -> bool:
    return all(stem not in index.words for stem in name_words(word))


def _can_be_value(word: str, marked: set[str]) -> bool:
    if word in STOP_WORDS or len(word) < 2:
        return False
    return word in marked or not word.isdigit()


def _words(text: str) -> list[str]:
    return [word for part in text.split() for word in name_words(part)]
