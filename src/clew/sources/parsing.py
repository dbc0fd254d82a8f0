"""How is tree-sitter reached? Here and nowhere else; it is loaded with the first file that is parsed, and most searches parse none."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tree_sitter import Language, Node, Query, Tree

    Captures = Mapping[str, list[Node]]

_MOST_DEPTH = 500
"""Tree levels that are searched: matching costs the square of the depth, and no definition stands deeper."""
_STEPS, _STEPS_PER_BYTE = 1_000, 0.04
"""Steps of a hundred operations that a parser may take: real files of forty languages take .014 a byte at most, a comment opened over and over 3 and more."""
_PIECE = 65_536
"""Bytes handed to the parser at a time."""
_MOST_MATCHES = 50_000
"""Matches under way at once: far above what code needs, and a bound for hostile nesting."""


def language_of_wheel(wheel: str, function: str) -> Language:
    """The language that a grammar wheel's function gives. Raises ImportError without the wheel, others where it does not fit."""
    made: Language = _binding().Language(getattr(import_module(wheel), function)())
    return made


def compiled(language: Language, query: str) -> Query:
    """A query, ready to be run. Raises ValueError where the grammar does not have what it names."""
    made: Query = _binding().Query(language, query)
    return made


def parsed(language: Language, source: bytes) -> Tree | None:
    """The syntax tree of a text; what cannot be parsed is an error node inside it. None for a text that the parser goes round in circles over.

    Steps are counted and not time, so that the same text has the same tree on every machine.
    """
    left = _STEPS + int(_STEPS_PER_BYTE * len(source))

    def read(start: int, _: object) -> bytes:
        return source[start : start + _PIECE]

    def is_enough(_offset: int, _has_error: bool) -> bool:
        nonlocal left
        left -= 1
        return left < 0

    try:
        made: Tree = _binding().Parser(language).parse(read, progress_callback=is_enough)
    except ValueError:
        if left < 0:
            return None
        raise
    return made


def matches(query: Query, tree: Tree) -> list[tuple[int, Captures]]:
    """Every match as its pattern's number and what it captured."""
    cursor = _cursor(query)
    cursor.match_limit = _MOST_MATCHES
    found: list[tuple[int, Captures]] = cursor.matches(tree.root_node)
    return found


def captured(query: Query, tree: Tree, ranges: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """The (start, end) of every captured node that touches one of the ranges, all in bytes."""
    cursor = _cursor(query)
    spans: set[tuple[int, int]] = set()
    for start, end in ranges:
        cursor.set_byte_range(start, end)
        for nodes in cursor.captures(tree.root_node).values():
            spans.update((node.start_byte, node.end_byte) for node in nodes)
    return spans


def _cursor(query: Query) -> Any:
    cursor = _binding().QueryCursor(query)
    cursor.set_max_start_depth(_MOST_DEPTH)
    return cursor


@cache
def _binding() -> Any:
    return import_module("tree_sitter")
