"""What is a definition called, where its grammar can't say it with a query?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    Captures = Mapping[str, list[Node]]


class Named(NamedTuple):
    """A name, what it belongs to (`Receiver` of a method that stands elsewhere), and a better kind if there is one."""

    name: str
    scope: str = ""
    kind: str = ""


class Text(NamedTuple):
    """What a tree was made of. Asking a node for its text would cost a copy of the file's next 64 KB each time (a tree parsed piece by piece)."""

    source: bytes

    def of(self, node: Node) -> bytes:
        """A node's source."""
        return self.source[node.start_byte : node.end_byte]

    def one_line(self, node: Node | None) -> str:
        """A node's source, collapsed; the head of it, if it is very long."""
        if node is None:
            return ""
        start = node.start_byte
        return " ".join(self.source[start : min(node.end_byte, start + _LONGEST_NAMED)].decode("utf-8", "replace").split())


_LONGEST_NAMED = 800
"""Bytes of a node that are looked at for a name."""


# -- C, C++, Objective-C ------------------------------------------------------------------------------------------------

_MAX_DECLARATORS = 50
_PLAIN_NAMES = (
    "identifier",
    "field_identifier",
    "type_identifier",
    "destructor_name",
    "operator_name",
    "operator_cast",
    "namespace_identifier",
)
_ARGUMENTS = re.compile(r"<[^<>]*>")


def _c_name(node: Node, kind: str, captures: Captures, text: Text) -> Named | None:
    names = captures.get("name")
    if names:
        name = text.one_line(names[0])
        if "<" in name and kind != "namespace":
            return _split_scope(name, kind)
        return Named(*_scoped(name), kind)
    declarators = captures.get("declarator")
    if not declarators:
        return None
    return _declared(declarators[0], node, kind, text)


def _declared(declarator: Node, definition: Node, kind: str, text: Text) -> Named | None:
    inner: Node | None = declarator
    for _ in range(_MAX_DECLARATORS):
        if inner is None:
            return None
        if inner.type in _PLAIN_NAMES:
            name = _operator(inner, text) if inner.type.startswith("operator") else text.one_line(inner)
            return _macro_made(name, declarator, kind, text)
        if inner.type == "qualified_identifier":
            return _qualified(inner, definition, kind, text)
        if inner.type == "template_function":
            return Named(text.one_line(inner), "", kind)
        inner = inner.child_by_field_name("declarator") or (inner.named_children[0] if inner.named_child_count else None)
    return None


def _macro_made(name: str, declarator: Node, kind: str, text: Text) -> Named:
    """`DEFINE_HANDLER(wombat) {…}` parses as a function named like the macro: its arguments are the name."""
    parameters = declarator.child_by_field_name("parameters")
    if kind == "function" and parameters is not None and name.isupper() and len(name) > 3:
        return Named(f"{name}({text.one_line(parameters).strip('()')})", "", kind)
    return Named(name, "", kind)


def _operator(node: Node, text: Text) -> str:
    line = text.one_line(node)
    head = line.split("(")[0] if node.type == "operator_cast" else line
    return re.sub(r"operator\s+(?=\W)", "operator", head).strip()


def _qualified(node: Node, definition: Node, kind: str, text: Text) -> Named:
    """`Box<T>::get` is `Box::get`; below `template <>` the arguments stay, for they tell specialisations apart."""
    scopes: list[str] = []
    special = text.one_line(definition.parent).startswith("template <>") or text.one_line(definition.parent).startswith("template<>")
    inner: Node | None = node
    for _ in range(_MAX_DECLARATORS):
        if inner is None or inner.type != "qualified_identifier":
            break
        scope = text.one_line(inner.child_by_field_name("scope"))
        scopes.append(scope if special else _plain(scope))
        inner = inner.child_by_field_name("name")
    name = text.one_line(inner)
    if inner is not None and inner.type.startswith("operator"):
        name = _operator(inner, text)
    return Named(name, "::".join(scope for scope in scopes if scope), kind)


def _plain(name: str) -> str:
    for _ in range(_MAX_DECLARATORS):
        shorter = _ARGUMENTS.sub("", name)
        if shorter == name:
            break
        name = shorter
    return name.strip()


def _scoped(name: str) -> tuple[str, str]:
    scope, _, last = name.rpartition("::")
    return last, scope


def _split_scope(name: str, kind: str) -> Named:
    head, mark, arguments = name.partition("<")
    last, scope = _scoped(head)
    return Named(last + mark + arguments, scope, kind)


# -- JavaScript, TypeScript ---------------------------------------------------------------------------------------------

_EXPORTS = ("exports", "module.exports", "module", "this", "self", "window", "global", "globalThis")


def _js_name(node: Node, kind: str, captures: Captures, text: Text) -> Named | None:
    names = captures.get("name")
    if not names:
        return None
    name = text.one_line(names[0]).strip("\"'`")
    if names[0].type != "member_expression":
        return Named(name, "", kind)
    scope, _, last = name.replace("?.", ".").rpartition(".")
    scope = scope.removesuffix(".prototype")
    if last == "exports":
        return None
    scope = scope if re.fullmatch(r"[\w$.]+", scope) and scope not in _EXPORTS else ""
    return Named(last.lstrip("#"), scope.removeprefix("exports.").removeprefix("module.exports."), kind)


