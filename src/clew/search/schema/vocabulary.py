"""Which words stand for others? Abbreviations, synonyms and cues of our own, and WordNet's relations; data files beside this one.

`related_words.txt` comes from WordNet 3.0 (its licence lies beside it) by bench/related_words.py; the other three are written by hand.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cache
from pathlib import Path

from clew.core.words import terms

_FOLDER = Path(__file__).parent


def is_known(stem: str) -> bool:
    """True for the stem of an English word, or one of our own lists'."""
    return bool(_related_line(stem)) or stem in _own_words()


@cache
def abbreviations() -> dict[str, tuple[str, ...]]:
    """Stem of a short form -> stems of what it may stand for."""
    return {_stems(line.split()[:1])[0]: tuple(_stems(line.split()[1:])) for line in _lines("abbreviations.txt")}


@cache
def synonyms() -> dict[str, frozenset[str]]:
    """Stem -> stems that business language uses for it; the first word of a line is next to all others, those only to it."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in _lines("synonyms.txt"):
        head, *others = _stems(line.split())
        for other in others:
            if other != head:
                found[head].add(other)
                found[other].add(head)
    return {word: frozenset(others) for word, others in found.items()}


@cache
def cues() -> dict[str, tuple[str, ...]]:
    """A word of a question as it is written -> stems of what it asks for."""
    return {line.split()[0]: tuple(_stems(line.split()[1:])) for line in _lines("cues.txt")}


def related(stem: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """WordNet's: words of one usual meaning; of one meaning, or made of each other; a kind of the other."""
    line = _related_line(stem)
    if not line:
        return ((), (), ())
    first, second, third = line.split("\t")[1:4]
    return (tuple(first.split()), tuple(second.split()), tuple(third.split()))


def _related_line(stem: str) -> str:
    lines = _related_lines()
    at = bisect_left(lines, stem + "\t")
    return lines[at] if at < len(lines) and lines[at].startswith(stem + "\t") else ""


@cache
def _related_lines() -> list[str]:
    return _lines("related_words.txt")


@cache
def _own_words() -> frozenset[str]:
    return frozenset((*synonyms(), *abbreviations(), *(word for words in abbreviations().values() for word in words)))


def _lines(name: str) -> list[str]:
    return (_FOLDER / name).read_text(encoding="ascii").splitlines()


def _stems(words: list[str]) -> list[str]:
    return [terms(word)[0] for word in words]
