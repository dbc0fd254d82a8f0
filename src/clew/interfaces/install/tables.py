"""How is one table of a TOML or YAML file changed, and nothing else? Its lines are put in or taken out, and the result is read to be sure."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

_BY_HAND = "its form is one that is not edited: change it by hand"


def put_toml(text: str, keys: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with a table of its own under a path of keys. Raises ValueError for what is no TOML, or cannot be edited."""
    before = tomllib.loads(text)
    if _at(before, keys) == value:
        return text
    rest = drop_toml(text, keys)
    lines = [f"[{'.'.join(keys)}]", *(f"{key} = {json.dumps(one, ensure_ascii=False)}" for key, one in value.items())]
    newline = _newline(text)
    gap = "" if not rest.strip() else newline if rest.endswith("\n") else newline * 2
    after = f"{rest}{gap}{newline.join(lines)}{newline}"
    return _sure(after, tomllib.loads, before, keys, value)


def drop_toml(text: str, keys: Sequence[str]) -> str:
    """The text without the table and those below it."""
    before = tomllib.loads(text)
    if _at(before, keys) is None:
        return text
    name = r"\s*\.\s*".join(f"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')" for key in keys)
    header = re.compile(rf"^\s*\[\s*{name}\s*(?:\.[^\]]*)?\]\s*(?:#.*)?$")
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            was, inside = inside, header.match(line.rstrip("\r\n")) is not None
            if inside and not was and kept and not kept[-1].strip():
                kept.pop()
        if not inside:
            kept.append(line)
    return _sure("".join(kept), tomllib.loads, before, keys, None)


def put_yaml(text: str, keys: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with a mapping under two keys, the first at the top. Raises ValueError for what is no YAML, or cannot be edited."""
    outer, inner = keys
    before = _yaml(text)
    if _at(before, keys) == value:
        return text
    rest = drop_yaml(text, keys)
    newline = _newline(text)
    lines = rest.splitlines(keepends=True)
    place = next((number for number, line in enumerate(lines) if _names(line, outer)), None)
    indent = _indent_below(lines, place) if place is not None else "  "
    block = [
        f"{indent}{inner}:{newline}",
        *(f"{indent * 2}{key}: {json.dumps(one, ensure_ascii=False)}{newline}" for key, one in value.items()),
    ]
    if place is None:
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += newline
        lines += [f"{outer}:{newline}", *block]
    else:
        if not lines[place].endswith("\n"):
            lines[place] += newline
        lines[place + 1 : place + 1] = block
    return _sure("".join(lines), _yaml, before, keys, value)


def drop_yaml(text: str, keys: Sequence[str]) -> str:
    """The text without the mapping, and without the outer one where that is empty then."""
    outer, inner = keys
    before = _yaml(text)
    if _at(before, keys) is None:
        return text
    lines = text.splitlines(keepends=True)
    top = next((number for number, line in enumerate(lines) if _names(line, outer)), len(lines))
    first = next((n for n in range(top + 1, len(lines)) if _names(lines[n].lstrip(), inner) and lines[n][:1] in " \t"), len(lines))
    depth = len(lines[first]) - len(lines[first].lstrip()) if first < len(lines) else 0
    last = first + 1
    while last < len(lines) and (len(lines[last]) - len(lines[last].lstrip(" \t")) > depth) and lines[last].strip():
        last += 1
    del lines[first:last]
    if isinstance(before, dict) and len(before[outer]) == 1:
        del lines[top]
    return _sure("".join(lines), _yaml, before, keys, None)


def _names(line: str, key: str) -> bool:
    return re.match(rf"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')\s*:\s*(?:#.*)?$", line.rstrip("\r\n")) is not None


def _indent_below(lines: Sequence[str], place: int) -> str:
    """The indentation of what stands below a line, two blanks where nothing does."""
    for line in lines[place + 1 :]:
        if line.strip() and not line.lstrip().startswith("#"):
            return line[: len(line) - len(line.lstrip(" "))] or "  "
    return "  "


def _yaml(text: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        raise ValueError(f"line {mark.line + 1}: {getattr(fault, 'problem', fault)}" if mark else str(fault)) from fault


def _sure(after: str, read: Any, before: Any, keys: Sequence[str], value: Any) -> str:
    """The text, if it says what it said before and the change. Raises ValueError else."""
    try:
        said = read(after)
    except ValueError as fault:
        raise ValueError(_BY_HAND) from fault
    if _without(said, keys) != _without(before, keys) or _at(said, keys) != value:
        raise ValueError(_BY_HAND)
    return after


def _at(value: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _without(value: Any, keys: Sequence[str]) -> Any:
    """The value without what is at a path of keys, and without what is empty then."""
    if not isinstance(value, dict):
        return value or {}
    inner = _without(value[keys[0]], keys[1:]) if keys[1:] and keys[0] in value else None
    rest = {key: one for key, one in value.items() if key != keys[0]}
    return {**rest, **({keys[0]: inner} if inner else {})}


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
