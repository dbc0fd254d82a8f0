"""What do the keys and checks of a table say? PRIMARY KEY, UNIQUE, FOREIGN KEY, CHECK, with or without a name."""

from __future__ import annotations

from collections.abc import Callable

from clew.adapters.databases.conditions import bare
from clew.adapters.databases.ddl.cursor import Cursor, Malformed
from clew.adapters.databases.ddl.drafts import KeyDraft, TableDraft
from clew.core.schema.contracts import Check

_KEY_OPTIONS = frozenset({"CLUSTERED", "NONCLUSTERED", "KEY", "INDEX", "HASH"})


def is_constraint(item: Cursor) -> bool:
    """Whether an item is a key or a check, not a column."""
    word, following = item.word(), item.word(1)
    if word == "CONSTRAINT":
        return True
    if word in ("PRIMARY", "FOREIGN"):
        return following == "KEY"
    if word == "UNIQUE":
        return following in ("(", "KEY", "INDEX", "CLUSTERED", "NONCLUSTERED", "NULLS") or item.word(2) == "("
    return (word == "CHECK" and following == "(") or (word == "EXCLUDE" and following in ("USING", "("))


def read_constraint(item: Cursor, table: TableDraft) -> None:
    """Add a constraint of a table. Kinds that we do not keep are passed over."""
    name = ""
    if item.accept("CONSTRAINT") and item.word() not in _CONSTRAINTS:
        name = item.name()
    kind = item.next().word
    if kind in _CONSTRAINTS:
        _CONSTRAINTS[kind](item, table, name)


def _primary_key(item: Cursor, table: TableDraft, name: str) -> None:
    item.expect("KEY")
    _past_options(item)
    if item.word() != "(":
        item.name()
        _past_options(item)
    table.primary_key = item.names()


def _unique(item: Cursor, table: TableDraft, name: str) -> None:
    _past_options(item)
    item.accept("NULLS", "NOT", "DISTINCT") or item.accept("NULLS", "DISTINCT")
    if item.word() != "(":
        name = item.name()
    _past_options(item)
    try:
        table.unique.append((name, item.names()))
    except Malformed:  # by an expression: no key over columns
        return


def _foreign_key(item: Cursor, table: TableDraft, name: str) -> None:
    item.expect("KEY")
    item.if_not_exists()
    if item.word() != "(":
        name = name or item.name()
    columns = item.names()
    item.expect("REFERENCES")
    table.keys.append(read_reference(item, columns, name))


def read_check(item: Cursor, table: TableDraft, name: str) -> None:
    """Add the condition that stands here in brackets."""
    inside = item.group()
    table.checks.append(Check(text=bare(inside.text(inside.at, inside.end)), name=name))


def _pass_over(item: Cursor, table: TableDraft, name: str) -> None:
    item.at = item.end


_CONSTRAINTS: dict[str, Callable[[Cursor, TableDraft, str], None]] = {
    "PRIMARY": _primary_key,
    "UNIQUE": _unique,
    "FOREIGN": _foreign_key,
    "CHECK": read_check,
    "EXCLUDE": _pass_over,
    "NOT": _pass_over,
    "DEFAULT": _pass_over,
}


def read_reference(item: Cursor, columns: tuple[str, ...], name: str) -> KeyDraft:
    """What follows REFERENCES, up to the end of its options."""
    key = KeyDraft(columns, item.qualified(), name=name)
    if item.word() == "(":
        key.referred = item.names()
    while not item.is_done:
        if item.accept("NOT", "VALID") or item.accept("NOT", "ENFORCED") or item.accept("DISABLE"):
            key.is_enforced = False
        elif not _past_reference_option(item):
            break
    return key


def _past_reference_option(item: Cursor) -> bool:
    if item.accept("ON"):
        item.next()
        if item.accept("SET") or item.accept("NO"):
            item.next()
            if item.word() == "(":
                item.skip()
        else:
            item.next()
        return True
    if item.accept("MATCH") or item.accept("INITIALLY"):
        item.next()
        return True
    return item.accept("NOT", "DEFERRABLE") or item.accept("DEFERRABLE") or item.accept("NOT", "FOR", "REPLICATION")


def _past_options(item: Cursor) -> None:
    while item.word() in _KEY_OPTIONS:
        item.next()
    if item.accept("USING"):
        item.next()