# -- Go, Rust, Lua, Ruby ------------------------------------------------------------------------------------------------


def _go_name(node: Node, kind: str, captures: Captures, text: Text) -> Named | None:
    names = captures.get("name")
    if not names:
        return None
    receiver = captures.get("scope")
    scope = re.sub(r"\[.*", "", text.one_line(receiver[0])).strip("() *").split()[-1:] if receiver else []
    return Named(text.one_line(names[0]), scope[0].lstrip("*") if scope else "", kind)


def _rust_name(node: Node, kind: str, captures: Captures, text: Text) -> Named | None:
    names = captures.get("name")
    if not names:
        return None
    name = text.one_line(names[0])
    return Named(_plain(name).lstrip("&'") if kind == "impl" else name, "", kind)


def _dotted_name(node: Node, kind: str, captures: Captures, text: Text) -> Named | None:
    names = captures.get("name")
    if not names:
        return None
    scope, _, last = text.one_line(names[0]).replace(":", ".").rpartition(".")
    return Named(last.strip("\"'[]"), scope if re.fullmatch(r"[\w.]+", scope) else "", kind)


def _ruby_name(node: Node, kind: str, captures: Captures, text: Text) -> Named | None:
    names = captures.get("name")
    if not names:
        return None
    return Named(text.one_line(names[0]).removeprefix("::").replace("::", "."), "", kind)


# -- Elixir -------------------------------------------------------------------------------------------------------------

_ELIXIR_KINDS = {
    "defmodule": "module", "defprotocol": "interface", "defimpl": "impl", "def": "function", "defp": "function", "defmacro": "macro",
    "defmacrop": "macro", "defguard": "macro", "defguardp": "macro", "defdelegate": "function", "defstruct": "struct",
    "test": "test", "describe": "section",
}  # fmt: skip


def _elixir_name(node: Node, kind: str, captures: Captures, text: Text) -> Named | None:
    word = text.one_line(captures["name"][0])
    better = _ELIXIR_KINDS.get(word)
    arguments = captures.get("scope")
    if better is None or not arguments or not arguments[0].named_children:
        return None
    if better == "struct":
        return Named("__struct__", "", better)
    head = arguments[0].named_children[0]
    for _ in range(_MAX_DECLARATORS):
        if head.type == "binary_operator" and head.named_children:
            operator = text.one_line(head.child_by_field_name("operator"))
            if operator not in ("when", "<-", "\\\\"):
                return Named(operator, "", better)
            head = head.named_children[0]
        elif head.type == "call" and head.named_children:
            head = head.child_by_field_name("target") or head.named_children[0]
        else:
            break
    name = text.one_line(head).strip('"')
    if word == "defimpl":
        target = re.search(r"for:\s*([\w.]+)", text.one_line(arguments[0]))
        name = f"{name}.{target[1]}" if target else name
    return Named(name, "", better)


# -- Objective-C, HCL ---------------------------------------------------------------------------------------------------

_NS_ENUM = re.compile(r"\bNS_(?:CLOSED_|ERROR_)?(?:ENUM|OPTIONS)\s*\(\s*[\w ]+,\s*(\w+)\s*\)")
_HCL_KINDS = frozenset(("variable", "output", "module", "data", "provider", "locals", "resource", "terraform"))


def _objc_name(node: Node, kind: str, captures: Captures, text: Text) -> Named | None:
    if node.type in ("method_definition", "method_declaration"):
        return Named(_selector(node, text), "", kind)
    if node.type == "property_declaration":
        last = re.search(r"(\w+)\s*;?$", text.one_line(node))
        return Named(last[1], "", kind) if last else None
    macro = _NS_ENUM.search(text.one_line(node)[:200]) if node.type in ("type_definition", "enum_specifier") else None
    if macro:
        return Named(macro[1], "", "enum")
    if kind == "category":
        return Named(f"{text.one_line(captures['name'][0])}({text.one_line(captures['scope'][0])})", "", kind)
    return _c_name(node, kind, captures, text)


def _selector(node: Node, text: Text) -> str:
    """`- (void)move:(int)a to:(int)b` is `move:to:`."""
    parts = [child for child in node.named_children if child.type in ("identifier", "method_parameter", "method_identifier")]
    words = [text.one_line(part) for part in parts if part.type != "method_parameter"]
    takes = any(part.type == "method_parameter" for part in parts)
    return "".join(f"{word}:" for word in words) if takes else "".join(words)


def _hcl_name(node: Node, kind: str, captures: Captures, text: Text) -> Named | None:
    if "name" in captures:
        return Named(text.one_line(captures["name"][0]), "", kind)
    words = [text.one_line(child).strip('"') for child in node.named_children if child.type in ("identifier", "string_lit")]
    return Named(".".join(words), "", words[0] if words and words[0] in _HCL_KINDS else kind)


NAMINGS: dict[str, Callable[[Node, str, Captures, Text], Named | None]] = {
    "c": _c_name,
    "objc": _objc_name,
    "hcl": _hcl_name,
    "js": _js_name,
    "go": _go_name,
    "rust": _rust_name,
    "dotted": _dotted_name,
    "ruby": _ruby_name,
    "elixir": _elixir_name,
}
