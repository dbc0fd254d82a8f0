"""Where does a word part begin and end? As in the shipped embedder, whose rules these are."""

from __future__ import annotations

from clew.adapters.embedders.word_parts import PART, WORD

words_in = WORD.findall
_LONGEST = 24
"""Letters; longer parts are data, and take their pieces' rows."""


def parts_of(word: str) -> list[str]:
    """The parts of a word that may stand in a vocabulary, in small letters."""
    return [part.lower() for part in PART.findall(word) if len(part) <= _LONGEST]
