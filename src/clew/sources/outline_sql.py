"""Which objects does a SQL script create? A scan by statements that needs no dialect: quotes, dollar quotes, blocks, GO and DELIMITER."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from clew.sources.outline_tree import NamedSpan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TOKEN = re.compile(
    rb"--[^\n]*|/\*.*?\*/"
    rb"|\$(\w*)\$.*?\$\1\$"
    rb"|'[^']*'|\"[^\"\n]*\"|`[^`\n]*`|\[[^\]\n]*\]"
    rb"|^[ \t]*(?:GO|/)[ \t]*\r?$|^[ \t]*DELIMITER[ \t]+\S+"
    rb"|;|//|\$\$|\b(?:BEGIN|END(?:[ \t]+(?:IF|LOOP|WHILE|REPEAT|FOR))?|CASE|AS|IS|CREATE|ALTER)\b",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_PART = rb"(?:\"[^\"\n]+\"|`[^`\n]+`|\[[^\]\n]+\]|[\w$#@]+)"
_CREATE = re.compile(
    rb"(?:create|alter)\s+(?:or\s+(?:replace|alter)\s+)?"
    rb"(?:(?:global|local|temp|temporary|unlogged|external|foreign|virtual|materialized|recursive|(?:non)?editionable|transient|secure|aggregate"
    rb"|constraint|force|no\s+force|definer\s*=\s*\S+|algorithm\s*=\s*\w+|sql\s+security\s+\w+)\s+)*"
    rb"(table|view|function|procedure|proc|trigger|type|domain|package(?:\s+body)?|macro|event)\s+(?:if\s+not\s+exists\s+)?"
    rb"(" + _PART + rb"(?:\s*\.\s*" + _PART + rb")*)",
    re.IGNORECASE,
)
_KINDS = {b"proc": "procedure", b"domain": "type", b"package": "module", b"package body": "module"}
_PROCEDURAL = frozenset(("function", "procedure", "trigger", "module", "event"))
_ALTERED = frozenset(("function", "procedure", "trigger", "view"))
_INSERT = re.compile(rb"(?:insert\s+into|copy)\s+(" + _PART + rb"(?:\s*\.\s*" + _PART + rb")*)", re.IGNORECASE)
_MANY_ROWS = 50
"""Lines of INSERT into one table from which they are its data rather than part of the script."""
_SPACE = re.compile(rb"\s*")


class _Open(NamedTuple):
    """The statement under way: `waits` while a body is announced (AS, IS) and not yet begun."""

    start: int
    procedural: bool = False
    waits: bool = False
    depth: int = 0


def scan(source: bytes) -> list[NamedSpan]:
    """The tables, views, functions, procedures, triggers and types that a script creates, with their whole bodies."""
    rows = [0, *accumulate(len(row) + 1 for row in source.split(b"\n"))]
    found: list[NamedSpan] = []
    data: list[NamedSpan] = []
    for start, end in _statements(source):
        created = _created(source, start, end, rows)
        inserted = None if created else _inserted(source, start, end, rows)
        if data and (inserted is None or inserted.name != data[-1].name):
            found += _as_data(data)
            data = []
        if created:
            found.append(created)
        elif inserted:
            data.append(inserted)
    return found + _as_data(data)


def _as_data(rows: Sequence[NamedSpan]) -> list[NamedSpan]:
    """Many INSERTs into one table are one definition: its data."""
    if not rows or rows[-1].last_row - rows[0].row + 1 < _MANY_ROWS:
        return []
    return [rows[0]._replace(end=rows[-1].end, last_row=rows[-1].last_row)]


def _statements(source: bytes) -> Iterator[tuple[int, int]]:
    """The byte range of each statement, its terminator included."""
    by_go = re.search(rb"^[ \t]*GO[ \t]*\r?$", source, re.IGNORECASE | re.MULTILINE) is not None
    delimiter = b";"
    current = _Open(0)
    for match in _TOKEN.finditer(source):
        token = match[0]
        word = token.strip().upper()
        if token[:2] in (b"--", b"/*"):
            current = current if _text_before(source, current.start, match.start()) else _Open(match.end())
        elif word.startswith(b"DELIMITER"):
            delimiter = word.split()[-1]
            current = _Open(match.end())
        elif word in (b"GO", b"/") and token[:1] != b"[":
            yield current.start, match.start()
            current = _Open(match.end())
        elif _ends(word, delimiter, current, by_go):
            yield current.start, match.end()
            current = _Open(match.end())
        elif word in (b"CREATE", b"ALTER") and _starts_line(source, match.start()) and current.depth == 0:
            if _text_before(source, current.start, match.start()):
                yield current.start, match.start()
            current = _Open(match.start(), _is_procedural(source, match.start()))
        else:
            current = _inside(current, word, token)
    yield current.start, len(source)


def _ends(word: bytes, delimiter: bytes, current: _Open, by_go: bool) -> bool:
    if word != delimiter:
        return False
    if delimiter != b";":
        return True
    return current.depth == 0 and not current.waits and not (by_go and current.procedural)


def _inside(current: _Open, word: bytes, token: bytes) -> _Open:
    """What a word inside a statement tells about where it ends."""
    if not current.procedural:
        return current
    if token[:1] in (b"'", b"$"):
        return current._replace(waits=False)
    if word in (b"AS", b"IS"):
        return current._replace(waits=current.depth == 0)
    if word in (b"BEGIN", b"CASE"):
        return current._replace(depth=current.depth + 1, waits=False)
    if word == b"END" and current.depth:
        return current._replace(depth=current.depth - 1)
    return current


def _text_before(source: bytes, start: int, end: int) -> bool:
    return bool(source[start:end].strip())


def _starts_line(source: bytes, position: int) -> bool:
    return not source[source.rfind(b"\n", 0, position) + 1 : position].strip()


def _is_procedural(source: bytes, start: int) -> bool:
    match = _CREATE.match(source, start)
    return match is not None and _kind(match) in _PROCEDURAL


def _kind(match: re.Match[bytes]) -> str:
    word = re.sub(rb"\s+", b" ", match[1].lower())
    return _KINDS.get(word, word.decode())


def _created(source: bytes, start: int, end: int, rows: Sequence[int]) -> NamedSpan | None:
    blank = _SPACE.match(source, start, end)
    start = blank.end() if blank else start
    match = _CREATE.match(source, start)
    if match is None or (source[start : start + 5].lower() == b"alter" and _kind(match) not in _ALTERED):
        return None
    return _span(source, start, end, rows, _kind(match), match[2])


def _inserted(source: bytes, start: int, end: int, rows: Sequence[int]) -> NamedSpan | None:
    blank = _SPACE.match(source, start, end)
    start = blank.end() if blank else start
    match = _INSERT.match(source, start)
    return _span(source, start, end, rows, "data", match[1]) if match else None


def _span(source: bytes, start: int, end: int, rows: Sequence[int], kind: str, name: bytes) -> NamedSpan:
    parts = [part.strip(b'"`[]').decode("utf-8", "replace") for part in re.findall(_PART, name)]
    end = start + len(source[start:end].rstrip())
    row, last = bisect_right(rows, start) - 1, bisect_right(rows, end - 1) - 1
    return NamedSpan(start, end, row, row, last, kind, parts[-1], ".".join(parts[:-1]), head=start)
