"""Which named spans does a text hold? The outline of any document, by grammar where there is one."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from clew.core.document import Definition, Outline
from clew.sources.language_grammars import grammar
from clew.sources.notebook import Cell, cells_of
from clew.sources.outline_cuts import cuts
from clew.sources.outline_shape import shape
from clew.sources.outline_sql import scan
from clew.sources.outline_tree import harvest
from clew.sources.parsing import parsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clew.sources.language_grammars import Grammar
    from clew.sources.outline_tree import Embedded

MAX_BYTES = 4_000_000
"""Longer files are data; a parse of this much takes about a second."""
MAX_LINE = 20_000
"""A line longer than this that is most of its file is minified: it has no outline worth showing."""
_MAX_UNBALANCED = 3_000
"""Brackets that never close: matching costs their square. Code under repair has a few dozen."""
_MAX_NESTING = 300
"""Brackets inside each other that are looked through: deeper text is no code."""
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_LEAST_WORDS = 0.25
"""The share of a text that is letters, digits and blanks: code has 0.6 and more. A text of nothing but signs takes a parser, which tries
every reading of it, minutes a kilobyte; counting its steps does not stop that in time."""
_SMALL = 2_000
_WORDS = bytes(byte for byte in range(256) if byte > 127 or chr(byte).isalnum() or chr(byte).isspace() or byte == 95)
_LEAD = re.compile(rb"[\t ]*(?:[-?:][\t ]+)*")
_UNPARSED = Outline()
_SCRIPT_LANGUAGE = re.compile(r"\b(?:lang|type)\s*=\s*[\"']?([\w/+.-]+)")
_SCRIPT_LANGUAGES = {
    "ts": "typescript", "typescript": "typescript", "text/typescript": "typescript", "tsx": "tsx",
    "js": "javascript", "jsx": "javascript", "javascript": "javascript", "module": "javascript", "text/javascript": "javascript",
    "application/javascript": "javascript", "text/babel": "javascript", "text/jsx": "javascript",
}  # fmt: skip
_MAGIC = re.compile(r"\s*(?:[%!?]|.*\?\s*$)")
_PYTHON_CELL_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%memit")


def outline(lines: Sequence[str], language: str) -> Outline:
    """The outline of a text in a language; `parsed` is false when no grammar served. Raises nothing, whatever the text."""
    if language == "notebook":
        return _notebook(lines)
    known = grammar(language)
    if known is None:
        return _UNPARSED
    return _parsed(lines, known)


def _parsed(lines: Sequence[str], known: Grammar) -> Outline:
    source = "\n".join(lines).encode("utf-8", "replace").replace(b"\0", b" ")
    rows = source.split(b"\n")
    if len(rows) != len(lines):  # a line holds a line end, as no line of a file does
        return _parsed([line.replace("\n", " ") for line in lines], known) if lines else _UNPARSED
    if not _is_parsable(source, rows, known):
        return _UNPARSED
    tree = parsed(known.parser, source)
    if tree is None:
        return _UNPARSED
    found = harvest(tree, source, rows, known)
    named = scan(source) if known.scan == "sql" else found.found
    definitions = shape(named, found.leads, source, lines, known)
    offsets = [size + row for row, size in enumerate(accumulate(map(len, rows), initial=0))]
    whole = Outline(
        definitions=tuple(definitions),
        references=tuple(found.references),
        cuts=tuple(cuts(tree, offsets, definitions, found.leads, known.statements)),
        parsed=True,
        errors=1 if tree.root_node.has_error else 0,
    )
    return _joined([whole, *map(_script, found.embedded)]) if found.embedded else whole


def is_parsable(source: bytes, known: Grammar) -> bool:
    """Whether a text is one that the language's parser can take, in the time that it takes for code."""
    return _is_parsable(source, source.split(b"\n"), known)


def _is_parsable(source: bytes, rows: Sequence[bytes], known: Grammar) -> bool:
    if len(source) > MAX_BYTES or _is_minified(rows, len(source)) or _is_noise(source) or _is_unbalanced(source):
        return False
    return not known.most_columns or not _is_deep(rows, known.most_columns)


