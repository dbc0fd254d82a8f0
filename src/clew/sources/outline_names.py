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


def one_line(node: Node | None) -> str:
    """A node's source, collapsed."""
    return " ".join((node.text or b"")[:800].decode("utf-8", "replace").split()) if node else ""


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


def _c_name(node: Node, kind: str, captures: Captures) -> Named | None:
    names = captures.get("name")
    if names:
        name = one_line(names[0])
        if "<" in name and kind != "namespace":
            return _split_scope(name, kind)
        return Named(*_scoped(name), kind)
    declarators = captures.get("declarator")
    if not declarators:
        return None
    return _declared(declarators[0], node, kind)


def _declared(declarator: Node, definition: Node, kind: str) -> Named | None:
    inner: Node | None = declarator
    for _ in range(_MAX_DECLARATORS):
        if inner is None:
            return None
        if inner.type in _PLAIN_NAMES:
            name = _operator(inner) if inner.type.startswith("operator") else one_line(inner)
            return _macro_made(name, declarator, kind)
        if inner.type == "qualified_identifier":
            return _qualified(inner, definition, kind)
        if inner.type == "template_function":
            return Named(one_line(inner), "", kind)
        inner = inner.child_by_field_name("declarator") or (inner.named_children[0] if inner.named_child_count else None)
    return None


def _macro_made(name: str, declarator: Node, kind: str) -> Named:
    """`DEFINE_HANDLER(wombat) {…}` parses as a function named like the macro: its arguments are the name."""
    parameters = declarator.child_by_field_name("parameters")
    if kind == "function" and parameters is not None and name.isupper() and len(name) > 3:
        return Named(f"{name}({one_line(parameters).strip('()')})", "", kind)
    return Named(name, "", kind)


def _operator(node: Node) -> str:
    text = one_line(node)
    head = text.split("(")[0] if node.type == "operator_cast" else text
    return re.sub(r"operator\s+(?=\W)", "operator", head).strip()


def _qualified(node: Node, definition: Node, kind: str) -> Named:
    """`Box<T>::get` is `Box::get`; below `template <>` the arguments stay, for they tell specialisations apart."""
    scopes: list[str] = []
    special = one_line(definition.parent).startswith("template <>") or one_line(definition.parent).startswith("template<>")
    inner: Node | None = node
    for _ in range(_MAX_DECLARATORS):
        if inner is None or inner.type != "qualified_identifier":
            break
        scope = one_line(inner.child_by_field_name("scope"))
        scopes.append(scope if special else _plain(scope))
        inner = inner.child_by_field_name("name")
    name = one_line(inner)
    if inner is not None and inner.type.startswith("operator"):
        name = _operator(inner)
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


def _js_name(node: Node, kind: str, captures: Captures) -> Named | None:
    names = captures.get("name")
    if not names:
        return None
    name = one_line(names[0]).strip("\"'`")
    if names[0].type != "member_expression":
        return Named(name, "", kind)
    scope, _, last = name.replace("?.", ".").rpartition(".")
    scope = scope.removesuffix(".prototype")
    if last == "exports":
        return None
    scope = scope if re.fullmatch(r"[\w$.]+", scope) and scope not in _EXPORTS else ""
    return Named(last.lstrip("#"), scope.removeprefix("exports.").removeprefix("module.exports."), kind)


# -- Go, Rust, Lua, Ruby ------------------------------------------------------------------------------------------------


def _go_name(node: Node, kind: str, captures: Captures) -> Named | None:
    names = captures.get("name")
    if not names:
        return None
    receiver = captures.get("scope")
    scope = re.sub(r"\[.*", "", one_line(receiver[0])).strip("() *").split()[-1:] if receiver else []
    return Named(one_line(names[0]), scope[0].lstrip("*") if scope else "", kind)


def _rust_name(node: Node, kind: str, captures: Captures) -> Named | None:
    names = captures.get("name")
    if not names:
        return None
    name = one_line(names[0])
    return Named(_plain(name).lstrip("&'") if kind == "impl" else name, "", kind)


