"""What are the words of SQL? Quotes, comments and tokens as each dialect has them, for scanning dumps and for reading statements.

sqlglot reads the queries of views. Statements that define tables are read with these tokens instead of its parser: types, defaults and checks
must come out in the database's own words, comments beside columns count, and one clause that nobody knows must not cost a table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

Kind = Literal["word", "quoted", "string", "number", "mark"]

# Names that people use for the dialects that sqlglot knows under another.
ALIASES = {
    "postgresql": "postgres",
    "mariadb": "mysql",
    "mssql": "tsql",
    "sqlserver": "tsql",
    "sqlite3": "sqlite",
    "bq": "bigquery",
}
MAIN_DIALECTS = ("postgres", "mysql", "sqlite", "tsql", "oracle", "snowflake", "bigquery", "duckdb")

_BACKSLASH_STRINGS = frozenset(
    {"mysql", "bigquery", "snowflake", "spark", "spark2", "hive", "databricks", "clickhouse", "doris", "starrocks", "tidb"}
)
_BACKTICKS = frozenset({"mysql", "bigquery", "sqlite", "spark", "spark2", "hive", "databricks", "clickhouse", "doris", "starrocks", "tidb"})
_DOUBLE_QUOTED_STRINGS = frozenset({"mysql", "bigquery", "spark", "spark2", "hive", "databricks", "doris", "starrocks", "tidb"})
_BRACKETS = frozenset({"tsql", "sqlite", "fabric"})
_HASH_COMMENTS = frozenset({"mysql", "bigquery", "doris", "starrocks", "tidb"})
# A bracket that is not closed within so many bytes opens no name: to look for its end in the whole file would be done for each.
_LONGEST_NAME = 1_000
# Comments hold comments there, as in standard SQL.
_NESTED_COMMENTS = frozenset({"postgres", "duckdb", "redshift", "materialize", "risingwave", "tsql", "fabric"})
_NESTED_SO_DEEP = 3
_DOLLAR_QUOTES = frozenset({"postgres", "duckdb", "snowflake", "redshift", "materialize", "risingwave", "databricks"})
_FOLDS_DOWN = frozenset({"postgres", "redshift", "materialize", "risingwave"})
_FOLDS_UP = frozenset({"oracle", "snowflake", "exasol"})

_ENDED_BY_LINES = frozenset({"tsql", "fabric", "oracle"})
_LINES_THAT_END = r";|\n[ \t]*+GO[ \t]*+(?:\d+[ \t]*+)?(?=\r?\n|\r?\Z)|\n/[ \t]*+(?=\r?\n|\r?\Z)"
_MAKES_TABLE = r"\bCREATE\s++(?:TEMP\s++|TEMPORARY\s++)?TABLE\s++[^\s(]++(?:\s++NOT\s++EXISTS\s++[^\s(]++)?\s*+\("
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b"}
_DELIMITED = re.compile(r"^[A-Za-z&]*\$(?P<tag>\w*)\$(?P<body>.*)\$(?P=tag)\$$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a statement with its place; `text` is as written, quotes and all."""

    kind: Kind
    text: str
    start: int
    end: int
    word: str  # in capitals where a keyword could stand, else empty


