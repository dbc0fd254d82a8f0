"""Which way is a question answered? The mode for `auto`, and how wide to look, by the shape of the question."""

from __future__ import annotations

import re
from typing import NamedTuple

from clew.core.answer import Question
from clew.errors import UsageError
from clew.search.question import Query
from clew.settings import MODES

INTENT_TEXT = 300
"""Characters in which the intent is looked for: it is said at the beginning."""
SIZES = ((10_000, 50), (100_000, 100), (1_000_000, 200))
"""Up to so many chunks, at least this ef."""
LARGEST = 400
"""For more chunks than that."""


class Intent(NamedTuple):
    """What somebody is after. `ef` is how many chunks of a leg are worth a look."""

    name: str
    ef: int
    words: re.Pattern[str]


INTENTS = (
    Intent(
        "multi-hop",
        200,
        re.compile(r"\bhow (do|does|is|are)\b.*\b(flow|from .* to|end to end|reach|propagate)|\btrace\b|\bacross\b", re.I | re.S),
    ),
    Intent("security audit", 150, re.compile(r"\b(security|vulnerab\w+|audit|injection|sanitiz\w+|untrusted)\b", re.I)),
    Intent("refactor", 150, re.compile(r"\b(refactor\w*|rename|replace all|every place|all (uses|usages|callers|places))\b", re.I)),
)
"""First match wins: of two intents the wider one."""
NAVIGATION = Intent("navigation", 50, re.compile(r"(?!)"))
DEFAULT = Intent("default", 100, re.compile(r""))


class Route(NamedTuple):
    """`escalates`: `auto` chose the cheap way, and goes on to hybrid when that answer is not confident."""

    mode: str
    ef: int
    escalates: bool = False
    reasons: tuple[str, ...] = ()


def route(query: Query, question: Question, chunks: int = 0) -> Route:
    """How to answer from so many chunks. Raises UsageError for a mode that there is not."""
    if question.mode not in MODES:
        raise UsageError(f"there is no mode {question.mode!r}", f"choose one of {', '.join(MODES)}")
    intent = intent_of(query)
    ef = max(question.ef or max(intent.ef, ef_of_size(chunks)), question.limit)
    said = "as asked" if question.ef else f"{intent.name}, {chunks} chunks"
    reasons: tuple[str, ...] = (f"ef {ef} ({said})",)
    if question.mode != "auto":
        return Route(question.mode, ef, False, (f"mode {question.mode} as asked", *reasons))
    if query.is_bare:
        return Route("fast", ef, True, (f"mode fast: the question is one {query.shape}", *reasons))
    return Route("hybrid", ef, False, ("mode hybrid: the question is in words", *reasons))


def ef_of_size(chunks: int) -> int:
    """The least ef for an index of this size."""
    return next((ef for size, ef in SIZES if chunks <= size), LARGEST)


def intent_of(query: Query) -> Intent:
    """The intent that a question's words show."""
    if query.is_bare:
        return NAVIGATION
    return next((intent for intent in INTENTS if intent.words.search(query.text[:INTENT_TEXT])), DEFAULT)
