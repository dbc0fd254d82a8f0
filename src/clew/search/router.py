"""Which way is a question answered? The mode for `auto`, and how wide to look, by the shape of the question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from clew.core.answer import Question
from clew.errors import UsageError
from clew.search.question import Query
from clew.search.relation_forms import Relation
from clew.search.relations import Sought, relation_in
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
ASKED: Mapping[Relation, str] = {
    "definition": "where {} is defined",
    "members": "what {} is made of",
    "callers": "who calls {}",
    "callees": "what {} calls",
    "importers": "who imports {}",
    "impact": "what a change of {} touches",
    "subtypes": "what builds upon {}",
    "tests": "which tests call {}",
}
"""Each relation in words."""
NAVIGATION = Intent("navigation", 50, re.compile(r"(?!)"))
DEFAULT = Intent("default", 100, re.compile(r""))


class Route(NamedTuple):
    """`escalates`: `auto` chose the cheap way, and goes on to hybrid when that answer is not confident. `sought` is the relation that is asked for:
    its answer comes first where there is one, and `mode` is how the rest, or all where there is none, is found."""

    mode: str
    ef: int
    escalates: bool = False
    reasons: tuple[str, ...] = ()
    sought: Sought | None = None


def route(query: Query, question: Question, chunks: int = 0) -> Route:
    """How to answer from so many chunks. Raises UsageError for a mode that there is not."""
    if question.mode not in MODES:
        raise UsageError(f"there is no mode {question.mode!r}", f"choose one of {', '.join(MODES)}")
    sought = sought_in(query, question)
    intent = intent_of(query, sought)
    ef = max(question.ef or max(intent.ef, ef_of_size(chunks)), question.limit)
    said = f"ef {ef} ({'as asked' if question.ef else f'{intent.name}, {chunks} chunks'})"
    if question.mode == "structural":
        why = _asked_for(sought) if sought else "fast: mode structural as asked, and the question is about no relation of a name"
        return Route("fast", ef, False, (f"mode {why}", said), sought)
    if question.mode != "auto":
        return Route(question.mode, ef, False, (f"mode {question.mode} as asked", said))
    if query.is_bare:
        return Route("fast", ef, True, (f"mode fast: the question is one {query.shape}", said))
    if sought:
        return Route("hybrid", ef, False, (f"mode {_asked_for(sought)}", said), sought)
    return Route("hybrid", ef, False, (f"mode hybrid: {_looks(query)}", said))


def sought_in(query: Query, question: Question) -> Sought | None:
    """The relation that is asked for, where the mode allows to look for one; mode structural takes a bare name as asking for all that hangs on it."""
    if question.mode == "structural" and query.is_bare:
        return Sought("impact", query.paths[0] if query.shape == "path" else query.names[0][0])
    return relation_in(query.text) if question.mode in ("auto", "structural") and query.shape == "words" else None


def _asked_for(sought: Sought) -> str:
    """The way to answer a relation, and why."""
    also = "" if sought.alone else ", and hybrid: the question says more"
    return f"structural: {ASKED[sought.relation].format(sought.target)}{also}"


def _looks(query: Query) -> str:
    """What the question looks like."""
    if query.frames:
        return f"the question holds a trace of {len(query.frames)} frame{'s' if len(query.frames) > 1 else ''}"
    if query.shape == "report":
        return "the question is a report or pasted code"
    if query.messages:
        return "the question holds a text to be found word by word"
    return "the question is in words" + (" and names code" if query.names or query.paths else "")


def ef_of_size(chunks: int) -> int:
    """The least ef for an index of this size."""
    return next((ef for size, ef in SIZES if chunks <= size), LARGEST)


def intent_of(query: Query, sought: Sought | None = None) -> Intent:
    """The intent that a question's words show."""
    if query.is_bare or (sought and sought.relation in ("definition", "members")):
        return NAVIGATION
    return next((intent for intent in INTENTS if intent.words.search(query.text[:INTENT_TEXT])), DEFAULT)
