"""What does a file say about names? Calls, imports, bases, and what gives a name its type, by the graph query of its language."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from clew.core.graph import Base, Binding, Call, Facts, Import
from clew.sources.chains import Shapes, alternatives, chain_of, shapes
from clew.sources.language_grammars import entry_of, grammar
from clew.sources.outliner import is_parsable
from clew.sources.parsing import compiled, matches, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node, Query

    from clew.core.document import Definition

    Captures = Mapping[str, list[Node]]

_MOST_TEXT = 300
"""Characters of a type or of an import that are read."""


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
        for key, node in ((key, nodes[0]) for key, nodes in captures.items()):
            line = node.start_point.row + 1
            match key:
                case "call":
                    self._call(node, line)
                case "mark":
                    self.marks.append(Call(self.chain(node).removesuffix("()"), line))
                    self.outside.update(range(line, node.end_point.row + 2))
                case "module":
                    self._import(captures, node, line)
                case "base":
                    owner = captures["owner"][0]
                    self.bases.append(Base(self.text(owner), owner.start_point.row + 1, self.text(node)))
                case "bind" | "parameter":
                    for one in captures[key]:
                        self._bind(captures, one, key)
                case "returned":
                    self.returns += [Binding("", line, "value", self.chain(one)) for one in alternatives(node, self.known)]
                case "returns":
                    self.returns.append(Binding("", line, "type", self.text(node)))
                case "package":
                    self.package = self.package or self.text(node)

    def _call(self, node: Node, line: int) -> None:
        chain = self.chain(node).removesuffix("()")
        end = node.child_by_field_name("function")
        while end is not None and end.type in self.known.member:
            end = end.child_by_field_name(self.known.member[end.type][1])
        self.calls.append(Call(chain, end.start_point.row + 1 if end is not None else line))

    def _import(self, captures: Captures, node: Node, line: int) -> None:
        member, alias = captures.get("member"), captures.get("alias")
        module = self.text(node).strip("\"'`<>")
        self.imports.append(Import(module, self.text(member[0]) if member else "", self.text(alias[0]) if alias else "", line))

    def _bind(self, captures: Captures, node: Node, key: str) -> None:
        name, line = self.chain(node), node.start_point.row + 1
        if "type" in captures:
            self.bindings.append(Binding(name, line, "type", self.text(captures["type"][0])))
        elif "value" in captures and key == "bind":
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


def has_facts(language: str) -> bool:
    """Whether a language's files can be read for what they say about names."""
    return _reading(language) is not None


@cache
def _reading(language: str) -> _Reading | None:
    known = grammar(language)
    entry = entry_of(language).get("graph") if known else None
    return _Reading(compiled(known.parser, entry["query"]), shapes(entry)) if known and entry else None
