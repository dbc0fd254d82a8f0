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
# Where reading goes on after what is never closed: rather at a line's beginning than inside a body's indented lines.
_DEFINES = rb"(?=(?:CREATE|ALTER\s+TABLE|COMMENT\s+ON|DROP\s+(?:TABLE|VIEW))\b)"
_NEXT = (re.compile(rb"^" + _DEFINES, re.IGNORECASE | re.MULTILINE), re.compile(rb"^[ \t]+" + _DEFINES, re.IGNORECASE | re.MULTILINE))
_MAKES_TABLE = re.compile(rb"^(?=CREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW)\b)", re.IGNORECASE | re.MULTILINE)
_COPY = re.compile(rb"COPY\b", re.IGNORECASE)
# A line as pg_dump begins rows with; inside the rows of another COPY it means that those are not ended.
_BEGINS_ROWS = re.compile(rb"\nCOPY [^\n;]+ FROM stdin;\r?\n", re.IGNORECASE)
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
_CHANGES_ROWS = re.compile(rb"(?:INSERT|REPLACE|UPDATE|DELETE)\b", re.IGNORECASE)
_SEMICOLONS = re.compile(rb";[\s;]*+")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# A statement that defines a table is never larger; what is, is data or damage.
_LARGEST_STATEMENT = 4_000_000
_LONGEST_TAG = 80


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of interest: its text, where it begins, the comments that stand before it, and where to go on."""

    text: str
    lead: str
    start: int
    end: int
    encoding: str


@dataclass(frozen=True, slots=True)
class Unended:
    """What is begun and not ended, so that statements behind it may be lost: where it begins, what it is, how far was looked, and where
    the next statement seems to begin, if any does."""

    start: int
    what: str
    looked: int
    resume: int | None


def statements(data: Bytes, lexicon: Lexicon, position: int = 0) -> Iterator[Statement | Unended]:
    """The statements of interest from a position on, in order, up to the first thing that is not ended."""
    if position == 0 and data[:3] == _BYTE_ORDER_MARK:
        position = 3
    length, last_begins = len(data), position
    while True:
        begins = position
        position = _past_lead(data, lexicon, position)
        if position >= length:
            break
        skipped = _skipped(data, lexicon, position)
        if isinstance(skipped, Unended):
            yield skipped
            return
        if skipped is not None:
            changes_rows = _CHANGES_ROWS.match(data, position) is not None
            last_begins = position if changes_rows and skipped - position <= _LARGEST_STATEMENT else skipped
            position = (_table_inside(data, lexicon, position, skipped) if changes_rows else None) or skipped
            continue
        last, end = _extent(data, lexicon, position)
        is_of_interest = _OF_INTEREST.match(data, position)
        table = None if is_of_interest else _table_inside(data, lexicon, position, last)
        if table is not None:
            position = table
            continue
        unclosed = _unclosed(data, lexicon, position) if last == length else None
        last = unclosed.start if unclosed else last
        if is_of_interest and last - position <= _LARGEST_STATEMENT:
            text, encoding = _decoded(bytes(data[position:last]))
            lead, _ = _decoded(bytes(data[max(begins, position - 10_000) : position]))
            yield Statement(text, lead, position, end, encoding)
        if unclosed:
            yield unclosed
            return
        last_begins, position = position, end
    unclosed = _unclosed(data, lexicon, last_begins)
    if unclosed:
        yield unclosed


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


def _table_inside(data: Bytes, lexicon: Lexicon, start: int, end: int) -> int | None:
    """Where a CREATE TABLE stands in what would be passed over: T-SQL needs no semicolons, and others forget them."""
    if data.find(b"CREATE", start + 1, end) < 0 and data.find(b"create", start + 1, end) < 0:
        return None
    match = lexicon.before_table.match(data, start, end)
    return match.end() if match and match.end() > start else None


def _unclosed(data: Bytes, lexicon: Lexicon, position: int) -> Unended | None:
    """The comment, body or string that never ends, in what goes from a position to the end of the file. SQLite has its comments end there."""
    while (match := lexicon.closed.match(data, position)) and match.end() < len(data):
        start = match.end()
        if data[start : start + 2] == b"/*":
            what, resume = "the comment is opened and never closed", None if lexicon.dialect == "sqlite" else _next(data, start)
            return Unended(start, what, len(data), resume)
        if data[start : start + 1] == b"'":
            return Unended(
                start, "a quote is opened and never closed: what stands before it may be read wrongly", len(data), _next(data, start)
            )
        if data[start : start + 1] == b"$":
            tag = bytes(data[start : start + _LONGEST_TAG]).split(b"$")[1]
            return Unended(start, f"${_decoded(tag)[0]}$ is opened and never closed", len(data), _next(data, start))
        ends = _SEMICOLONS.match(data, start)
        position = ends.end() if ends else start + 1
    return None


def _next(data: Bytes, position: int) -> int | None:
    """Where the next statement that defines something seems to begin, after a place inside of what is not ended."""
    found = next((match for form in _NEXT if (match := form.search(data, position + 1))), None)
    return found.end() if found else None


def _skipped(data: Bytes, lexicon: Lexicon, position: int) -> int | Unended | None:
    """Where to go on after rows, routines and commands, or None where a statement stands."""
    passed = _LINE_COMMAND.match(data, position) or lexicon.rows.match(data, position)
    if passed:
        return max(passed.end(), position + 1)
    delimiter = _DELIMITER.match(data, position)
    if delimiter:
        return _past_delimiter(data, delimiter)
    if _COPY.match(data, position):
        return _past_copy(data, lexicon, position)
    if lexicon.ended_by_lines and _ROUTINE.match(data, position):
        block = _END_OF_BLOCK.search(data, position)
        return block.end() if block else _extent(data, lexicon, position)[1]
    return None


def _past_delimiter(data: Bytes, delimiter: re.Match[bytes]) -> int | Unended:
    """The place where the semicolon ends statements again. Routines may stand last in a file; tables behind them would be lost."""
    back = _BACK_TO_SEMICOLON.search(data, delimiter.end()) if delimiter[1] != b";" else delimiter
    table = None if back else _MAKES_TABLE.search(data, delimiter.end())
    if table is None:
        return back.end() if back else len(data)
    what = f"DELIMITER {_decoded(delimiter[1][:20])[0]} is never set back to ;"
    return Unended(delimiter.start(), what, len(data), table.end())


def _past_copy(data: Bytes, lexicon: Lexicon, position: int) -> int | Unended | None:
    """The place after COPY and, where they follow, its rows."""
    _, end = _extent(data, lexicon, position)
    if not _FROM_STDIN.search(bytes(data[position:end])):
        return end
    rows = _END_OF_ROWS.search(data, end)
    if rows and not _begins_rows(data, end, rows.start()):
        return rows.end()
    return Unended(position, "the rows of COPY are not ended by \\.", rows.end() if rows else len(data), _next(data, end - 1))


def _begins_rows(data: Bytes, start: int, end: int) -> bool:
    """Whether a COPY with rows of its own begins between two places."""
    found = data.find(b"\nCOPY ", start, end)
    return found >= 0 and _BEGINS_ROWS.search(data, found, end) is not None


def _decoded(raw: bytes) -> tuple[str, str]:
    try:
        return raw.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), "cp1252"
