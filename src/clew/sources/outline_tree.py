"""What does a syntax tree hold? Definitions, comments, references and statements, as the language's query captures them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from clew.core.document import Reference
from clew.sources.outline_names import NAMINGS, Named, Text
from clew.sources.parsing import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tree_sitter import Node, Tree

    from clew.sources.language_grammars import Grammar

    Captures = Mapping[str, list[Node]]

_AUXILIARY = frozenset(("name", "body", "scope", "declarator"))
_MAX_NAME = 200
_MAX_REFERENCE = 100
_NAME_SCANNED = 400
"""Bytes of a definition in which a name pattern is sought: its header."""


class NamedSpan(NamedTuple):
    """A definition as the tree has it. Rows are 0-based; `first_row` takes in what wraps it, `head` is where its signature starts.

    `marked` is set when something exports or decorates it. `level` above 0 means that it reaches to the next of its level or a higher one.
    """

    start: int
    end: int
    first_row: int
    row: int
    last_row: int
    kind: str
    name: str
    scope: str = ""
    head: int = 0
    marked: bool = False
    level: int = 0
    body: Node | None = None
    doc: Node | None = None


class _Wrapper(NamedTuple):
    """A node around a definition: `how` is outer (exports it), above (decorates it) or around (a mere statement)."""

    outer: Node
    inner: Node
    how: str


class _Wrap(NamedTuple):
    row: int
    head: int
    marks: bool


class Embedded(NamedTuple):
    """Source of another language inside this one, and the tag that opens it."""

    tag: str
    first_row: int
    text: str


@dataclass(slots=True)
class Harvest:
    """Everything one pass of the query found. `leads` maps the last row of a comment or attribute to (first row, is comment)."""

    found: list[NamedSpan] = field(default_factory=list)
    leads: dict[int, tuple[int, bool]] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)
    embedded: list[Embedded] = field(default_factory=list)


def harvest(tree: Tree, source: bytes, rows: Sequence[bytes], grammar: Grammar) -> Harvest:
    """Run the language's query once over the whole tree; `rows` are the lines of `source`."""
    text = Text(source)
    result = Harvest()
    wrappers: list[_Wrapper] = []
    docs: dict[int, Node] = {}
    definitions: list[tuple[int, Captures]] = []
    for pattern, captures in matches(grammar.query, tree):
        if "call" in captures:
            _refer(result, "call", captures["call"], text)
        elif "comment" in captures:
            _lead(result, captures["comment"][0], rows, is_comment=True)
        elif "lead" in captures:
            _lead(result, captures["lead"][0], rows, is_comment=False)
        elif "import" in captures:
            _refer(result, "import", captures["import"], text)
        elif "base" in captures:
            _refer(result, "base", captures["base"], text)
        elif "inner" in captures:
            wrappers.append(_wrapper(captures))
        elif "documented" in captures:
            docs[captures["documented"][0].id] = captures["doc"][0]
        elif "embedded" in captures:
            result.embedded.append(_embedded(captures, text))
        else:
            definitions.append((pattern, captures))
    found = _ordered(_found(definitions, _wraps(wrappers), docs, grammar, text))
    result.found = _reaching(_merged(found, grammar.merges_within), rows)
    return result


def _refer(result: Harvest, kind: str, nodes: Iterable[Node], text: Text) -> None:
    for node in nodes:
        start, end = node.start_byte, node.end_byte
        name = text.source[start:end].decode("utf-8", "replace") if end - start <= _MAX_REFERENCE else ""
        if kind == "import":
            name = name.strip("\"'`<>").removeprefix("import ")
        if name and "\n" not in name:
            result.references.append(Reference(kind, name, node.start_point.row + 1))


def _lead(result: Harvest, node: Node, rows: Sequence[bytes], *, is_comment: bool) -> None:
    """Note a comment or attribute that has its lines to itself."""
    (first, column), (last, end) = node.start_point, node.end_point
    if first == 0 and rows[0].startswith(b"#!"):
        return
    if last >= len(rows) or (end == 0 and last > first):
        last = min(last, len(rows)) - 1
        end = len(rows[last])
    if not rows[first][:column].strip() and not rows[last][end:].strip():
        result.leads[last] = (first, is_comment)


def _wrapper(captures: Captures) -> _Wrapper:
    how = next(key for key in ("outer", "above", "around") if key in captures)
    return _Wrapper(captures[how][0], captures["inner"][0], how)


def _embedded(captures: Captures, text: Text) -> Embedded:
    raw = captures["embedded"][0]
    tag = captures.get("tag")
    return Embedded(text.one_line(tag[0]) if tag else "", raw.start_point.row, text.of(raw).decode("utf-8", "replace"))


def _wraps(wrappers: list[_Wrapper]) -> dict[int, _Wrap]:
    """What wraps each node, by node id; wrappers of wrappers count."""
    wraps: dict[int, _Wrap] = {}
    for outer, inner, how in sorted(wrappers, key=lambda wrapper: (wrapper.outer.start_byte, -wrapper.outer.end_byte)):
        above = wraps.get(outer.id)
        row = above.row if above else outer.start_point.row
        head = inner.start_byte if how == "above" else above.head if above else outer.start_byte
        wraps[inner.id] = _Wrap(row, head, how != "around" or (above is not None and above.marks))
    return wraps


