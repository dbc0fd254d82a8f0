"""Which words do a name of a schema, a description and a question consist of?

Names are split as code is (camelCase, snake_case, digits) and stemmed; names written together (`gasstations`) are cut into known words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from clew.core.words import STOP_WORDS, terms
from clew.search.schema.phrases import plain
from clew.search.schema.vocabulary import cues, is_known

MAX_TEXT = 4_000
"""Characters of a question that are read, and of a description: what is longer is pasted, and its head says what it is about."""
MAX_WORDS = 64
"""Distinct words of a question that are looked for."""
_SHORTEST_PART = 3
"""Letters of the shortest part of a name that is cut: two-letter words would cut everything."""
_ENDINGS = frozenset(("id", "no", "nr"))
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_QUOTED = re.compile(r"\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|`([^`\n]{1,80})`|(?<!\w)'([^'\n]{1,80})'(?!\w)")
_CAPITALS = re.compile(r"(?<![.?!:]\s)(?<!^)\b[A-Z][\w'&.-]*(?: (?:(?:of|the|de|la|and|&) )?[A-Z][\w'&.-]*)*")
_MONTHS_AND_WORDS = frozenset(("may", "march"))
"""Months only with a capital."""
_OWNED = re.compile(r"(?<=\w)['’](?:s|t|re|ve|ll|d)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\ds?\b")
_DATE = re.compile(r"\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b")
A_NAME, A_YEAR, A_DATE, A_PERIOD = "(name)", "(year)", "(date)", "(period)"
"""Cues that are no words: something stands in quotes or capitals, and may be what a column of names holds; a year, a date, `last month`."""
_STOP_WORDS = STOP_WORDS - {"code", "work", "works"}
"""Questions about code hold those everywhere; here they are names."""
_FORMULAIC = frozenset(
    terms(
        "list give tell show return find display many much please number total name each every different distinct all maximum minimum max min "
        "average mean sum count most least highest lowest largest smallest greatest fewest more less fewer made make have get got take taken per"
    )
)
"""Words of a question that say what to do with the answer; they are looked for, and count less (`Weights.formulaic`)."""


_NO_WORDS: frozenset[str] = frozenset()


class Asked(NamedTuple):
    """A question's distinct words, stemmed, in order, each with how much it counts; `cues` hint only (`who`: a name); `literals` are what
    stands in quotes, in capitals inside a sentence, or is a number: possible values."""

    words: tuple[str, ...]
    cues: tuple[str, ...]
    literals: tuple[str, ...]
    formulaic: frozenset[str]
    quoted: frozenset[str]


def name_words(name: str) -> tuple[str, ...]:
    """The stems of a name, in order."""
    return _name_words(name[:200])


@lru_cache(maxsize=200_000)
def _name_words(name: str) -> tuple[str, ...]:
    if not name.isascii():
        return tuple(term for term in terms(name) if "_" not in term)
    return tuple(stem for part in _PART.findall(name) for stem in _cut(part.lower()))


def text_words(text: str) -> frozenset[str]:
    """The stems of a description, without words that every sentence holds."""
    if not text:  # that of most columns
        return _NO_WORDS
    return frozenset(term for term in terms(text[:MAX_TEXT]) if "_" not in term and term not in _STOP_WORDS)


def asked(question: str) -> Asked:
    """What a question asks for."""
    text = question[:MAX_TEXT]
    found: dict[str, None] = {}
    hints: dict[str, None] = {}
    bare = plain(text)
    for raw in _raw_words(bare.text):
        lower = raw.lower()
        if lower in cues() and (lower not in _MONTHS_AND_WORDS or raw != lower):
            hints[lower] = None
        if lower not in _STOP_WORDS:
            found.update(dict.fromkeys(name_words(raw)))
    if bare.is_dated:
        hints[A_PERIOD] = None
    if _YEAR.search(text):
        hints[A_YEAR] = None
    if _DATE.search(text):
        hints[A_DATE] = None
    quoted = [one for groups in _QUOTED.findall(text) for one in groups if one]
    literals = dict.fromkeys((*quoted, *_CAPITALS.findall(text), *re.findall(r"\b\d[\w.-]*", text)))
    if quoted or _CAPITALS.search(text):
        hints[A_NAME] = None
    words = tuple(found)[:MAX_WORDS]
    if not words:
        words = tuple(dict.fromkeys(term for term in terms(text) if "_" not in term))[:MAX_WORDS]
    return Asked(words, tuple(hints), tuple(literals), _FORMULAIC, frozenset(term for one in quoted for term in name_words(one)))


def _raw_words(text: str) -> list[str]:
    return re.findall(r"\w+", _OWNED.sub("", text))


@lru_cache(maxsize=100_000)
def _cut(word: str) -> tuple[str, ...]:
    """The stem of a word, or of the two known words it is written together of, the longest head first."""
    stem = _stem(word)
    if len(word) < 2 * _SHORTEST_PART - 1 or not word.isalpha() or is_known(stem) or is_known(word):
        return (stem,)
    for as_written in (True, False):  # `pit stops` before `pits tops`
        for end in range(len(word) - 2, _SHORTEST_PART - 1, -1):
            head, rest = _stem(word[:end]), word[end:]
            if (head == word[:end]) is as_written and is_known(head) and _ends(rest):
                return (head, _stem(rest))
    return (stem,)


def _ends(rest: str) -> bool:
    return rest in _ENDINGS or (len(rest) >= _SHORTEST_PART and is_known(_stem(rest)))


def _stem(word: str) -> str:
    return terms(word)[0]
