"""What does a file say about names? Calls, imports, bases, and what gives a name its type, by the graph query of its language."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from clew.core.graph import UNKNOWN, Base, Binding, Call, Facts, Import
from clew.sources.chains import Shapes, alternatives, chain_of, shapes
from clew.sources.language_grammars import entry_of, grammar
from clew.sources.outliner import is_parsable
from clew.sources.parsing import compiled, matches, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node, Query

    from clew.core.document import Definition, Reference

    Captures = Mapping[str, list[Node]]

_MOST_TEXT = 2_000
"""Characters of a type or of an import that are read."""


_UNTYPED = ("var", "auto", "val", "let")
"""Words in a type's place that leave the type to the value."""


class _Reading(NamedTuple):
    query: Query
    known: Shapes


class _Found:
    """What one pass of the query has gathered."""

    def __init__(self, source: bytes, known: Shapes) -> None:
        self.source = source
        self.known = known
        self.calls: list[Call] = []
        self.bindings: list[Binding] = []
        self.imports: list[Import] = []
        self.bases: list[Base] = []
        self.returns: list[Binding] = []
        self.marks: list[Call] = []
        self.outside: set[int] = set()
        self.package = ""

    def take(self, captures: Captures) -> None:
        """One match of the query."""
        for key, nodes in captures.items():
            node, line = nodes[0], nodes[0].start_point.row + 1
            match key:
                case "call":
                    self._call(node, line)
                case "mark":
                    self.marks.append(Call(self.chain(node).removesuffix("()"), line))
                    self.outside.update(range(line, node.end_point.row + 2))
                case "module":
                    self._import(captures, node, line)
                case "use":
                    self.imports += [Import(module, member, alias, line) for module, member, alias in uses(self.text(node))]
                case "base":
                    owner = captures["owner"][0]
                    self.bases.append(Base(self.text(owner), owner.start_point.row + 1, self.text(node)))
                case "package":
                    self.package = self.package or self.text(node)
                case _:
                    self._typed(key, captures, node, line)

    def _typed(self, key: str, captures: Captures, node: Node, line: int) -> None:
        """What gives a name or a function its type."""
        match key:
            case "attribute":
                self.bindings.append(Binding(f"this.{self.text(node)}", line, "type", self.text(captures["type"][0])))
            case "default":
                self.bindings.append(Binding("default", line, "value", self.chain(node)))
            case "bind" | "parameter":
                for one in captures[key]:
                    self._bind(captures, one, key)
            case "returned":
                self.returns += [Binding("", line, "value", self.chain(one)) for one in alternatives(node, self.known)]
            case "returns":
                self.returns.append(Binding("", line, "type", self.text(node)))

    def _call(self, node: Node, line: int) -> None:
        chain = self.chain(node).removesuffix("()")
        end = node.child_by_field_name("function")
        while end is not None and end.type in self.known.member:
            end = end.child_by_field_name(self.known.member[end.type][1])
        self.calls.append(Call(chain, end.start_point.row + 1 if end is not None else line))

    def _import(self, captures: Captures, node: Node, line: int) -> None:
        member, alias = captures.get("member"), captures.get("alias")
        module = self.text(node).strip("\"'`<>")
        if "whole" in captures:
            self.imports.append(Import(module, "default", self.text(captures["whole"][0]), line))
            return
        self.imports.append(Import(module, self.text(member[0]) if member else "", self.text(alias[0]) if alias else "", line))

    def _bind(self, captures: Captures, node: Node, key: str) -> None:
        name, line = self.chain(node), node.start_point.row + 1
        if "type" in captures and self.text(captures["type"][0]) not in _UNTYPED:
            self.bindings.append(Binding(name, line, "type", self.text(captures["type"][0])))
        elif "value" in captures:
            values = [self.chain(one) for one in alternatives(captures["value"][0], self.known)]
            self.bindings += [Binding(name, line, "value", value) for value in values]
        elif "entered" in captures:
            self.bindings.append(Binding(name, line, "entered", self.chain(captures["entered"][0])))
        else:
            self.bindings.append(Binding(name, line, "parameter" if key == "parameter" else "other"))

    def chain(self, node: Node) -> str:
        return chain_of(node, self.source, self.known)

    def text(self, node: Node) -> str:
        raw = self.source[node.start_byte : min(node.end_byte, node.start_byte + _MOST_TEXT)]
        return " ".join(raw.decode("utf-8", "replace").split())


def facts(filepath: str, language: str, lines: Sequence[str], definitions: Sequence[Definition]) -> Facts | None:
    """What a text says about names, given the definitions of its outline; None for a language that has no graph query. Raises nothing."""
    reading = _reading(language)
    known = grammar(language)
    if reading is None or known is None:
        return None
    source = "\n".join(lines).encode("utf-8", "replace").replace(b"\0", b" ")
    tree = parsed(known.parser, source) if is_parsable(source, known) else None
    found = _Found(source, reading.known)
    if tree is not None:
        for _, captures in matches(reading.query, tree):
            found.take(captures)
    return Facts(
        filepath=filepath,
        language=language,
        definitions=tuple(definitions),
        calls=tuple(found.calls),
        bindings=tuple(found.bindings),
        imports=tuple(dict.fromkeys(found.imports)),
        bases=tuple(found.bases),
        returns=tuple(found.returns),
        marks=tuple(found.marks),
        outside=frozenset(found.outside),
        package=found.package,
    )


def uses(text: str, before: str = "") -> Iterator[tuple[str, str, str]]:
    """The (module, member, alias) of each name that a `use` of Rust brings: `a::{b, c::{d as e, *}}`."""
    waiting = [(text, before)]
    while waiting:
        piece, outer = waiting.pop()
        head, brace, inner = piece.strip().partition("{")
        if brace:
            path = ".".join(part for part in (outer, head.strip().removesuffix("::").replace("::", ".")) if part)
            waiting += [(one, path) for one in reversed(_pieces(inner.strip().removesuffix("}")))]
            continue
        name, _, alias = head.strip().partition(" as ")
        parts = [part for part in (*outer.split("."), *name.strip().replace(" ", "").split("::")) if part]
        if parts and parts[-1] == "self" and len(parts) > 1:
            parts, alias = parts[:-1], alias or parts[-2]
        if len(parts) > 1:
            yield ".".join(parts[:-1]), parts[-1], alias.strip()


def _pieces(text: str) -> list[str]:
    """What stands between the commas of a list, lists inside it kept whole."""
    found, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            found.append(text[start:place])
            start = place + 1
    return [piece for piece in (*found, text[start:]) if piece.strip()]


def by_names(filepath: str, language: str, definitions: Sequence[Definition], references: Sequence[Reference]) -> Facts:
    """What the references of an outline say where a language has no graph query: names, and nothing of what stands before them."""
    calls = tuple(Call(f"{UNKNOWN}.{one.name}", one.line) for one in references if one.kind == "call")
    imports = tuple(Import(one.name, "", "", one.line) for one in references if one.kind == "import")
    return Facts(filepath, language, tuple(definitions), calls, imports=imports)


@cache
def _reading(language: str) -> _Reading | None:
    known = grammar(language)
    entry = entry_of(language).get("graph") if known else None
    return _Reading(compiled(known.parser, entry["query"]), shapes(entry)) if known and entry else None
