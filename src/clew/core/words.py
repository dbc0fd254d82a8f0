"""Which words does a text consist of? One analysis for both sides, what is indexed and what is asked.

An identifier gives its parts (split at camelCase, snake_case and digits), stemmed, and itself, its parts joined by `_`, so that
`getUser` and `get_user` are one word. Accents and case are folded. Scripts without spaces give overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

import Stemmer

from clew.core.chunk import Chunk

# Of ASCII, what is no letter, digit or underscore as a blank: replacing and splitting takes half the time of an expression.
_BLANKED = "".join(chr(code) if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128))
# In text beyond ASCII, vowel signs and accents that stand apart belong to the word.
_FOREIGN_WORD = re.compile(
    r"(?:\w[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0981-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u102b-\u109d\u17b4-\u17d3]*+)++"
)
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
# Han, kana and hangul with their extensions, Thai, Lao, Burmese and Khmer: written without spaces, or with endings glued to the word.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u2e80-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_MAX_WORD = 64
"""Longer runs are data (base64, hashes), never asked for as a whole; their head is kept."""
_MOST_WORDS = 400_000
"""Words whose terms are kept, 60 MB; a million lines of Python hold half as many."""
_MAX_RUN = 1000
"""The same for scripts without spaces, where a whole sentence is one run."""
# Letters that Unicode does not decompose, as they are written where they are missing.
_PLAIN = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "ı": "i", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}
)

STOP_WORDS = frozenset(
    "a about all an and any are as at be been being but by can could did do does doing for from had has have how i if in into is it its "
    "me my of on or our please should show so some than that the their them then there these they this those to us use used using was we "
    "were what when where which while who why will with within would you your find code implement implemented implementation work works".split()
)


class Words(NamedTuple):
    """A chunk's words by field, each a string of terms separated by blanks."""

    name: str
    parent: str
    docs: str
    body: str
    stem: str
    folder: str


def terms(text: str) -> list[str]:
    """The terms of a text, in order, repeated as often as they occur."""
    return _joined(text).split(" ")[1:]


def query_terms(text: str) -> list[str]:
    """The terms of a question: without words that every question holds, unless there are no others."""
    kept = [word for word in _split(text) if word.lower() not in STOP_WORDS]
    return list(chain.from_iterable(map(_terms_of_any, kept))) or terms(text)


def _joined(text: str) -> str:
    """The terms of a text with a blank before each. Words are kept with their terms joined: lists of terms cost twice as much."""
    if text.isascii():
        return "".join(map(_ascii_words.__getitem__, text.translate(_BLANKED).split()))
    return "".join([f" {term}" for word in _split(text) for term in _terms_of_any(word)])


def _split(text: str) -> list[str]:
    """Runs of letters, digits and underscores; letters with separate accents are put together first."""
    return text.translate(_BLANKED).split() if text.isascii() else _FOREIGN_WORD.findall(unicodedata.normalize("NFC", text))


def words(chunk: Chunk) -> Words:
    """The fields that the keyword leg weighs."""
    stem, folder = _path_words(chunk.filepath)
    last = re.split(r"[.:/]+", chunk.symbol_name)[-1] if chunk.symbol_type != "block" else ""
    return Words(
        name=_joined(last)[1:],
        parent=_joined(chunk.parent)[1:] if chunk.parent else "",
        docs=_joined(chunk.docstring)[1:] if chunk.docstring else "",
        body=_joined(chunk.code)[1:],
        stem=stem,
        folder=folder,
    )


@lru_cache(maxsize=4096)
def _path_words(filepath: str) -> tuple[str, str]:
    path = PurePosixPath(filepath)
    return _joined(path.name.split(".")[0] or path.name)[1:], _joined(" ".join(path.parts[:-1][-3:]))[1:]


def _terms_of_any(word: str) -> tuple[str, ...]:
    if word.isascii():
        return _terms_of(word[:_MAX_WORD])
    return _foreign_terms(word) if len(word) <= _MAX_WORD else _terms_of_foreign(word[:_MAX_RUN])


class _AsciiWords(dict[str, str]):
    """The terms of every word seen so far, each with a blank before it."""

    def __missing__(self, word: str) -> str:
        if len(word) > _MAX_WORD:
            return self[word[:_MAX_WORD]]
        if len(self) > _MOST_WORDS:
            self.clear()
        self[word] = found = "".join([f" {term}" for term in _made(word)])
        return found


_ascii_words = _AsciiWords()


def _terms_of(word: str) -> tuple[str, ...]:
    return tuple(_ascii_words[word].split())


def _made(word: str) -> tuple[str, ...]:
    parts = _PART.findall(word)
    if len(parts) == 1:
        return (_stem(parts[0].lower()),)
    if not parts:
        return ()
    lower = [part.lower() for part in parts]
    return (*map(_stem, lower), "_".join(lower))


def _terms_of_foreign(word: str) -> tuple[str, ...]:
    found: list[str] = []
    position = 0
    for run in _UNSPACED.finditer(word):
        found += _folded_terms(word[position : run.start()])
        found += _pairs(unicodedata.normalize("NFKC", run.group()))
        position = run.end()
    found += _folded_terms(word[position:])
    return tuple(found)


_foreign_terms = lru_cache(maxsize=100_000)(_terms_of_foreign)


def _folded_terms(word: str) -> tuple[str, ...]:
    """Accents and case folded: `Größe` and `groesse` stay apart, `Größe` and `große` meet."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)).translate(_PLAIN)
    if plain.isascii():
        return _terms_of(plain[:_MAX_WORD])
    parts = [part.casefold() for part in _camel_parts(plain)]
    return (*parts, "_".join(parts)) if len(parts) > 1 else tuple(parts)


def _camel_parts(word: str) -> list[str]:
    """Split at `_` and where a capital follows a small letter, in any script."""
    borders = [0, *(i for i in range(1, len(word)) if word[i].isupper() and word[i - 1].islower()), len(word)]
    return [part for start, end in pairwise(borders) for part in word[start:end].split("_") if part]


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


_stemmer = Stemmer.Stemmer("english", 0)


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return word if word.isdigit() else str(_stemmer.stemWord(word))
