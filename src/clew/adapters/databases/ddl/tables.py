"""What does a CREATE TABLE define? Its items, and the options after them."""

from __future__ import annotations

from clew.adapters.databases.ddl.columns import read_item
from clew.adapters.databases.ddl.cursor import Cursor, Malformed
from clew.adapters.databases.ddl.drafts import ColumnDraft, TableDraft
from clew.adapters.databases.ddl.remarks import remark

_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "FROM"})
_OPTIONS_AFTER_PARTITION = frozenset(
    {"CLUSTER", "OPTIONS", "AS", "WITH", "TABLESPACE", "COMMENT", "ENGINE", "ORDER", "SETTINGS", "STORED", "LOCATION"}
)
# A comma may stand after the last column there.
_LAST_COMMA = frozenset({"duckdb", "bigquery", "snowflake", "databricks", "clickhouse"})


def read_table(cursor: Cursor, table: TableDraft) -> None:
    """Read what follows the name of a table.

    Raises Malformed where the table as a whole cannot be read; an item that cannot is named in `degraded`."""
    if cursor.accept("PARTITION", "OF"):
        table.part_of = cursor.qualified()
        table.copies.append(table.part_of)
        if cursor.word() == "(":
            _read_items(cursor, table)
        table.partition = f"part of {'.'.join(table.part_of)} {rest_of(cursor)}".strip()
        return
    if cursor.accept("LIKE") or cursor.accept("CLONE"):
        table.copies.append(cursor.qualified())
        _read_options(cursor, table)
        return
    if cursor.accept("USING"):
        _read_virtual(cursor, table)
        return
    if cursor.accept("CLUSTER", "BY"):  # Snowflake has it before the columns
        cursor.skip()
    if cursor.word() == "(" and not (cursor.word(1) in _QUERIES and cursor.peek(2).kind != "mark"):
        if cursor.word(1) == "LIKE":
            cursor.next(), cursor.next()
            table.copies.append(cursor.qualified())
            cursor.accept(")")
        else:
            _read_items(cursor, table)
    elif cursor.word() not in ("AS", "SELECT", "WITH", "OF", "SERVER", "COMMENT", "OPTIONS", "PARTITION", "CLUSTER", "TBLPROPERTIES"):
        raise Malformed(f"( expected, found {cursor.peek().text[:40] or 'the end'}")
    _read_options(cursor, table)


def _read_items(cursor: Cursor, table: TableDraft) -> None:
    opening = cursor.at
    inside = cursor.group()
    if not table.description:
        table.description = remark(cursor.found.after.get(opening, ()))
    if inside.at < inside.end and inside.found.tokens[inside.end - 1].word == "," and inside.lexicon.dialect not in _LAST_COMMA:
        table.degraded.append("an empty item: nothing stands after the last comma")
    for item in inside.items():
        first, last = item.at, item.end
        said = remark(cursor.comments(first, min(last + 1, inside.end))) if cursor.found.before or cursor.found.after else ""
        try:
            read_item(item, table, said)
        except Malformed as broken:
            text = " ".join(cursor.text(first, last).split())
            table.degraded.append(f"{text[:80] or 'an empty item'}: {broken}")


def _read_virtual(cursor: Cursor, table: TableDraft) -> None:
    """SQLite: CREATE VIRTUAL TABLE t USING fts5(title, body, tokenize='porter')."""
    module = cursor.name()
    table.partition = ""
    if cursor.word() != "(":
        return
    for item in cursor.group().items():
        words = cursor.text(item.at, item.end)
        if "=" not in words and not item.is_done:
            name = item.name()
            unindexed = item.accept("UNINDEXED")
            table.add(
                ColumnDraft(
                    name, dtype="" if unindexed or module.lower().startswith("fts") else " ".join(cursor.text(item.at, item.end).split())
                )
            )


def _read_options(cursor: Cursor, table: TableDraft) -> None:
    while not cursor.is_done:
        word = cursor.word()
        if word == "AS" or (word in ("SELECT", "WITH") and cursor.peek(1).kind in ("word", "quoted")):
            if word == "AS":
                cursor.next()
            table.query = rest_of(cursor)
            return
        _read_option(cursor, table, word)


def _read_option(cursor: Cursor, table: TableDraft, word: str) -> None:
    if word == "COMMENT":
        cursor.next()
        cursor.accept("=")
        if cursor.peek().kind == "string":
            table.description = cursor.string()
    elif word == "WITHOUT" and cursor.word(1) == "ROWID":
        table.is_keyed = True
        cursor.next()
        cursor.next()
    elif word == "INHERITS":
        cursor.next()
        table.copies += [item.qualified() for item in cursor.group().items()]
    elif word == "PARTITION" and cursor.word(1) == "BY":
        cursor.next(), cursor.next()
        start = cursor.at
        while not cursor.is_done and cursor.word() not in _OPTIONS_AFTER_PARTITION and cursor.word() != ";":
            if cursor.word() == "(" and cursor.at > start and cursor.found.tokens[cursor.at - 1].word == ")":
                break  # MySQL lists the partitions after the key
            cursor.skip()
        table.partition = "by " + " ".join(cursor.text(start, cursor.at).split())
    elif word == "OPTIONS" and cursor.word(1) == "(":
        cursor.next()
        for option in cursor.group().items():
            if option.accept("DESCRIPTION", "=") and option.peek().kind == "string":
                table.description = option.string()
    else:
        cursor.skip()


def rest_of(cursor: Cursor) -> str:
    """The text of what is left, up to the statement's end; go past it."""
    end = cursor.end
    while end > cursor.at and cursor.found.tokens[end - 1].word in (";", "/"):
        end -= 1
    text = cursor.text(cursor.at, end)
    cursor.at = cursor.end
    return text
