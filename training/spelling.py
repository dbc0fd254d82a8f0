"""Where does a word part begin and end? As in the shipped embedder, whose rules these are."""

from __future__ import annotations

import re

words_in = re.compile(r"\w+", re.ASCII).findall
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+", re.ASCII)
_LONGEST = 24
"""Letters; longer parts are data, and take their pieces' rows."""


def parts_of(word: str) -> list[str]:
    """The parts of a word that may stand in a vocabulary, in small letters."""
    return [part.lower() for part in _PART.findall(word) if len(part) <= _LONGEST]
