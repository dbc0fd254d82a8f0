"""What does one item between the brackets of CREATE TABLE define? A column, a key, a check, or nothing that we keep."""

from __future__ import annotations

from collections.abc import Callable

from clew.adapters.databases.ddl.constraints import is_constraint, read_check, read_constraint, read_reference
from clew.adapters.databases.ddl.cursor import Cursor, Malformed
from clew.adapters.databases.ddl.drafts import ColumnDraft, TableDraft

# A column's type ends where one of these begins, and so does the expression of a default.
_AFTER_TYPE = frozenset(
    {
        *(
            "NOT",
            "NULL",
            "DEFAULT",
            "CONSTRAINT",
            "PRIMARY",
            "UNIQUE",
            "REFERENCES",
            "CHECK",
            "COLLATE",
            "GENERATED",
            "COMMENT",
            "ON",
            "KEY",
        ),
        *("AUTO_INCREMENT", "AUTOINCREMENT", "IDENTITY", "ENABLE", "DISABLE", "ENCODE", "OPTIONS", "VISIBLE", "INVISIBLE", "FOREIGN", "AS"),
        *(
            "ALWAYS",
            "STORED",
            "VIRTUAL",
            "PERSISTED",
            "MASKED",
            "MASKING",
            "ROWGUIDCOL",
            "SPARSE",
            "STORAGE",
            "COMPRESSION",
            "TAG",
            "CHARSET",
        ),
        *(
            "DEFERRABLE",
            "INITIALLY",
            "NOVALIDATE",
            "VALIDATE",
            "RELY",
            "NORELY",
            "PROJECTION",
            "AFTER",
            "FIRST",
            "USING",
            "SRID",
            "INVISIBLE",
        ),
    }
)
_INDEX_WORDS = frozenset({"INDEX", "KEY", "FULLTEXT", "SPATIAL"})
_INDEX_ITEM_DIALECTS = frozenset({"mysql", "tsql", "doris", "starrocks", "tidb", "clickhouse"})
_SERIAL = frozenset({"SERIAL", "BIGSERIAL", "SMALLSERIAL", "SERIAL4", "SERIAL8", "SERIAL2"})


def read_item(item: Cursor, table: TableDraft, remark: str) -> None:
    """Add what an item defines to a table. Raises Malformed where it cannot be read."""
    if item.is_done:
        raise Malformed("nothing stands between two commas")
    if is_constraint(item):
        read_constraint(item, table)
        return
    if item.word() == "LIKE" and item.peek(1).kind in ("word", "quoted"):
        item.next()
        table.copies.append(item.qualified())
        return
    if item.word() == "PERIOD" and item.word(1) == "FOR":
        return
    if _is_index(item):
        return
    table.add(read_column(item, table, remark))


def read_column(item: Cursor, table: TableDraft, remark: str = "") -> ColumnDraft:
    """The column that an item defines; keys and checks beside it are added to the table."""
    column = ColumnDraft(item.name(), description=remark)
    read_type(item, column)
    while not item.is_done:
        _column_part(item, column, table)
    return column


def read_type(item: Cursor, column: ColumnDraft) -> None:
    """Read a column's type, in the words of the statement."""
    start = item.at
    while not item.is_done and item.word() not in _AFTER_TYPE:
        if (item.word() == "CHARACTER" and item.word(1) == "SET") or (item.word() == "WITH" and item.word(1) not in ("TIME", "LOCAL")):
            break
        item.at = item.past_types(item.at) if item.word() == "<" else item.past(item.at)
    end = item.at
    column.dtype = " ".join(item.text(start, end).split())
    if item.lexicon.dialect == "tsql" and start < end and item.found.tokens[start].kind == "quoted":
        column.dtype = item.lexicon.name(item.found.tokens[start]) + column.dtype[len(item.found.tokens[start].text) :]
    if start == end:
        return
    first = Cursor(item.found, item.lexicon, start, end)
    word = first.word()
    if word == "ENUM" or (word == "SET" and first.word(1) == "("):
        first.next()
        column.allowed = tuple(first.lexicon.string(one.peek()) for one in first.group().items()) if first.word() == "(" else ()
        return
    if word in _SERIAL:
        column.is_identity, column.nullable = True, False
    if first.peek().kind in ("word", "quoted"):
        column.type_name = first.qualified()
        column.is_array = "[" in column.dtype or column.dtype.upper().endswith(" ARRAY")
        if column.is_array:
            column.base = column.dtype.partition("[")[0].strip()


