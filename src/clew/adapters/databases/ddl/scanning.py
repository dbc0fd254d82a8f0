"""Where does each statement of a dump begin and end? Bytes are scanned where they lie; rows are passed over without being decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap

from clew.adapters.databases.ddl.lexicon import Lexicon

Bytes = bytes | mmap

# What defines a schema begins with one of these; everything else is passed over.
_OF_INTEREST = re.compile(rb"(?:CREATE|ALTER|COMMENT|DROP|USE|EXEC|EXECUTE|SET|RENAME|/\*!\d*\s*(?:CREATE|ALTER|DROP))\b", re.IGNORECASE)
# Where reading goes on in the text of a statement that is broken.
BEGINNING = re.compile(
    r"^[ \t]*(?=(?:CREATE|ALTER\s+(?:TABLE|FOREIGN)|COMMENT\s+ON|DROP\s+(?:TABLE|VIEW)|INSERT\s+INTO|COPY|EXEC)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_COPY = re.compile(rb"COPY\b", re.IGNORECASE)
_FROM_STDIN = re.compile(rb"\bFROM\s+STDIN\b[^;]*;?\s*\Z", re.IGNORECASE)
_END_OF_ROWS = re.compile(rb"^\\\.[ \t]*\r?$", re.MULTILINE)
_DELIMITER = re.compile(rb"DELIMITER[ \t]+(\S+)[^\n]*", re.IGNORECASE)
_BACK_TO_SEMICOLON = re.compile(rb"^[ \t]*DELIMITER[ \t]+;", re.IGNORECASE | re.MULTILINE)
# Commands of psql, sqlite3 and sqlplus are lines, not statements.
_LINE_COMMAND = re.compile(
    rb"(?:\\\S|\.[a-z]+\b|GO[ \t]*(?:\d+[ \t]*)?\r?(?=\n|\Z)|/[ \t]*\r?(?=\n|\Z)|@\S|(?:PROMPT|REM|SPOOL|WHENEVER|SET[ \t]+(?:DEFINE|ECHO|FEEDBACK|"
    rb"SERVEROUTPUT|SQLBLANKLINES|TERMOUT|ANSI_\w+|QUOTED_IDENTIFIER|NOCOUNT|XACT_ABORT|ARITHABORT|NUMERIC_ROUNDABORT|CONCAT_\w+))\b)[^\n]*",
    re.IGNORECASE,
)
_ROUTINE = re.compile(
    rb"CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:(?:NON)?EDITIONABLE\s+)?(?:TRIGGER|PROCEDURE|PROC|FUNCTION|PACKAGE|TYPE\s+BODY)\b|DECLARE\b|BEGIN\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_END_OF_BLOCK = re.compile(rb"^(?:/|GO)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# A statement that defines a table is never larger; what is, is data or damage.
_LARGEST_STATEMENT = 4_000_000


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of interest: its text, where it begins, the comments that stand before it, and where to go on."""

    text: str
    lead: str
    start: int
    end: int
    encoding: str


def statements(data: Bytes, lexicon: Lexicon, position: int = 0) -> Iterator[Statement]:
    """The statements of interest from a position on, in order."""
    if position == 0 and data[:3] == _BYTE_ORDER_MARK:
        position = 3
    length = len(data)
    while True:
        begins = position
        position = _past_lead(data, lexicon, position)
        if position >= length:
            return
        skipped = _skipped(data, lexicon, position)
        if skipped is not None:
            position = skipped
            continue
        last, end = _extent(data, lexicon, position)
        if _OF_INTEREST.match(data, position) and last - position <= _LARGEST_STATEMENT:
            text, encoding = _decoded(bytes(data[position:last]))
            lead, _ = _decoded(bytes(data[max(begins, position - 10_000) : position]))
            yield Statement(text, lead, position, end, encoding)
        position = end


class Lines:
    """On which line a byte stands, counted on line feeds; asked in order, each byte is looked at once."""

    def __init__(self, data: Bytes) -> None:
        self._data, self._at, self._line = data, 0, 1

    def of(self, position: int) -> int:
        """The line of a byte."""
        if position < self._at:
            self._at, self._line = 0, 1
        self._line += bytes(self._data[self._at : position]).count(b"\n")
        self._at = position
        return self._line


def _past_lead(data: Bytes, lexicon: Lexicon, position: int) -> int:
    match = lexicon.lead.match(data, position)
    return match.end() if match else position


def _extent(data: Bytes, lexicon: Lexicon, position: int) -> tuple[int, int]:
    """Where a statement ends, and where what ends it does."""
    match = lexicon.body.match(data, position)
    return (match.start("end"), max(match.end(), position + 1)) if match else (len(data), len(data))


def _skipped(data: Bytes, lexicon: Lexicon, position: int) -> int | None:
    """Where to go on after rows, routines and commands, or None where a statement stands."""
    passed = _LINE_COMMAND.match(data, position) or lexicon.rows.match(data, position)
    if passed:
        return max(passed.end(), position + 1)
    delimiter = _DELIMITER.match(data, position)
    if delimiter:
        back = _BACK_TO_SEMICOLON.search(data, delimiter.end()) if delimiter[1] != b";" else delimiter
        return back.end() if back else len(data)
    if _COPY.match(data, position):
        return _past_copy(data, lexicon, position)
    if lexicon.ended_by_lines and _ROUTINE.match(data, position):
        block = _END_OF_BLOCK.search(data, position)
        return block.end() if block else _extent(data, lexicon, position)[1]
    return None


def _past_copy(data: Bytes, lexicon: Lexicon, position: int) -> int:
    """The place after COPY and, where they follow, its rows."""
    _, end = _extent(data, lexicon, position)
    rows = _END_OF_ROWS.search(data, end) if _FROM_STDIN.search(bytes(data[position:end])) else None
    return rows.end() if rows else end


def _decoded(raw: bytes) -> tuple[str, str]:
    try:
        return raw.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), "cp1252"
