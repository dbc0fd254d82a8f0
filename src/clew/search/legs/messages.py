"""Which chunks say what a program said? The text of a message, whatever values were put into it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from clew.core.protocols import ChunkStore
from clew.core.words import query_terms
from clew.errors import ClewError
from clew.search.legs import Look
from clew.search.legs.names import Definition

MESSAGE_TERMS = 16
"""Terms of a message that are searched, its rarest."""
MESSAGE_CHUNKS = 12
"""Chunks whose text is compared: those with the message's rarest words; the one that says it is nearly always among them."""
MESSAGE_LENGTH = 40
"""Words of a message that are compared."""
RUN = 3
"""Words in a row that two texts must share: two are in any text about the same thing."""
HALF_SAID = 0.5
"""Share of a message that must stand in a text: the rest may be values."""

_WORD = re.compile(r"[^\W_]+")


class Said(NamedTuple):
    """What was found by messages, and what could not be searched."""

    definitions: tuple[Definition, ...] = ()
    warnings: tuple[str, ...] = ()


def by_messages(store: ChunkStore, look: Look, weights: Mapping[str, float]) -> Said:
    """The chunks whose text holds a message of the question; on failure none, and a warning that says so."""
    try:
        return Said(tuple(found for message in look.query.messages for found in _saying(store, look, message, weights)))
    except (ClewError, OSError) as fault:
        return Said(warnings=(f"messages were not searched: {fault}",))


def _saying(store: ChunkStore, look: Look, message: str, weights: Mapping[str, float]) -> list[Definition]:
    terms = tuple(sorted(dict.fromkeys(query_terms(message)), key=lambda term: -weights.get(term, 0.0))[:MESSAGE_TERMS])
    hits = store.keywords(look.scope, terms, look.filters, MESSAGE_CHUNKS).hits
    chunks = store.chunks(look.scope, [hit.key for hit in hits])
    words = _words(message)[:MESSAGE_LENGTH]
    said = [(hit, _share(message, words, chunks[hit.key].code)) for hit in hits if hit.key in chunks]
    return [
        Definition(hit, message, share, whole=share == 1 and look.query.shape != "report", kind="message")
        for hit, share in said
        if share >= HALF_SAID
    ]


def _share(message: str, words: Sequence[str], code: str) -> float:
    """How much of a message a chunk holds; a short one it holds to the letter or not at all."""
    return said_share(words, _words(code)) if len(words) >= RUN else float(message in code)


def said_share(message: Sequence[str], text: Sequence[str]) -> float:
    """The share of a message's words that stand in a text in runs of RUN or more; 0 for a shorter message."""
    runs = set(zip(*(text[start:] for start in range(RUN)), strict=False))
    met: set[int] = set()
    for start in range(len(message) - RUN + 1):
        if tuple(message[start : start + RUN]) in runs:
            met.update(range(start, start + RUN))
    return len(met) / len(message) if message else 0.0


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
