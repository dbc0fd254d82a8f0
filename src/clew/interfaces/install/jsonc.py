"""How is one member of a JSON file changed, and nothing else? By positions in its text; comments and trailing commas are taken as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE = re.compile(r"(?:[ \t]+|/\*[^\n]*?\*/)*(?://[^\n]*)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"-?[A-Za-z0-9.+-]+")
_DEEPEST = 200
"""Levels of a file that a person has written."""


@dataclass(slots=True)
class Node:
    """A value with its place in the text. `members` are those of an object: key, and where it begins."""

    start: int
    end: int = 0
    value: Any = None
    members: list[tuple[str, int, Node]] = field(default_factory=list)

    def member(self, key: str) -> Node | None:
        """The value of the last member with a key, which is the one that counts."""
        return next((node for name, _, node in reversed(self.members) if name == key), None)


def parse(text: str) -> Node:
    """The value in a text. Raises ValueError, with the line, for what is no JSON."""
    start = _skip(text, 0)
    node = _value(text, start, 0)
    if _skip(text, node.end) != len(text):
        raise _fault(text, _skip(text, node.end), "something after the end")
    return node


def put(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with a value under a path of keys. Raises ValueError where there is no object to put it into."""
    if not text.strip("\ufeff \t\r\n"):
        text = f"{text.strip()}{{}}\n"
    node = parse(text)
    for depth, key in enumerate(keys):
        if not isinstance(node.value, dict):
            raise ValueError(f"{'.'.join(keys[:depth]) or 'the whole'} is no object")
        inner = node.member(key)
        if inner is None:
            for outer in reversed(keys[depth + 1 :]):
                value = {outer: value}
            return _inserted(text, node, key, value)
        node = inner
    return text if node.value == value else text[: node.start] + _written(value, text, _indent_at(text, node.start)) + text[node.end :]


def drop(text: str, keys: Sequence[str]) -> str:
    """The text without the member at a path of keys, and without the objects that are empty then; empty where nothing is left."""
    node: Node | None = parse(text) if text.strip("\ufeff \t\r\n") else None
    path: list[Node] = []
    for key in keys:
        if node is None or not isinstance(node.value, dict) or node.member(key) is None:
            return text
        path.append(node)
        node = node.member(key)
    for depth in range(len(keys) - 1, -1, -1):
        if len(path[depth].members) > 1:
            return _removed(text, path[depth], keys[depth])
    return ""


def _inserted(text: str, node: Node, key: str, value: Any) -> str:
    close = node.end - 1
    newline = _newline(text)
    outer = _indent_at(text, node.start)
    inner = _indent_at(text, node.members[0][1]) if node.members and "\n" in text[node.start : node.members[0][1]] else outer + _unit(text)
    member = f"{json.dumps(key, ensure_ascii=False)}: {_written(value, text, inner)}"
    if not node.members:
        held = text[node.start + 1 : close].rstrip()
        return f"{text[: node.start + 1]}{held}{newline}{inner}{member}{newline}{outer}{text[close:]}"
    last = node.members[-1][2].end
    comma = _skip(text, last)
    if text[comma] == ",":  # a trailing one: who writes so goes on so
        place = _line_end(text, comma + 1)
        return f"{text[:place]}{newline}{inner}{member},{text[place:]}"
    place = _line_end(text, last)
    return f"{text[:last]},{text[last:place]}{newline}{inner}{member}{text[place:]}"


def _removed(text: str, node: Node, key: str) -> str:
    number = max(index for index, (name, _, _) in enumerate(node.members) if name == key)
    _, start, value = node.members[number]
    comma = _skip(text, value.end)
    has_comma = text[comma] == ","
    end = comma + 1 if has_comma else value.end
    begin = start
    while text[begin - 1] in " \t":
        begin -= 1
    begin -= text[:begin].endswith("\n")
    begin -= text[:begin].endswith("\r")
    if has_comma or number == 0:
        return text[:begin] + text[end:]
    before = _skip(text, node.members[number - 1][2].end)
    return text[:before] + text[before + 1 : begin] + text[end:]


def _written(value: Any, text: str, indent: str) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False)
    lines = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda match: "[" + re.sub(r"\s*\n\s*", " ", match[1]) + "]", lines)
    return lines.replace("\n", _newline(text) + indent)


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)[^\s/*]", text)
    if found is None:
        return "  "
    return "\t" if found[1].startswith("\t") else found[1]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent_at(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_end(text: str, position: int) -> int:
    """Behind the comments that stand on the line yet, if nothing but those do."""
    found = _REST_OF_LINE.match(text, position)
    end = found.end() if found else position
    return end if text[end : end + 1] in ("\n", "\r") else position


def _skip(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position


def _value(text: str, start: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise _fault(text, start, "too many levels")
    opening = text[start : start + 1]
    if opening == "{":
        return _object(text, start, depth)
    if opening == "[":
        return _array(text, start, depth)
    found = (_STRING if opening == '"' else _WORD).match(text, start)
    if found is None:
        raise _fault(text, start, "a value is missing")
    try:
        return Node(start, found.end(), json.loads(found[0]))
    except ValueError as fault:
        raise _fault(text, start, "not a value") from fault


def _object(text: str, start: int, depth: int) -> Node:
    node = Node(start, value={})
    position = _skip(text, start + 1)
    while text[position : position + 1] != "}":
        key = _STRING.match(text, position)
        colon = _skip(text, key.end()) if key else position
        if key is None or text[colon : colon + 1] != ":":
            raise _fault(text, position, "a name and a colon are missing")
        value = _value(text, _skip(text, colon + 1), depth + 1)
        name = json.loads(key[0])
        node.members.append((name, position, value))
        node.value[name] = value.value
        position = _after(text, value.end, "}")
    node.end = position + 1
    return node


def _array(text: str, start: int, depth: int) -> Node:
    node = Node(start, value=[])
    position = _skip(text, start + 1)
    while text[position : position + 1] != "]":
        value = _value(text, position, depth + 1)
        node.value.append(value.value)
        position = _after(text, value.end, "]")
    node.end = position + 1
    return node


def _after(text: str, end: int, closing: str) -> int:
    """Where the next member begins, or the closing bracket is."""
    position = _skip(text, end)
    if text[position : position + 1] == ",":
        return _skip(text, position + 1)
    if text[position : position + 1] != closing:
        raise _fault(text, position, f"a comma or {closing} is missing")
    return position


def _fault(text: str, position: int, what: str) -> ValueError:
    return ValueError(f"line {text.count(chr(10), 0, position) + 1}: {what}")
