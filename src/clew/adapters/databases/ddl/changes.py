"""What does each statement change in the catalog? CREATE, DROP, COMMENT ON and their kin, by their first words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from clew.adapters.databases.conditions import bare
from clew.adapters.databases.ddl.alterations import alter_table, changes_something
from clew.adapters.databases.ddl.columns import read_type
from clew.adapters.databases.ddl.cursor import Cursor, Malformed
from clew.adapters.databases.ddl.describing import add_property, comment_on
from clew.adapters.databases.ddl.drafts import ColumnDraft, Name, NamedType, Reading, TableDraft
from clew.adapters.databases.ddl.lexicon import Lexicon, tokenise
from clew.adapters.databases.ddl.remarks import remark_before
from clew.adapters.databases.ddl.scanning import BEGINNING
from clew.adapters.databases.ddl.tables import read_table
from clew.adapters.databases.ddl.views import read_view

# Words that may stand between CREATE and what is created.
_BEFORE_KIND = frozenset(
    {
        *(
            "OR",
            "REPLACE",
            "ALTER",
            "GLOBAL",
            "LOCAL",
            "UNLOGGED",
            "EXTERNAL",
            "FOREIGN",
            "TRANSIENT",
            "VOLATILE",
            "VIRTUAL",
            "HYBRID",
            "ICEBERG",
            "DYNAMIC",
        ),
        *(
            "FORCE",
            "NOFORCE",
            "NO",
            "EDITIONABLE",
            "NONEDITIONABLE",
            "SECURE",
            "RECURSIVE",
            "ALGORITHM",
            "=",
            "UNDEFINED",
            "MERGE",
            "TEMPTABLE",
            "DEFINER",
        ),
        *(
            "SQL",
            "SECURITY",
            "INVOKER",
            "MATERIALIZED",
            "TEMP",
            "TEMPORARY",
            "PRIVATE",
            "SHARDED",
            "DUPLICATED",
            "IMMUTABLE",
            "BLOCKCHAIN",
            "UNIQUE",
        ),
        *("CLUSTERED", "NONCLUSTERED", "COLUMN", "SNAPSHOT"),
    }
)
_BEGIN = frozenset({"CREATE", "ALTER", "INSERT", "DROP", "EXEC", "EXECUTE", "GO", "COPY", "USE", "GRANT", "COMMENT"})
_ALTERED = frozenset(
    {"TABLE", "VIEW", "INDEX", "SEQUENCE", "SCHEMA", "DATABASE", "TYPE", "FUNCTION", "PROCEDURE", "TRIGGER", "FOREIGN", "MATERIALIZED"}
)
_ROUTINES = frozenset({"TRIGGER", "PROCEDURE", "PROC", "FUNCTION", "PACKAGE", "EVENT"})
_WORDS_BEFORE_KIND = 8
_CONDITIONAL_COMMENT = re.compile(r"/\*!\d*(.*?)\*/", re.DOTALL)
_LOOKED_AT_FOR_NAME = 500
_DEFINER = re.compile(r"\bDEFINER\s*=\s*(?:`[^`]*`|'[^']*'|\w+)(?:@(?:`[^`]*`|'[^']*'|[\w.%]+))?", re.IGNORECASE)


class Broken(NamedTuple):
    """A statement that cannot be read: where it begins in the text, why, and where reading may go on."""

    at: int
    reason: str
    resume: int | None


def read_statement(text: str, lead: str, reading: Reading) -> Broken | None:
    """Carry out a statement on the catalog, and those after it that no semicolon parts from it; the first that is broken ends it."""
    if reading.lexicon.dialect == "mysql":
        text = _DEFINER.sub(lambda found: " " * len(found[0]), _CONDITIONAL_COMMENT.sub(lambda found: " " * 3 + found[1] + "  ", text))
    tokens = tokenise(text, reading.lexicon)
    start, end = 0, len(tokens.tokens)
    if end and tokens.tokens[-1].word == ";":
        end -= 1
    while start < end:
        cursor = Cursor(tokens, reading.lexicon, start, end)
        try:
            cursor.end = _next_statement(cursor)
            following = cursor.end
            reader = _READERS.get(cursor.next().word)
            if reader:
                reader(cursor, reading, lead)
        except (Malformed, RecursionError) as broken:
            at = tokens.tokens[start].start
            line = text.find("\n", at) + 1
            again = BEGINNING.search(text, line) if line else None
            return Broken(at, str(broken) or "nested too deeply", again.end() if again else None)
        start, lead = following, ""
    return None


def named_in(text: str, lexicon: Lexicon) -> Name:
    """The table or view that a statement is about, as far as a broken one tells; else empty."""
    cursor = Cursor(tokenise(text[:_LOOKED_AT_FOR_NAME], lexicon), lexicon)
    while not cursor.is_done:
        if cursor.next().word in ("TABLE", "VIEW"):
            cursor.if_not_exists()
            try:
                return cursor.qualified()
            except Malformed:
                return ()
    return ()


def _create(cursor: Cursor, reading: Reading, lead: str) -> None:
    words: set[str] = set()
    while cursor.word() in _BEFORE_KIND and not (cursor.word() == "COLUMN" and not cursor.word(1)):
        words.add(cursor.next().word)
    kind = cursor.next().word
    if kind == "TABLE":
        _create_table(cursor, reading, lead, words)
    elif kind == "VIEW" or (kind == "QUERY" and "MATERIALIZED" in words):
        _create_view(cursor, reading, lead, words)
    elif kind in ("TYPE", "DOMAIN"):
        _create_type(cursor, reading)
    elif kind == "INDEX" and "UNIQUE" in words:
        _create_index(cursor, reading)


def _create_table(cursor: Cursor, reading: Reading, lead: str, words: set[str]) -> None:
    is_optional = cursor.if_not_exists()
    start = cursor.at
    table = TableDraft(_named(cursor))
    if "FOREIGN" in words or "EXTERNAL" in words:
        table.kind = "foreign_table"
    read_table(cursor, table)
    if "TEMP" in words or "TEMPORARY" in words or table.name[-1].startswith("#"):
        return
    _check_strings(cursor)
    table.description = table.description or remark_before(lead)
    if not (table.columns or table.copies or table.query or cursor.text(start, cursor.end).rstrip().endswith(")")) and table.degraded:
        raise Malformed(table.degraded[0])
    if not (is_optional and reading.catalog.same(table.name) in reading.catalog.tables):
        reading.catalog.put(table)
    reading.warn_of(table, 0, lambda: reading.where(cursor.found.tokens[cursor.began].start))


def _create_view(cursor: Cursor, reading: Reading, lead: str, words: set[str]) -> None:
    cursor.if_not_exists()
    view = TableDraft(_named(cursor), kind="materialized_view" if "MATERIALIZED" in words else "view")
    read_view(cursor, view)
    _check_strings(cursor)
    if "TEMP" in words or "TEMPORARY" in words:
        return
    view.description = view.description or remark_before(lead)
    reading.catalog.put(view)


def _create_type(cursor: Cursor, reading: Reading) -> None:
    cursor.if_not_exists()
    name = cursor.qualified()
    made = NamedType()
    if cursor.accept("AS", "ENUM"):
        made.labels = tuple(cursor.lexicon.string(item.peek()) for item in cursor.group().items())
    elif cursor.word() == "AS" and cursor.word(1) == "(":
        return
    else:
        cursor.accept("AS") or cursor.accept("FROM")
        base = ColumnDraft("")
        read_type(cursor, base)
        made.base = base.dtype
        while not cursor.is_done:
            if cursor.accept("CHECK"):
                inside = cursor.group()
                made.check = bare(cursor.text(inside.at, inside.end))
            elif cursor.accept("NOT", "NULL"):
                made.nullable = False
            else:
                cursor.skip()
    reading.catalog.types[reading.catalog.same(name)] = made


def _create_index(cursor: Cursor, reading: Reading) -> None:
    cursor.accept("CONCURRENTLY")
    cursor.if_not_exists()
    name = "" if cursor.word() == "ON" else cursor.qualified()[-1]
    cursor.expect("ON")
    cursor.accept("ONLY")
    of = cursor.qualified()
    if cursor.accept("USING"):
        cursor.next()
    try:
        columns = cursor.names()
    except Malformed:  # over an expression: no key over columns
        return
    if any(cursor.found.tokens[place].word == "WHERE" for place in range(cursor.at, cursor.end)):
        return

    def change() -> bool:
        table = reading.catalog.find(of)
        if table:
            table.unique.append((name, columns))
        return table is not None

    reading.when_there(change, ".".join(of), "CREATE UNIQUE INDEX")


def _drop(cursor: Cursor, reading: Reading, lead: str) -> None:
    cursor.accept("MATERIALIZED") or cursor.accept("FOREIGN") or cursor.accept("EXTERNAL")
    if not (cursor.accept("TABLE") or cursor.accept("VIEW")):
        return
    cursor.if_not_exists()
    for item in cursor.items():
        reading.catalog.drop(item.qualified())


def _alter(cursor: Cursor, reading: Reading, lead: str) -> None:
    cursor.accept("FOREIGN")
    if not cursor.accept("TABLE"):
        return
    cursor.if_not_exists()
    cursor.accept("ONLY")
    of = _named(cursor)
    rest = Cursor(cursor.found, cursor.lexicon, cursor.at, cursor.end)
    place = cursor.found.tokens[cursor.began].start
    # Asked now where the change has to wait: then the file is closed.
    where = reading.where(place) if reading.catalog.find(of) is None else ""

    def change() -> bool:
        table = reading.catalog.find(of)
        if table is None:
            return False
        known = len(table.degraded)
        alter_table(Cursor(rest.found, rest.lexicon, rest.at, rest.end), table, reading.catalog)
        reading.warn_of(table, known, lambda: where or reading.where(place))
        return True

    _check_strings(cursor)
    if changes_something(Cursor(rest.found, rest.lexicon, rest.at, rest.end)):
        reading.when_there(change, ".".join(of), "ALTER TABLE")


def _next_statement(cursor: Cursor) -> int:
    """The token at which another statement begins on a line of its own, for want of a semicolon; else the end. Routines are one statement."""
    place = cursor.at
    while place < cursor.end:
        word = cursor.found.tokens[place].word
        if place > cursor.at and word in _BEGIN and cursor.begins_line(place) and _is_statement(cursor, place, word):
            return place
        if word in _ROUTINES and place - cursor.at <= _WORDS_BEFORE_KIND:
            return cursor.end
        place = cursor.past(place)
    return cursor.end


def _is_statement(cursor: Cursor, place: int, word: str) -> bool:
    """Whether such a word begins a statement here: ALTER COLUMN, DROP COLUMN, USE INDEX and the option COMMENT do not."""
    following = cursor.found.tokens[place + 1].word if place + 1 < cursor.end else ""
    if word in ("ALTER", "DROP"):
        return following in _ALTERED
    return following == "ON" if word == "COMMENT" else following not in ("INDEX", "KEY") if word == "USE" else True


def _set(cursor: Cursor, reading: Reading, lead: str) -> None:
    """SET search_path TO a, b: where bare names are from here on."""
    cursor.accept("LOCAL") or cursor.accept("SESSION")
    if not cursor.accept("SEARCH_PATH"):
        return
    cursor.accept("TO") or cursor.accept("=")
    if cursor.peek().kind == "string":
        reading.catalog.schema = cursor.string().split(",")[0].strip().strip('"')
    elif not cursor.is_done:
        reading.catalog.schema = cursor.name()


def _use(cursor: Cursor, reading: Reading, lead: str) -> None:
    """USE db: in MySQL a database is what others call a schema. Elsewhere it is a catalog, which we leave out."""
    is_schema = cursor.accept("SCHEMA")
    cursor.accept("DATABASE")
    if (is_schema or reading.lexicon.dialect in ("mysql", "hive", "spark", "databricks")) and not cursor.is_done:
        reading.catalog.schema = cursor.name()


def _named(cursor: Cursor) -> Name:
    name = cursor.qualified()
    if not name:
        raise Malformed("a name expected")
    return name


def _check_strings(cursor: Cursor) -> None:
    """A word that begins where a string ends means that a quote is missing, and everything after it is inside out."""
    tokens = cursor.found.tokens
    for place in range(cursor.began, cursor.end):
        token = tokens[place]
        if token.text in ("'", '"', "`") and token.kind == "mark":
            raise Malformed("a quote is not closed")
        if (
            token.kind == "string"
            and place + 1 < len(tokens)
            and tokens[place + 1].start == token.end
            and tokens[place + 1].kind in ("word", "number")
        ):
            raise Malformed("a quote is missing")


_READERS: dict[str, Callable[[Cursor, Reading, str], None]] = {
    "CREATE": _create,
    "ALTER": _alter,
    "DROP": _drop,
    "COMMENT": comment_on,
    "SET": _set,
    "USE": _use,
    "EXEC": add_property,
    "EXECUTE": add_property,
}
