"""Which tools are there, and are a call's arguments what they take? One table, from which the list on the wire and the checks are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clew.errors import UsageError
from clew.interfaces.mcp.navigation import KINDS
from clew.settings import MODES

DEEP = "deep"
"""The mode that has a tool of its own."""

LIMIT = 5
"""Results in an answer: an agent reads each of them."""
MAX_TOKENS = 900
"""Tokens of an answer, its frame included: what a call is worth to an agent that pays for each."""
FEWEST_TOKENS, MOST_TOKENS = 100, 50_000
MOST_RESULTS = 100

_TEXT = {"type": "string"}
_ROOT = {**_TEXT, "description": "Which project, if several"}
_UNTOLD = ("minimum", "maximum", "default")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is listed. `arguments` are JSON schemas by name; one that is not `required` may have a default. What `reads` needs a language model."""

    name: str
    description: str
    arguments: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...] = ()
    read_only: bool = True
    reads: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """What a client is told of the arguments. Bounds and defaults are left out: whoever oversteps one is told, the defaults
        suit, and every agent pays for what stands here."""
        required = {"required": list(self.required)} if self.required else {}
        told = {name: {key: value for key, value in one.items() if key not in _UNTOLD} for name, one in self.arguments.items()}
        return {"type": "object", "properties": told, **required}


def _number(default: int, least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "default": default, "minimum": least, "maximum": most}


_BUDGET = _number(MAX_TOKENS, FEWEST_TOKENS, MOST_TOKENS)

TOOLS = (
    Tool(
        "search",
        "Find code: ask in words, or with a name, path:line, error, stack trace, or who calls X. Returns path:lines and code.",
        {
            "query": _TEXT,
            "limit": _number(LIMIT, 1, MOST_RESULTS),
            "mode": {"enum": [mode for mode in MODES if mode != DEEP], "default": "auto"},
            "max_tokens": _BUDGET,
            "language": _TEXT,
            "symbol_type": {**_TEXT, "description": "function, class…"},
            "in": {**_TEXT, "description": "Folder, file or glob"},
            "root": _ROOT,
        },
        required=("query",),
    ),
    Tool(
        "navigate",
        f"Look at known code. what and target: {', '.join(map(str, KINDS))}.",
        {
            "what": {"enum": [kind.name for kind in KINDS]},
            "target": _TEXT,
            "max_tokens": _BUDGET,
            "root": _TEXT,
        },
        required=("what",),
    ),
    Tool(
        "schema",
        "Tables, columns and joins that a question needs, as DDL; SQL as query is checked.",
        {
            "query": _TEXT,
            "database": _TEXT,
            "max_tokens": _BUDGET,
            "root": _TEXT,
        },
        required=("query",),
    ),
    Tool(
        "index",
        "Update the index; search does it too.",
        {"rebuild": {"type": "boolean", "default": False}, "root": _TEXT},
        read_only=False,
    ),
    Tool("status", "What is indexed, how far a run is, what was left out and why.", {"root": _TEXT}),
    Tool(
        "ask",
        "A language model reads code and answers with evidence. Slow.",
        {"query": _TEXT, "root": _TEXT},
        ("query",),
        reads=True,
    ),
)


def listed(*, has_model: bool) -> tuple[Tool, ...]:
    """The tools that are told: what a language model answers only where there is one."""
    return tuple(tool for tool in TOOLS if has_model or not tool.reads)


_NAMED = {tool.name: tool for tool in TOOLS}
_KINDS_OF_VALUES: dict[str, tuple[type, str]] = {
    "string": (str, "a string"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
}


def checked(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, defaults filled in. Raises UsageError that says what is allowed. null counts as not given."""
    tool = _NAMED.get(name)
    if tool is None:
        raise UsageError(f"there is no tool {name!r}", f"the tools are {', '.join(_NAMED)}")
    arguments = {key: value for key, value in given.items() if value is not None}
    for key in arguments:
        if key not in tool.arguments:
            raise UsageError(f"{name} has no argument {key!r}", f"it takes {', '.join(tool.arguments)}")
    for key in tool.required:
        if key not in arguments:
            raise UsageError(f"{name} needs the argument {key!r}", f"it takes {', '.join(tool.arguments)}")
    for key, value in arguments.items():
        wrong = _wrong(tool.arguments[key], value)
        if wrong:
            raise UsageError(f"{key} cannot be {str(value)[:60]!r}", f"it must be {wrong}")
    defaults = {key: schema["default"] for key, schema in tool.arguments.items() if "default" in schema}
    return {**defaults, **arguments}


def _wrong(schema: Mapping[str, Any], value: Any) -> str:
    """What a value must be instead; empty where it is that."""
    if "enum" in schema:
        return "" if value in schema["enum"] else f"one of {', '.join(schema['enum'])}"
    kind, in_words = _KINDS_OF_VALUES[schema["type"]]
    if type(value) is not kind:
        return in_words
    least, most = schema.get("minimum", value), schema.get("maximum", value)
    return "" if least <= value <= most else f"{in_words} from {least} to {most}"
