"""In which order are migrations read, and which parts of them only undo others? The forms of goose, dbmate, sql-migrate, golang-migrate, Diesel, Flyway."""

from __future__ import annotations

import re
from pathlib import Path

from clew.adapters.databases.ddl.scanning import Bytes

_DIRECTION = re.compile(rb"^[ \t]*--[ \t]*(?:\+(?:goose|migrate|micrate)[ \t]+|migrate:)(up|down)\b", re.IGNORECASE | re.MULTILINE)
_UNDOES = re.compile(r"(?:^|[._-])(?:down|undo|rollback|revert)$|^U\d[\d.]*__")
_NUMBER = re.compile(r"(\d+)")


def in_order(file: Path) -> tuple[tuple[int, int, str], ...]:
    """Sorts paths as people number them: 2 before 10."""
    parts = (part for name in file.parts for part in _NUMBER.split(name) if part)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)


def undoes(file: Path) -> bool:
    """Whether a file by its name takes back what another does."""
    return bool(_UNDOES.search(file.name.split(".sql")[0]))


def without_undoing(data: Bytes) -> Bytes:
    """The bytes of a file with the parts that take it back left blank; lines stay where they are."""
    marks = list(_DIRECTION.finditer(data))
    if not any(mark[1].lower() == b"down" for mark in marks):
        return data
    kept, at, is_up = bytearray(), 0, True
    for mark in [*marks, None]:
        part = bytes(data[at : mark.start() if mark else len(data)])
        kept += part if is_up else b"\n" * part.count(b"\n")
        if mark:
            at, is_up = mark.start(), mark[1].lower() == b"up"
    return bytes(kept)