@dataclass(slots=True)
class Tokens:
    """A statement's tokens. Comments lie before the token that follows them, or after the one on whose line they begin."""

    source: str
    tokens: list[Token] = field(default_factory=list)
    before: dict[int, list[str]] = field(default_factory=dict)
    after: dict[int, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The lexical rules of one dialect."""

    dialect: str
    backslashes: bool
    double_quoted_strings: bool
    folds_down: bool
    folds_up: bool
    token: re.Pattern[str]
    ended_by_lines: bool
    body: re.Pattern[bytes]
    closed: re.Pattern[bytes]  # a statement up to what in it is opened and never closed
    rows: re.Pattern[bytes]
    before_table: re.Pattern[bytes]  # what stands before the first CREATE TABLE that is no string or comment
    lead: re.Pattern[bytes]

    def fold(self, name: str) -> str:
        """An unquoted name as the database keeps it."""
        return name.lower() if self.folds_down else name.upper() if self.folds_up else name

    def name(self, token: Token) -> str:
        """What a token names: quotes taken off, unquoted names folded."""
        if token.kind == "word":
            return self.fold(token.text)
        if token.kind in ("quoted", "string") and len(token.text) >= 2:
            close = token.text[-1]
            return token.text[1:-1].replace(close * 2, close)
        return token.text

    def string(self, token: Token) -> str:
        """The value of a string literal."""
        delimited = _DELIMITED.match(token.text)
        if delimited:
            return delimited["body"]
        at = next((place for place, character in enumerate(token.text) if character in "'\""), 0)
        quote, prefix = token.text[at], token.text[:at].upper()
        if token.text[at:].startswith('"""'):
            return token.text[at + 3 : -3]
        body = token.text[at + 1 : -1] if token.text.endswith(quote) else token.text[at + 1 :]
        body = body.replace(quote * 2, quote)
        if self.backslashes or prefix.startswith("E"):
            body = re.sub(r"\\(.)", lambda found: _SIMPLE_ESCAPES.get(found[1], found[1]), body, flags=re.DOTALL)
        return body


def tokenise(source: str, lexicon: Lexicon) -> Tokens:
    """The tokens of a statement. Any text has some: what is no word, string or number is a mark of one character."""
    found = Tokens(source)
    tokens, previous_line_ends = found.tokens, -1
    for match in lexicon.token.finditer(source):
        kind = match.lastgroup
        if kind is None:
            continue
        if kind == "comment":
            same_line = bool(tokens) and "\n" not in source[previous_line_ends : match.start()]
            place = found.after.setdefault(len(tokens) - 1, []) if same_line else found.before.setdefault(len(tokens), [])
            place.append(match.group())
            continue
        text = match.group()
        word = text.upper() if kind == "word" else text if kind == "mark" else ""
        tokens.append(Token(kind, text, match.start(), match.end(), word))  # type: ignore[arg-type]
        previous_line_ends = match.end()
    return found


@cache
def lexicon_of(dialect: str) -> Lexicon:
    """The rules of a dialect, by sqlglot's name of it."""
    quoted, comment = _quoted(dialect), _comment(dialect)
    hashes = dialect in _HASH_COMMENTS
    word = r"[^\W\d][\w$]*+|@{1,2}[\w$]++" if hashes else r"[^\W\d][\w$#@]*+|[@#]{1,2}[\w$#@]++"
    parts = {"comment": comment, "string": _string(dialect, prefixed=True), "quoted": quoted, "number": r"\d[\w.]*+|\.\d\w*+", "word": word}
    token = r"\s++|" + "|".join(f"(?P<{kind}>{form})" for kind, form in parts.items()) + r"|(?P<mark>::|\S)"
    ends = _LINES_THAT_END if dialect in _ENDED_BY_LINES else ";"
    plain = r"[^'\"`$;\-/#\[\n]++" if dialect in _ENDED_BY_LINES else r"[^'\"`$;\-/#\[]++"
    inside = rf"(?:{plain}|{comment}|{_string(dialect, prefixed=False)}|{quoted}|(?!{ends}).)*+"
    lead = rf"(?:[\s;]++|(?!/\*!)(?:{comment}))*+"
    opening = r"'|/\*|\$(?:[A-Za-z_]\w*+)?\$" if dialect in _DOLLAR_QUOTES else r"'|/\*"
    closed_comment, closed_string = _comment(dialect, r"\*/"), _string(dialect, prefixed=False, or_end="")
    closed = rf"(?:{plain}|{closed_comment}|{closed_string}|{quoted}|(?!{ends})(?!{opening}).)*+"
    other = rf"[^'\"`$\-/#\[cC]++|{comment}|{_string(dialect, prefixed=False)}|{quoted}|(?!{_MAKES_TABLE})."
    return Lexicon(
        dialect=dialect,
        backslashes=dialect in _BACKSLASH_STRINGS,
        double_quoted_strings=dialect in _DOUBLE_QUOTED_STRINGS,
        folds_down=dialect in _FOLDS_DOWN,
        folds_up=dialect in _FOLDS_UP,
        ended_by_lines=dialect in _ENDED_BY_LINES,
        token=re.compile(token, re.DOTALL),
        body=re.compile(rf"{inside}(?P<end>{ends}|\Z)".encode(), re.DOTALL | re.IGNORECASE),
        closed=re.compile(closed.encode(), re.DOTALL | re.IGNORECASE),
        rows=re.compile(rf"(?:(?:INSERT|REPLACE|UPDATE|DELETE)\b{inside};\s*+)++".encode(), re.DOTALL | re.IGNORECASE),
        before_table=re.compile(rf"(?:{other})*+(?={_MAKES_TABLE})".encode(), re.DOTALL | re.IGNORECASE),
        lead=re.compile(lead.encode(), re.DOTALL),
    )


def _comment(dialect: str, end: str = r"(?:\*/|\Z)") -> str:
    inside = r".*?"
    for _ in range(_NESTED_SO_DEEP if dialect in _NESTED_COMMENTS else 0):
        inside = rf"(?:[^/*]++|(?!/\*|\*/).|/\*{inside}{end})*+"
    forms = [r"--[^\n]*+", rf"/\*{inside}{end}"]
    return "|".join([*forms, r"#[^\n]*+"] if dialect in _HASH_COMMENTS else forms)


def _string(dialect: str, *, prefixed: bool, or_end: str = r"|\Z") -> str:
    """String literals, with their prefix where they are read as tokens; where text is only skipped, the prefix is behind the quote."""
    escaped, doubled = r"'(?:[^'\\]++|\\.|'')*+'", r"'(?:[^']++|'')*+'"
    if dialect in _BACKSLASH_STRINGS:
        forms = [rf"[A-Za-z]?{escaped}" if prefixed else escaped]
    elif prefixed:
        forms = [rf"[eE]{escaped}", rf"[NnBbXx]?{doubled}"]
    else:
        forms = [rf"(?<=[^A-Za-z0-9_][eE]){escaped}", doubled]
    if dialect in _DOUBLE_QUOTED_STRINGS:
        triple = [r'"""(?:[^"\\]++|\\.|"(?!""))*+"""'] if dialect == "bigquery" else []
        forms += [*triple, r'"(?:[^"\\]++|\\.|"")*+"']
    if dialect in _DOLLAR_QUOTES:
        forms.append(rf"\$(?P<tag>(?:[A-Za-z_]\w*+)?)\$.*?(?:\$(?P=tag)\${or_end})")
    return "|".join(forms)


def _quoted(dialect: str) -> str:
    forms = [] if dialect in _DOUBLE_QUOTED_STRINGS else [r'"(?:[^"]++|"")*+"']
    if dialect in _BACKTICKS:
        forms.append(r"`(?:[^`\\]++|\\.)*+`" if dialect == "bigquery" else r"`(?:[^`]++|``)*+`")
    if dialect in _BRACKETS:
        forms.append(rf"\[(?=[^\]]{{0,{_LONGEST_NAME}}}\])(?:[^\]]++|\]\])*+\]")
    return "|".join(forms)