def _is_index(item: Cursor) -> bool:
    if item.word() not in _INDEX_WORDS or item.lexicon.dialect not in _INDEX_ITEM_DIALECTS:
        return False
    return any(item.word(ahead) == "(" for ahead in range(1, 5)) or item.word() in ("FULLTEXT", "SPATIAL")


def _column_part(item: Cursor, column: ColumnDraft, table: TableDraft) -> None:
    """Read one thing said of a column; what is unknown is passed over."""
    word = item.word()
    reader = _PARTS.get(word)
    at = item.at
    if reader is None or not reader(item, column, table):
        item.at = at
        item.skip()


def _named(item: Cursor, column: ColumnDraft, table: TableDraft) -> bool:
    item.next()
    name = item.name()
    keys, checks = len(table.keys), len(table.checks)
    if not item.is_done:
        _column_part(item, column, table)
    for key in table.keys[keys:]:
        key.name = name
    table.checks[checks:] = [check.model_copy(update={"name": name}) for check in table.checks[checks:]]
    return True


def _not_null(item: Cursor, column: ColumnDraft, table: TableDraft) -> bool:
    if item.accept("NOT", "NULL"):
        column.nullable = False
        return True
    return False


def _default(item: Cursor, column: ColumnDraft, table: TableDraft) -> bool:
    item.next()
    item.accept("ON", "NULL")
    column.default = read_expression(item)
    if column.default.upper() == "NULL":
        column.default = ""
    return True


def read_expression(item: Cursor) -> str:
    """The text of an expression, up to where something else is said of the column."""
    start = item.at
    if not item.is_done:
        item.skip()
    while not item.is_done and item.word() not in _AFTER_TYPE:
        item.skip()
    return item.text(start, item.at)


def _column_primary_key(item: Cursor, column: ColumnDraft, table: TableDraft) -> bool:
    if not item.accept("PRIMARY", "KEY"):
        return False
    table.primary_key = (column.name,)
    return True


def _column_unique(item: Cursor, column: ColumnDraft, table: TableDraft) -> bool:
    item.next()
    item.accept("KEY")
    table.unique.append(("", (column.name,)))
    return True


def _column_reference(item: Cursor, column: ColumnDraft, table: TableDraft) -> bool:
    item.next()
    table.keys.append(read_reference(item, (column.name,), ""))
    return True


def _column_check(item: Cursor, column: ColumnDraft, table: TableDraft) -> bool:
    item.next()
    if item.word() != "(":
        return False
    read_check(item, table, "")
    return True


def _generated(item: Cursor, column: ColumnDraft, table: TableDraft) -> bool:
    item.accept("GENERATED")
    item.accept("ALWAYS") or item.accept("BY", "DEFAULT")
    item.accept("ON", "NULL")
    if not item.accept("AS"):
        return False
    if item.accept("IDENTITY"):
        column.is_identity, column.nullable = True, False
        return True
    if item.word() != "(":
        return False
    inside = item.group()
    column.generated = item.text(inside.at, inside.end)
    return True


def _identity(item: Cursor, column: ColumnDraft, table: TableDraft) -> bool:
    item.next()
    column.is_identity = True
    return True


def _comment(item: Cursor, column: ColumnDraft, table: TableDraft) -> bool:
    item.next()
    item.accept("=")
    if item.peek().kind != "string":
        return False
    column.description = item.string()
    return True


def _options(item: Cursor, column: ColumnDraft, table: TableDraft) -> bool:
    item.next()
    if item.word() != "(":
        return False
    for option in item.group().items():
        if option.accept("DESCRIPTION", "=") and option.peek().kind == "string":
            column.description = option.string()
    return True


_PARTS: dict[str, Callable[[Cursor, ColumnDraft, TableDraft], bool]] = {
    "CONSTRAINT": _named,
    "NOT": _not_null,
    "DEFAULT": _default,
    "PRIMARY": _column_primary_key,
    "UNIQUE": _column_unique,
    "REFERENCES": _column_reference,
    "CHECK": _column_check,
    "GENERATED": _generated,
    "AS": _generated,
    "ALWAYS": _generated,
    "IDENTITY": _identity,
    "AUTO_INCREMENT": _identity,
    "AUTOINCREMENT": _identity,
    "COMMENT": _comment,
    "OPTIONS": _options,
}
