"""Which named spans does a text hold? The outline of any document, by grammar where there is one."""

from __future__ import annotations

from importlib import import_module
from itertools import accumulate
from typing import TYPE_CHECKING

from clew.core.document import Outline
from clew.sources.language_grammars import grammar
from clew.sources.outline_cuts import cuts
from clew.sources.outline_shape import shape
from clew.sources.outline_tree import harvest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.sources.language_grammars import Grammar

_MAX_BYTES = 4_000_000
"""Longer files are data; a parse of this much takes about a second."""
_MAX_LINE = 20_000
"""A line longer than this that is most of its file is minified: it has no outline worth showing."""
UNPARSED = Outline()


def outline(lines: Sequence[str], language: str) -> Outline:
    """The outline of a text in a language; `parsed` is false when no grammar served. Raises nothing, whatever the text."""
    known = grammar(language)
    if known is None:
        return UNPARSED
    return _parsed(lines, known)


def _parsed(lines: Sequence[str], known: Grammar) -> Outline:
    rows = [line.encode("utf-8", "replace") for line in lines]
    source = b"\n".join(rows).replace(b"\0", b" ")
    if len(source) > _MAX_BYTES or _is_minified(rows, len(source)):
        return UNPARSED
    tree = import_module("tree_sitter").Parser(known.parser).parse(source)
    found = harvest(tree, source, rows, known)
    definitions = shape(found.found, found.leads, source, lines, known)
    offsets = [0, *accumulate(len(row) + 1 for row in rows)]
    return Outline(
        definitions=tuple(definitions),
        references=tuple(found.references),
        cuts=tuple(cuts(tree, offsets, definitions, found.leads, known)),
        parsed=True,
        errors=1 if tree.root_node.has_error else 0,
    )


def _is_minified(rows: Sequence[bytes], size: int) -> bool:
    longest = max(map(len, rows), default=0)
    return longest > _MAX_LINE and longest * 2 > size
