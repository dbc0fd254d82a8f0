"""Where may a long definition be split? Lines on which a statement starts, with their depth in it."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from clew.sources.parsing import captured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Query, Tree

    from clew.core.document import Definition

    Span = tuple[int, int]

LONG = 1_200
"""Bytes from which a definition, or a text outside of any, may need cutting: about the 512 tokens of a chunk, less its header."""
_OUTSIDE = -1
_SHORT = -2


def cuts(
    tree: Tree, offsets: Sequence[int], definitions: Sequence[Definition], leads: Mapping[int, tuple[int, bool]], statements: Query | None
) -> list[tuple[int, int]]:
    """(line, depth) of each statement inside what is long; depth 1 is the outermost level of the innermost definition.

    `offsets` are the byte offsets of the rows and of the end. A statement below a comment of its own is cut above the comment.
    """
    if statements is None or offsets[-1] <= LONG:
        return []
    owners = _owners(offsets, definitions)
    found: dict[int, int] = {}
    stack: list[Span] = []
    for start, negative_end in _statements(tree, statements, _long_ranges(tree, offsets, owners, definitions)):
        while stack and stack[-1][0] <= start:
            stack.pop()
        row = bisect_right(offsets, start) - 1
        owner = owners[row]
        if owner >= 0 and row + 1 < definitions[owner].body_start:
            owner = _SHORT
        if owner != _SHORT and row - 1 not in leads:
            found.setdefault(row + 1, 1 + sum(1 for _, other in stack if other == owner))
        stack.append((-negative_end, owner))
    return sorted(found.items())


def _statements(tree: Tree, statements: Query, ranges: Sequence[Span]) -> list[Span]:
    """(start, -end) of the statements that touch the ranges, an enclosing one first."""
    return sorted((start, -end) for start, end in captured(statements, tree, ranges))


def _owners(offsets: Sequence[int], definitions: Sequence[Definition]) -> list[int]:
    """For each row the number of the innermost definition, or that what holds it is short."""
    sizes = _own_sizes(offsets, definitions)
    owners = [_OUTSIDE if sizes[_OUTSIDE] > LONG else _SHORT] * len(offsets)
    for number, definition in enumerate(definitions):
        first, last = definition.line_start - 1, definition.line_end
        owners[first:last] = [number if sizes[number] > LONG else _SHORT] * (last - first)
    return owners


def _own_sizes(offsets: Sequence[int], definitions: Sequence[Definition]) -> dict[int, int]:
    """The bytes that each definition does not share with those inside it."""
    sizes = {_OUTSIDE: offsets[-1]}
    stack: list[int] = []
    for number, definition in enumerate(definitions):
        while stack and definitions[stack[-1]].line_end < definition.line_start:
            stack.pop()
        size = offsets[definition.line_end] - offsets[definition.line_start - 1]
        sizes[number] = size
        sizes[stack[-1] if stack else _OUTSIDE] -= size
        stack.append(number)
    return sizes


def _long_ranges(tree: Tree, offsets: Sequence[int], owners: Sequence[int], definitions: Sequence[Definition]) -> list[Span]:
    """The bytes worth a look: from the first row to the last of each run of rows that something long owns."""
    ranges: list[Span] = []
    for number in sorted({owner for owner in owners if owner >= 0}):
        definition = definitions[number]
        first, last = offsets[definition.line_start - 1], offsets[definition.line_end] - 1
        if not ranges or first >= ranges[-1][1]:
            ranges.append((first, last))
    return ranges + _outside(tree, offsets, owners) if _OUTSIDE in owners else ranges


def _outside(tree: Tree, offsets: Sequence[int], owners: Sequence[int]) -> list[Span]:
    """The runs of top-level nodes that no definition owns."""
    ranges: list[Span] = []
    joins = False
    for node in tree.root_node.named_children:
        outside = owners[bisect_right(offsets, node.start_byte) - 1] == _OUTSIDE
        if outside:
            start = ranges.pop()[0] if joins else node.start_byte
            ranges.append((start, node.end_byte))
        joins = outside
    return ranges
