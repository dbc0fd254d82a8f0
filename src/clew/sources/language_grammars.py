"""How is a language parsed? Its entry in language_data/ and its grammar wheel, both loaded on first use."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.sources.parsing import compiled, language_of_wheel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Language, Query

ENTRIES = Path(__file__).parent / "language_data"
_LEAST_LINES = {"declaration": 3, "property": 3}
"""Lines, with the comment above, from which these kinds stand alone; shorter ones read best among their neighbours."""
_CLASS_LIKE = (
    "class",
    "struct",
    "interface",
    "trait",
    "impl",
    "enum",
    "object",
    "constant",
    "contract",
    "protocol",
    "extension",
    "record",
    "union",
)


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language's entry, ready for use.

    `query` captures definitions by kind (`@section.2` reaches to the next of level 2 or 1), with @name, @body and @scope; what stands
    around: @comment and @lead, @inner in @outer, @above or @around, @doc of @documented, @embedded with its @tag; and the references
    @call, @import, @base. `statements` captures where a long body may be cut. Where no query can tell a name, `name_patterns` are sought
    in the text, or `naming` names a function of outline_names. `merges_within` lines, definitions of one name are one. Blocks inside each
    other that begin in more than `most_columns` columns (0: no bound) break the parser.
    """

    language: str
    parser: Language
    query: Query
    statements: Query | None
    naming: str
    name_patterns: Mapping[str, re.Pattern[str]]
    scan: str
    separator: str
    class_like: frozenset[str]
    least_lines: Mapping[str, int]
    merges_within: int
    most_columns: int
    capitals_are_public: bool


class GrammarProblem(Exception):
    """A grammar can't be used; the message says why."""


@cache
def grammar(language: str) -> Grammar | None:
    """The grammar of a language; None when it has none or its wheel is missing or broken (`grammar_problem` says why)."""
    try:
        return _load(language)
    except GrammarProblem:
        return None


@cache
def grammar_problem(language: str) -> str:
    """Why a language that has an entry can't be parsed here; empty when it can, or has no grammar at all."""
    if not _entry_path(language).is_file():
        return ""
    try:
        _load(language)
    except GrammarProblem as problem:
        return str(problem)
    return ""


def entry_of(language: str) -> dict[str, Any]:
    """A language's entry as it is written; empty where it has none."""
    return _entry(_entry_path(language)) if language.isalnum() and _entry_path(language).is_file() else {}


def _entry_path(language: str) -> Path:
    return ENTRIES / f"{language}.toml"


def _entry(path: Path) -> dict[str, Any]:
    """An entry with what it extends: queries add up, anything else of its own counts."""
    own = tomllib.loads(path.read_text(encoding="utf-8"))
    if "extends" not in own:
        return own
    base = _entry(_entry_path(own["extends"]))
    queries = {key: base.get(key, "") + own.get(key, "") for key in ("query", "statements")}
    return {**base, **own, **queries, "graph": _graph(base.get("graph"), own.get("graph"))}


def _graph(base: dict[str, Any] | None, own: dict[str, Any] | None) -> dict[str, Any] | None:
    if not base or not own:
        return own or base
    return {**base, **own, "query": base.get("query", "") + own.get("query", "")}


def _load(language: str) -> Grammar | None:
    path = _entry_path(language)
    if not language.isalnum() or not path.is_file():
        return None
    entry = _entry(path)
    if "wheel" not in entry:
        return None
    wheel = str(entry["wheel"])
    try:
        parser = language_of_wheel(wheel, entry.get("grammar", "language"))
        query = compiled(parser, entry["query"])
        statements = compiled(parser, entry["statements"]) if "statements" in entry else None
    except ImportError as error:
        raise GrammarProblem(f"{wheel.replace('_', '-')} is not installed ({error})") from error
    except (AttributeError, ValueError, OSError, TypeError) as error:
        raise GrammarProblem(f"{wheel.replace('_', '-')} does not fit: {error}") from error
    return Grammar(
        language=language,
        parser=parser,
        query=query,
        statements=statements,
        naming=entry.get("naming", ""),
        name_patterns={kind: re.compile(pattern, re.DOTALL) for kind, pattern in entry.get("name_patterns", {}).items()},
        scan=entry.get("scan", ""),
        separator=entry.get("separator", "."),
        class_like=frozenset((*_CLASS_LIKE, *entry.get("class_like", ()))),
        least_lines={**_LEAST_LINES, **entry.get("least_lines", {})},
        merges_within=int(entry.get("merges_within", 0)),
        most_columns=int(entry.get("most_columns", 0)),
        capitals_are_public=bool(entry.get("capitals_are_public", False)),
    )