def _is_minified(rows: Sequence[bytes], size: int) -> bool:
    longest = max(map(len, rows), default=0)
    return longest > MAX_LINE and longest * 2 > size


def _is_noise(source: bytes) -> bool:
    return len(source) > _SMALL and len(source.translate(None, _WORDS)) > len(source) * (1 - _LEAST_WORDS)


def _is_unbalanced(source: bytes) -> bool:
    brackets = source.translate(None, _NO_BRACKETS)
    for _ in range(_MAX_NESTING):
        if len(brackets) <= _MAX_UNBALANCED:
            break
        brackets = brackets.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
    return len(brackets) > _MAX_UNBALANCED


def _is_deep(rows: Sequence[bytes], most: int) -> bool:
    """Whether blocks by indentation begin inside each other in more columns than that, as far as any reading of the text could hold."""
    inside: list[int] = []
    for row in rows:
        lead = _LEAD.match(row)
        if lead is None or not row.strip():
            continue
        end = lead.end()
        for column in (*(place for place in range(end) if row[place] in b"-?:"), end):
            while inside and inside[-1] >= column:
                inside.pop()
            inside.append(column)
            if len(inside) > most:
                return True
    return False


def _script(block: Embedded) -> Outline:
    """The outline of a script inside markup, at the markup's line numbers."""
    told = _SCRIPT_LANGUAGE.search(block.tag)
    language = _SCRIPT_LANGUAGES.get(told[1].lower(), "") if told else "javascript"
    known = grammar(language)
    return _below(_parsed(block.text.split("\n"), known), block.first_row) if known else _UNPARSED


def _notebook(lines: Sequence[str]) -> Outline:
    """A definition a cell, with what code cells define inside."""
    cells = cells_of(tuple(lines))
    return replace(_joined([_cell(cell, lines) for cell in cells]), parsed=bool(cells))


def _cell(cell: Cell, lines: Sequence[str]) -> Outline:
    name = f"cell {cell.number}"
    inside = lines[cell.line_start : cell.line_end]
    kind = "cell" if cell.is_code else "section"
    first = next((line.strip() for line in inside if line.strip()), "")
    whole = Definition(name, name, kind, cell.line_start, cell.line_end, signature=first[:100], body_start=cell.line_start + 1)
    known = grammar(cell.language) if cell.is_code else None
    if known is None or _is_other_language(first):
        return Outline((whole,))
    found = _below(_parsed(_without_magics(inside), known), cell.line_start)
    return replace(found, definitions=(whole, *(_held_by(name, definition) for definition in found.definitions)))


def _is_other_language(first: str) -> bool:
    return first.startswith("%%") and not first.startswith(_PYTHON_CELL_MAGICS)


def _without_magics(lines: Sequence[str]) -> list[str]:
    return ["" if _MAGIC.match(line) else line for line in lines]


def _held_by(name: str, definition: Definition) -> Definition:
    parent = f"{name}.{definition.parent}" if definition.parent else name
    return replace(definition, qualified_name=f"{name}.{definition.qualified_name}", parent=parent)


def _below(outlined: Outline, rows: int) -> Outline:
    """The same outline, so many rows further down."""
    return replace(
        outlined,
        definitions=tuple(
            replace(d, line_start=d.line_start + rows, line_end=d.line_end + rows, body_start=d.body_start + rows)
            for d in outlined.definitions
        ),
        references=tuple(reference._replace(line=reference.line + rows) for reference in outlined.references),
        cuts=tuple((line + rows, depth) for line, depth in outlined.cuts),
    )


def _joined(outlines: Iterable[Outline]) -> Outline:
    parts = list(outlines)
    definitions = sorted((d for part in parts for d in part.definitions), key=lambda d: (d.line_start, -d.line_end))
    return Outline(
        definitions=tuple(definitions),
        references=tuple(reference for part in parts for reference in part.references),
        cuts=tuple(sorted({cut for part in parts for cut in part.cuts})),
        parsed=any(part.parsed for part in parts),
        errors=sum(part.errors for part in parts),
    )