def _found(
    definitions: Iterable[tuple[int, Captures]], wraps: Mapping[int, _Wrap], docs: Mapping[int, Node], grammar: Grammar, text: Text
) -> Iterable[tuple[int, NamedSpan]]:
    naming = NAMINGS.get(grammar.naming)
    for pattern, captures in definitions:
        key, node = next((key, nodes[0]) for key, nodes in captures.items() if key not in _AUXILIARY and key[0] != "_")
        kind, _, level = key.partition(".")
        named = naming(node, kind, captures, text) if naming else _named(node, kind, captures, grammar, text)
        if named is None or not named.name:
            continue
        row = node.start_point.row
        wrap = wraps.get(node.id, _Wrap(row, node.start_byte, marks=False))
        bodies = captures.get("body")
        body = bodies[0] if bodies else None
        last = body if body is not None and body.end_byte > node.end_byte else node
        end, column = last.end_point
        yield (
            pattern,
            NamedSpan(
                start=node.start_byte,
                end=last.end_byte,
                first_row=min(row, wrap.row),
                row=row,
                last_row=end - 1 if column == 0 and end > row else end,
                kind=named.kind or kind,
                name=named.name[:_MAX_NAME],
                scope=named.scope,
                head=wrap.head,
                marked=wrap.marks,
                level=int(level or 0),
                body=body,
                doc=docs.get(node.id),
            ),
        )


def _named(node: Node, kind: str, captures: Captures, grammar: Grammar, text: Text) -> Named | None:
    names = captures.get("name")
    if names:
        return Named(_bare(text.one_line(names[0])), "", kind)
    pattern = grammar.name_patterns.get(node.type)
    match = pattern.search(text.of(node)[:_NAME_SCANNED].decode("utf-8", "replace")) if pattern else None
    if match is None:
        return None
    name = next((group for group in match.groups() if group), None) or match[0]
    return Named(re.sub(r"\s+", " ", name), "", kind)


def _bare(name: str) -> str:
    """A name without quotes, an operator without brackets."""
    if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'`":
        name = name[1:-1]
    return name[1:-1].strip() or name if name[:1] == "(" and name[-1:] == ")" else name


def _ordered(found: Iterable[tuple[int, NamedSpan]]) -> list[NamedSpan]:
    """In order of the text, an enclosing one first; where two patterns match one node, the first pattern counts."""
    entries = sorted(found, key=lambda entry: (entry[1].start, -entry[1].end, entry[0]))
    kept: list[NamedSpan] = []
    for _, entry in entries:
        if not kept or (kept[-1].start, kept[-1].end) != (entry.start, entry.end):
            kept.append(entry)
    return kept


def _merged(found: list[NamedSpan], within: int) -> list[NamedSpan]:
    """Equations and clauses of one function, which follow each other under one name, as one definition."""
    if not within:
        return found
    kept: list[NamedSpan] = []
    open_at: list[int] = []
    for entry in found:
        while open_at and kept[open_at[-1]].end <= entry.start and not _continues(kept[open_at[-1]], entry, within):
            open_at.pop()
        if open_at and kept[open_at[-1]].end <= entry.start:
            first = kept[open_at[-1]]
            kept[open_at[-1]] = first._replace(end=entry.end, last_row=entry.last_row, body=None)
            continue
        open_at.append(len(kept))
        kept.append(entry)
    return kept


def _continues(first: NamedSpan, entry: NamedSpan, within: int) -> bool:
    same = first.name == entry.name and first.kind == entry.kind == "function"
    return same and entry.row - first.last_row <= within


def _reaching(found: list[NamedSpan], rows: Sequence[bytes]) -> list[NamedSpan]:
    """Let sections, stages and the like reach to the next one of their level."""
    levelled = [number for number, entry in enumerate(found) if entry.level]
    if not levelled:
        return found
    offsets = [0]
    for row in rows:
        offsets.append(offsets[-1] + len(row) + 1)
    reaching = list(found)
    open_ones: list[int] = []
    for number in levelled:
        while open_ones and found[open_ones[-1]].level >= found[number].level:
            earlier = open_ones.pop()
            reaching[earlier] = _until(found[earlier], found[number].first_row, offsets, rows)
        open_ones.append(number)
    for number in open_ones:
        reaching[number] = _until(found[number], len(rows), offsets, rows)
    return sorted(reaching, key=lambda entry: (entry.start, -entry.end))


def _until(entry: NamedSpan, row: int, offsets: Sequence[int], rows: Sequence[bytes]) -> NamedSpan:
    last = row - 1
    while last > entry.row and not rows[last].strip():
        last -= 1
    return entry._replace(end=max(entry.start + 1, offsets[row] - 1), last_row=max(last, entry.row))
