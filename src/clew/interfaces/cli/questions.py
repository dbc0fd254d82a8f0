"""How do options, of a command line or of a line of a batch, become a question?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clew.core.answer import Question
from clew.core.query import Filters
from clew.engine import Engine
from clew.errors import UsageError
from clew.settings import checked, keys
from clew.sources.paths import parse_path_filter

MAX_EF = 10_000
"""As many candidates as any store that is known takes."""
OPTIONS = ("query", "mode", "limit", "language", "symbol_type", "in", "namespace", "max_tokens", "ef", "rerank")
_KEYS = {key.name: key for key in keys()}


def question(engine: Engine, options: Mapping[str, Any]) -> Question:
    """The question that these options ask of a project; None counts as not given.

    Raises UsageError for an unknown option, a wrong type, a value out of range.
    """
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in OPTIONS:
            raise UsageError(f"unknown option {name!r}", f"there are {', '.join(OPTIONS)}")
    return Question(
        text=_text(given),
        mode=_setting(engine, given, "mode"),
        limit=_setting(engine, given, "limit"),
        filters=Filters(
            languages=_words(given, "language"),
            symbol_types=_words(given, "symbol_type"),
            paths=tuple(parse_path_filter(engine.root, text) for text in _words(given, "in")),
        ),
        max_tokens=_setting(engine, given, "max_tokens"),
        ef=_ef(given.get("ef", 0)),
        rerank=_flag(given, "rerank"),
        namespaces=_words(given, "namespace"),
    )


def _text(given: Mapping[str, Any]) -> str:
    text = given.get("query", "")
    if not isinstance(text, str) or not text.strip():
        raise UsageError("the question is empty", 'ask in words or with a name: clew search "where are users created"')
    return text


def _setting(engine: Engine, given: Mapping[str, Any], name: str) -> Any:
    return checked(_KEYS[name], given[name], "the question") if name in given else getattr(engine.settings, name)


def _words(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """One string or several; an empty one is a slip that would find nothing."""
    value = given.get(name, ())
    several = (value,) if isinstance(value, str) else value
    if not isinstance(several, list | tuple) or not all(isinstance(item, str) and item for item in several):
        raise UsageError(f"{name} must be one or several non-empty strings")
    return tuple(several)


def _ef(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MAX_EF:
        raise UsageError(f"ef cannot be {value!r}", f"it must be a whole number from 0 to {MAX_EF}")
    return value


def _flag(given: Mapping[str, Any], name: str) -> bool:
    value = given.get(name, False)
    if not isinstance(value, bool):
        raise UsageError(f"{name} must be true or false")
    return value