def _dotted_name(node: Node, kind: str, captures: Captures) -> Named | None:
    names = captures.get("name")
    if not names:
        return None
    scope, _, last = one_line(names[0]).replace(":", ".").rpartition(".")
    return Named(last.strip("\"'[]"), scope if re.fullmatch(r"[\w.]+", scope) else "", kind)


def _ruby_name(node: Node, kind: str, captures: Captures) -> Named | None:
    names = captures.get("name")
    if not names:
        return None
    return Named(one_line(names[0]).removeprefix("::").replace("::", "."), "", kind)


# -- Elixir -------------------------------------------------------------------------------------------------------------

_ELIXIR_KINDS = {
    "defmodule": "module", "defprotocol": "interface", "defimpl": "impl", "def": "function", "defp": "function", "defmacro": "macro",
    "defmacrop": "macro", "defguard": "macro", "defguardp": "macro", "defdelegate": "function", "defstruct": "struct",
    "test": "test", "describe": "section",
}  # fmt: skip


def _elixir_name(node: Node, kind: str, captures: Captures) -> Named | None:
    word = one_line(captures["name"][0])
    better = _ELIXIR_KINDS.get(word)
    arguments = captures.get("scope")
    if better is None or not arguments or not arguments[0].named_children:
        return None
    if better == "struct":
        return Named("__struct__", "", better)
    head = arguments[0].named_children[0]
    for _ in range(_MAX_DECLARATORS):
        if head.type == "binary_operator" and head.named_children:
            operator = one_line(head.child_by_field_name("operator"))
            if operator not in ("when", "<-", "\\\\"):
                return Named(operator, "", better)
            head = head.named_children[0]
        elif head.type == "call" and head.named_children:
            head = head.child_by_field_name("target") or head.named_children[0]
        else:
            break
    name = one_line(head).strip('"')
    if word == "defimpl":
        target = re.search(r"for:\s*([\w.]+)", one_line(arguments[0]))
        name = f"{name}.{target[1]}" if target else name
    return Named(name, "", better)


# -- Objective-C, HCL ---------------------------------------------------------------------------------------------------

_NS_ENUM = re.compile(r"\bNS_(?:CLOSED_|ERROR_)?(?:ENUM|OPTIONS)\s*\(\s*[\w ]+,\s*(\w+)\s*\)")
_HCL_KINDS = frozenset(("variable", "output", "module", "data", "provider", "locals", "resource", "terraform"))


def _objc_name(node: Node, kind: str, captures: Captures) -> Named | None:
    if node.type in ("method_definition", "method_declaration"):
        return Named(_selector(node), "", kind)
    if node.type == "property_declaration":
        last = re.search(r"(\w+)\s*;?$", one_line(node))
        return Named(last[1], "", kind) if last else None
    macro = _NS_ENUM.search(one_line(node)[:200]) if node.type in ("type_definition", "enum_specifier") else None
    if macro:
        return Named(macro[1], "", "enum")
    if kind == "category":
        return Named(f"{one_line(captures['name'][0])}({one_line(captures['scope'][0])})", "", kind)
    return _c_name(node, kind, captures)


def _selector(node: Node) -> str:
    """`- (void)move:(int)a to:(int)b` is `move:to:`."""
    parts = [child for child in node.named_children if child.type in ("identifier", "method_parameter", "method_identifier")]
    words = [one_line(part) for part in parts if part.type != "method_parameter"]
    takes = any(part.type == "method_parameter" for part in parts)
    return "".join(f"{word}:" for word in words) if takes else "".join(words)


def _hcl_name(node: Node, kind: str, captures: Captures) -> Named | None:
    if "name" in captures:
        return Named(one_line(captures["name"][0]), "", kind)
    words = [one_line(child).strip('"') for child in node.named_children if child.type in ("identifier", "string_lit")]
    return Named(".".join(words), "", words[0] if words and words[0] in _HCL_KINDS else kind)


NAMINGS: dict[str, Callable[[Node, str, Captures], Named | None]] = {
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
