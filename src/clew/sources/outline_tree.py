"""What does a syntax tree hold? Definitions, comments, references and statements, as the language's query captures them."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from clew.core.document import Reference
from clew.sources.outline_names import NAMINGS, Named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node, Tree

    from clew.sources.language_grammars import Grammar

_MATCH_LIMIT = 50_000
"""Matches under way at once: far above what code needs, and a bound for hostile nesting."""
_AUXILIARY = frozenset(("name", "body", "scope", "declarator"))
_MAX_NAME = 200
_MAX_REFERENCE = 100


class Found(NamedTuple):
    """A definition as the tree has it; rows are 0-based, `first_row` takes in what wraps it."""

    start: int
    end: int
    first_row: int
    row: int
    last_row: int
    kind: str
    name: str
    scope: str
    marked: bool
    body: Node | None
    doc: Node | None


class _Wrapper(NamedTuple):
    """A node around a definition; `marks` when it exports or decorates it, which a mere statement does not."""

    outer: Node
    inner: Node
    marks: bool


class _Wrap(NamedTuple):
    row: int
    marks: bool


@dataclass(slots=True)
class Harvest:
    """Everything one pass of the query found. `leads` maps the last row of a comment or attribute to (first row, is comment)."""

    found: list[Found] = field(default_factory=list)
    leads: dict[int, tuple[int, bool]] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)


def harvest(tree: Tree, source: bytes, lines: list[bytes], grammar: Grammar) -> Harvest:
    """Run the language's query once over the whole tree."""
    cursor = import_module("tree_sitter").QueryCursor(grammar.query)
    cursor.match_limit = _MATCH_LIMIT
    result = Harvest()
    wrappers: list[_Wrapper] = []
    docs: dict[int, Node] = {}
    definitions: list[tuple[int, Mapping[str, list[Node]]]] = []
    for pattern, captures in cursor.matches(tree.root_node):
        if "call" in captures:
            _refer(result, "call", captures["call"])
        elif "import" in captures:
            _refer(result, "import", captures["import"])
        elif "base" in captures:
            _refer(result, "base", captures["base"])
        elif "comment" in captures:
            _lead(result, captures["comment"][0], lines, is_comment=True)
        elif "lead" in captures:
            _lead(result, captures["lead"][0], lines, is_comment=False)
        elif "inner" in captures:
            wrappers.append(_wrapper(captures))
        elif "documented" in captures:
            docs[captures["documented"][0].id] = captures["doc"][0]
        else:
            definitions.append((pattern, captures))
    wraps = _wraps(wrappers)
    result.found = _sorted(definitions, wraps, docs, grammar)
    return result


def _refer(result: Harvest, kind: str, nodes: list[Node]) -> None:
    for node in nodes:
        text = node.text or b""
        name = text.decode("utf-8", "replace") if len(text) <= _MAX_REFERENCE else ""
        if kind == "import":
            name = name.strip("\"'`<>")
        if name and "\n" not in name:
            result.references.append(Reference(kind, name, node.start_point.row + 1))


def _lead(result: Harvest, node: Node, lines: list[bytes], *, is_comment: bool) -> None:
    """Note a comment or attribute that has its lines to itself."""
    (first, column), (last, end) = node.start_point, node.end_point
    if end == 0 and last > first:
        last, end = last - 1, len(lines[last - 1])
    if not lines[first][:column].strip() and not lines[last][end:].strip():
        result.leads[last] = (first, is_comment)


def _wrapper(captures: Mapping[str, list[Node]]) -> _Wrapper:
    marks = "outer" in captures
    return _Wrapper((captures["outer"] if marks else captures["around"])[0], captures["inner"][0], marks)


def _wraps(wrappers: list[_Wrapper]) -> dict[int, _Wrap]:
    """What wraps each node, by node id; wrappers of wrappers count."""
    wraps: dict[int, _Wrap] = {}
    for wrapper in sorted(wrappers, key=lambda wrapper: (wrapper.outer.start_byte, -wrapper.outer.end_byte)):
        above = wraps.get(wrapper.outer.id)
        row = above.row if above else wrapper.outer.start_point.row
        wraps[wrapper.inner.id] = _Wrap(row, wrapper.marks or (above is not None and above.marks))
    return wraps


def _sorted(
    definitions: list[tuple[int, Mapping[str, list[Node]]]], wraps: Mapping[int, _Wrap], docs: Mapping[int, Node], grammar: Grammar
) -> list[Found]:
    """Definitions in order of the text, an enclosing one first; where two patterns match one node, the first pattern counts."""
    naming = NAMINGS.get(grammar.naming)
    ordered: list[tuple[int, int, int, Found]] = []
    for pattern, captures in definitions:
        kind, node = next((key, nodes[0]) for key, nodes in captures.items() if key not in _AUXILIARY)
        named = naming(node, kind, captures) if naming else _named(captures, kind)
        if named is None or not named.name:
            continue
        row = node.start_point.row
        wrap = wraps.get(node.id, _Wrap(row, marks=False))
        last, column = node.end_point
        body = captures.get("body")
        found = Found(
            start=node.start_byte,
            end=node.end_byte,
            first_row=min(row, wrap.row),
            row=row,
            last_row=last - 1 if column == 0 and last > row else last,
            kind=named.kind or kind,
            name=named.name[:_MAX_NAME],
            scope=named.scope,
            marked=wrap.marks,
            body=body[0] if body else None,
            doc=docs.get(node.id),
        )
        ordered.append((found.start, -found.end, pattern, found))
    ordered.sort(key=lambda entry: entry[:3])
    return [entry[3] for before, entry in zip([None, *ordered], ordered, strict=False) if before is None or before[:2] != entry[:2]]


def _named(captures: Mapping[str, list[Node]], kind: str) -> Named | None:
    names = captures.get("name")
    if not names:
        return None
    scope = captures.get("scope")
    return Named(text_of(names[0]), text_of(scope[0]) if scope else "", kind)


def text_of(node: Node) -> str:
    """A node's source on one line."""
    return " ".join((node.text or b"")[: _MAX_NAME * 4].decode("utf-8", "replace").split())
