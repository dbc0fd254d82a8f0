"""Which words does a text consist of? One analysis for both sides, what is indexed and what is asked.

An identifier gives its parts (split at camelCase, snake_case and digits), stemmed, and itself, its parts joined by `_`, so that
`getUser` and `get_user` are one word. Accents and case are folded. Scripts without spaces give overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

import Stemmer

from clew.core.chunk import Chunk

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
# Han, kana and hangul with their extensions: written without spaces, or with endings glued to the word.
_UNSPACED = re.compile(r"[\u1100-\u11ff\u2e80-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+")
_MAX_WORD = 64
"""Longer runs are data (base64, hashes), never asked for as a whole; their head is kept."""

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
    found: list[str] = []
    for word in _split(text):
        found += _terms_of(word[:_MAX_WORD])
    return found


def query_terms(text: str) -> list[str]:
    """The terms of a question: without words that every question holds, unless there are no others."""
    kept: list[str] = []
    for word in _split(text):
        if word.lower() not in STOP_WORDS:
            kept += _terms_of(word[:_MAX_WORD])
    return kept or terms(text)


def _split(text: str) -> list[str]:
    """Runs of letters, digits and underscores; letters with separate accents are put together first, or they would end the run."""
    return _WORD.findall(text if text.isascii() else unicodedata.normalize("NFC", text))


def words(chunk: Chunk) -> Words:
    """The fields that the keyword leg weighs."""
    stem, folder = _path_words(chunk.filepath)
    last = re.split(r"[.:/]+", chunk.symbol_name)[-1] if chunk.symbol_type != "block" else ""
    return Words(
        name=" ".join(terms(last)),
        parent=" ".join(terms(chunk.parent)),
        docs=" ".join(terms(chunk.docstring)),
        body=" ".join(terms(chunk.code)),
        stem=stem,
        folder=folder,
    )


@lru_cache(maxsize=4096)
def _path_words(filepath: str) -> tuple[str, str]:
    path = PurePosixPath(filepath)
    return " ".join(terms(path.name.split(".")[0] or path.name)), " ".join(terms(" ".join(path.parts[:-1][-3:])))


@lru_cache(maxsize=400_000)
def _terms_of(word: str) -> tuple[str, ...]:
    if not word.isascii():
        return _foreign_terms(word)
    parts = _PART.findall(word)
    if len(parts) == 1:
        return (_stem(parts[0].lower()),)
    if not parts:
        return ()
    lower = [part.lower() for part in parts]
    return (*map(_stem, lower), "_".join(lower))


def _foreign_terms(word: str) -> tuple[str, ...]:
    found: list[str] = []
    position = 0
    for run in _UNSPACED.finditer(word):
        found += _folded_terms(word[position : run.start()])
        found += _pairs(unicodedata.normalize("NFKC", run.group()))
        position = run.end()
    found += _folded_terms(word[position:])
    return tuple(found)


def _folded_terms(word: str) -> tuple[str, ...]:
    """Accents and case folded: `Größe` and `groesse` stay apart, `Größe` and `große` meet."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    plain = plain.replace("ı", "i")
    if not plain or plain == "_":
        return ()
    return _terms_of(plain) if plain.isascii() else (plain.casefold(),)


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


_stemmer = Stemmer.Stemmer("english", 0)


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return word if word.isdigit() else str(_stemmer.stemWord(word))
