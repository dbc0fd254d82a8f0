"""Where may a long definition be split? Lines on which a statement starts, with their depth in it."""

from __future__ import annotations

from bisect import bisect_right
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Tree

    from clew.core.document import Definition
    from clew.sources.language_grammars import Grammar

LONG = 1_200
"""Bytes from which a definition, or a text outside of any, may need cutting: about the 512 tokens of a chunk, less its header."""


def cuts(
    tree: Tree, offsets: Sequence[int], definitions: Sequence[Definition], leads: Mapping[int, tuple[int, bool]], grammar: Grammar
) -> list[tuple[int, int]]:
    """(line, depth) of each statement inside what is long; depth 1 is the outermost level of the innermost definition."""
    if grammar.statements is None or offsets[-1] <= LONG:
        return []
    cursor = import_module("tree_sitter").QueryCursor(grammar.statements)
    spans = sorted({(node.start_byte, -node.end_byte) for nodes in cursor.captures(tree.root_node).values() for node in nodes})
    owners = _owners(offsets, definitions)
    found: dict[int, int] = {}
    stack: list[tuple[int, int]] = []
    for start, negative_end in spans:
        while stack and stack[-1][0] <= start:
            stack.pop()
        row = bisect_right(offsets, start) - 1
        owner = owners[row]
        if owner >= 0:
            depth = 1 + sum(1 for _, other in stack if other == owner)
            if row - 1 not in leads:
                found.setdefault(row + 1, depth)
        stack.append((-negative_end, owner))
    return sorted(found.items())


def _owners(offsets: Sequence[int], definitions: Sequence[Definition]) -> list[int]:
    """For each row the number of the innermost definition, -1 where that is short; the outside counts as one too."""
    owners = [len(definitions)] * len(offsets)
    for number, definition in enumerate(definitions):
        first, last = definition.line_start - 1, min(definition.line_end, len(offsets) - 1)
        long = offsets[last] - offsets[first] > LONG
        owners[first:last] = [number if long else -1] * (last - first)
    return owners
