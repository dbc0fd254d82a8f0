"""Which names does an expression consist of? Written as a chain: `self.app.run()`, whatever the language's syntax tree looks like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.core.graph import LITERAL, NEW, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_MOST_PARTS = 12
"""Parts of a chain; longer ones are builders whose steps are not followed so far."""
_MOST_NAME = 100


@dataclass(frozen=True, slots=True)
class Shapes:
    """Node types by what they mean: `member` and `invoke` name the fields of object and name, `call` that of the function, `construct` that
    of the type whose object is made, `through` are looked through, `either` number the children that are alternatives."""

    names: frozenset[str]
    member: Mapping[str, tuple[str, str]]
    invoke: Mapping[str, tuple[str, str]]
    call: Mapping[str, str]
    construct: Mapping[str, str]
    through: Mapping[str, str]
    either: Mapping[str, tuple[int, ...]]
    literal: frozenset[str]
    nothing: frozenset[str]


def shapes(entry: Mapping[str, Any]) -> Shapes:
    """The shapes that a language's entry lists."""
    return Shapes(
        names=frozenset(entry.get("names", ("identifier",))),
        member={kind: (fields[0], fields[1]) for kind, fields in entry.get("member", {}).items()},
        invoke={kind: (fields[0], fields[1]) for kind, fields in entry.get("invoke", {}).items()},
        call={**entry.get("call", {}), **entry.get("construct", {})},
        construct=dict(entry.get("construct", {})),
        through=dict(entry.get("through", {})),
        either={kind: tuple(places) for kind, places in entry.get("either", {}).items()},
        literal=frozenset(entry.get("literal", ())),
        nothing=frozenset(entry.get("nothing", ())),
    )


def chain_of(node: Node, source: bytes, known: Shapes) -> str:
    """The chain of an expression; `?` stands for the part before which nothing can be told, empty for a value that is none."""
    parts: list[str] = []
    current: Node | None = node
    called, made = "", ""
    while current is not None and len(parts) < _MOST_PARTS:
        kind = current.type
        if kind in known.names:
            parts.append(_text(current, source) + called)
            return made + ".".join(reversed(parts))
        if kind in known.member or kind in known.invoke:
            before, name = known.member.get(kind) or known.invoke[kind]
            called = "()" if kind in known.invoke else called
            last = current.child_by_field_name(name) if name else current.named_children[-1] if current.named_child_count else None
            while last is not None and last.type in known.through:
                last = _inside(last, known.through[last.type])
            parts.append((_text(last, source) if last is not None else UNKNOWN) + called)
            current, called = current.child_by_field_name(before), ""
            if current is None:
                return made + ".".join(reversed(parts))
        elif kind in known.call:
            if called:  # what a call gives back is called
                break
            made = NEW if kind in known.construct else ""
            current, called = current.child_by_field_name(known.call[kind]), "()"
        elif kind in known.through:
            current = _inside(current, known.through[kind])
        elif kind in known.literal:
            return ".".join((LITERAL, *reversed(parts)))
        elif kind in known.nothing and not parts:
            return ""
        else:
            break
    return ".".join((UNKNOWN, *reversed(parts)))


def alternatives(node: Node, known: Shapes) -> Iterator[Node]:
    """The expressions that an expression may be (`a or b`)."""
    waiting = [node]
    for _ in range(_MOST_PARTS):
        if not waiting:
            return
        current = waiting.pop()
        places = known.either.get(current.type)
        if places is None:
            yield current
            continue
        inner = current.named_children
        waiting += [inner[place] for place in places if place < len(inner)]
    yield from waiting


def _inside(node: Node, field: str) -> Node | None:
    if field:
        return node.child_by_field_name(field)
    return node.named_children[0] if node.named_child_count else None


def _text(node: Node, source: bytes) -> str:
    start, end = node.start_byte, node.end_byte
    if end - start > _MOST_NAME:
        return UNKNOWN
    return source[start:end].decode("utf-8", "replace").replace("::", ".").replace(" ", "")
