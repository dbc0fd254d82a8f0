"""Which definitions does an outline show, with which lines? Nesting, kinds, spans that nest or are disjoint by lines."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from clew.core.document import Definition
from clew.sources.outline_text import documentation, first_sentence, signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clew.sources.language_grammars import Grammar
    from clew.sources.outline_tree import NamedSpan

_FUNCTIONS = frozenset(("function", "method", "macro", "test", "declaration"))
_IN_RUNS = frozenset(("constant", "macro"))
_SHORT_LOCAL = 3
"""Lines from which a named function inside a function is a definition of its own; shorter ones read best where they are."""
_MANY_COMMENTS = 30
"""More comment lines in a row are a licence or a block of dead code rather than documentation."""
_LONG_CONSTANT = 3
"""Lines from which any constant is a definition of its own."""
_RUN = 3
"""So many one-line constants or macros on neighbouring lines are a table, which stays whole."""
_PER_LINES = 4
"""Definitions that may share exactly the same lines; more is generated or minified text, found by its words."""


@dataclass(slots=True)
class _Placed:
    found: NamedSpan
    kind: str
    qualified: str
    parent: str
    line_start: int
    line_end: int
    docs: str = ""


def shape(
    found: Sequence[NamedSpan], leads: Mapping[int, tuple[int, bool]], source: bytes, lines: Sequence[str], grammar: Grammar
) -> list[Definition]:
    """Turn what the tree holds into an outline's definitions, in order."""
    placed = _nested(_without_runs(found, grammar), leads, lines, grammar)
    _disjoint(placed)
    placed = _bounded(placed)
    return [_definition(entry, source) for entry in placed]


def _without_runs(found: Sequence[NamedSpan], grammar: Grammar) -> list[NamedSpan]:
    """Drop constants that are neither long nor public, and runs of one-line ones."""
    kept: list[NamedSpan] = []
    run: list[NamedSpan] = []
    for entry in found:
        if entry.kind not in _IN_RUNS or entry.last_row - entry.first_row + 1 >= _LONG_CONSTANT:
            kept.append(entry)
        elif _is_public(entry, grammar):
            if run and entry.first_row > run[-1].last_row + 1:
                kept += run if len(run) < _RUN else []
                run = []
            run.append(entry)
    kept += run if len(run) < _RUN else []
    kept.sort(key=lambda entry: (entry.start, -entry.end))
    return kept


def _is_public(entry: NamedSpan, grammar: Grammar) -> bool:
    name = entry.name
    if entry.kind != "constant":
        return True
    return (entry.marked and not entry.scope) or (name.isupper() and len(name) > 1) or (grammar.capitals_are_public and name[:1].isupper())


def _nested(found: Sequence[NamedSpan], leads: Mapping[int, tuple[int, bool]], lines: Sequence[str], grammar: Grammar) -> list[_Placed]:
    placed: list[_Placed] = []
    stack: list[_Placed] = []
    for entry in found:
        while stack and stack[-1].found.end <= entry.start:
            stack.pop()
        above = stack[-1] if stack else None
        if above and not _worth_it(entry, above):
            continue
        new = _place(entry, above, grammar)
        _trim(new, lines)
        _take_leads(new, leads, lines)
        if new.line_end - new.line_start + 1 < grammar.least_lines.get(entry.kind, 0):
            continue
        placed.append(new)
        stack.append(new)
    return placed


def _worth_it(entry: NamedSpan, above: _Placed) -> bool:
    inside_function = above.kind in _FUNCTIONS
    if entry.kind == "constant":
        return not inside_function and above.kind != "constant"
    if entry.kind in _FUNCTIONS and (inside_function or above.kind == "constant"):
        return entry.marked or entry.last_row - entry.row + 1 >= _SHORT_LOCAL
    return True


def _place(entry: NamedSpan, above: _Placed | None, grammar: Grammar) -> _Placed:
    kind = entry.kind
    parent = above.qualified if above else ""
    kind = "function" if kind == "declaration" else kind
    if kind == "function" and not grammar.scan and (entry.scope or (above and above.kind in grammar.class_like)):
        kind = "method"
    separator = grammar.separator
    if above:
        entry = entry._replace(name=entry.name.removeprefix(f"{above.found.name}."))
    if entry.scope:
        parent = f"{parent}{separator}{entry.scope}" if parent and not entry.scope.startswith(parent) else entry.scope
    qualified = f"{parent}{separator}{entry.name}" if parent else entry.name
    return _Placed(entry, kind, qualified, parent, entry.first_row + 1, entry.last_row + 1)


def _trim(entry: _Placed, lines: Sequence[str]) -> None:
    """Some grammars count the blank lines below as part of a node."""
    entry.line_end = min(entry.line_end, len(lines))
    while entry.line_end > entry.found.row + 1 and not lines[entry.line_end - 1].strip():
        entry.line_end -= 1


def _take_leads(entry: _Placed, leads: Mapping[int, tuple[int, bool]], lines: Sequence[str]) -> None:
    """Take in the comments and attributes directly above; the comments are the documentation."""
    comments: list[str] = []
    row = entry.found.first_row
    while row - 1 in leads:
        first, is_comment = leads[row - 1]
        if first >= row:
            break
        if is_comment:
            comments.append("\n".join(lines[first:row]))
        row = first
        if len(comments) > _MANY_COMMENTS:
            return
    entry.line_start = row + 1
    if comments:
        entry.docs = "\n".join(reversed(comments))


def _disjoint(placed: list[_Placed]) -> None:
    """Where two spans share a line without one holding the other, the first ends above it, or is held by the second."""
    placed.sort(key=lambda entry: (entry.line_start, -entry.line_end))
    stack: list[_Placed] = []
    for entry in placed:
        while stack and stack[-1].line_end < entry.line_start:
            stack.pop()
        while stack and stack[-1].line_end < entry.line_end and stack[-1].line_start < entry.line_start:
            stack.pop().line_end = entry.line_start - 1
        if stack and entry.line_end > stack[-1].line_end:
            entry.line_end = stack[-1].line_end
        stack.append(entry)


def _bounded(placed: list[_Placed]) -> list[_Placed]:
    counts: dict[tuple[int, int], int] = {}
    kept = []
    for entry in placed:
        span = (entry.line_start, entry.line_end)
        counts[span] = counts.get(span, 0) + 1
        if counts[span] <= _PER_LINES:
            kept.append(entry)
    kept.sort(key=attrgetter("line_start"))
    return kept


def _definition(entry: _Placed, source: bytes) -> Definition:
    found = entry.found
    body = found.body
    head_end = body.start_byte if body is not None else found.end
    head = source[found.head : head_end]
    if body is None:
        head = first_sentence(head)
    docs = source[found.doc.start_byte : found.doc.end_byte].decode("utf-8", "replace") if found.doc is not None else entry.docs
    return Definition(
        name=found.name,
        qualified_name=entry.qualified,
        kind=entry.kind,
        line_start=entry.line_start,
        line_end=entry.line_end,
        parent=entry.parent,
        signature=signature(head),
        docstring=documentation(docs) if docs else "",
        body_start=min(entry.line_end, _body_line(found, source)),
    )


def _body_line(found: NamedSpan, source: bytes) -> int:
    """The first line after the header."""
    if found.body is None:
        return found.row + 2
    start = found.body.start_byte
    head = source[found.start : start]
    opens_below = b"\n" in head[len(head.rstrip()) :] and source[start : start + 1] != b"{"
    return found.body.start_point.row + (1 if opens_below else 2)
