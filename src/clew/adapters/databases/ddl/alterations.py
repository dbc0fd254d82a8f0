"""What does an ALTER TABLE change? Its actions, one after another; those that change nothing we keep are passed over."""

from __future__ import annotations

from collections.abc import Callable

from clew.adapters.databases.ddl.columns import read_column, read_expression, read_item, read_type
from clew.adapters.databases.ddl.constraints import read_constraint
from clew.adapters.databases.ddl.cursor import Cursor, Malformed
from clew.adapters.databases.ddl.drafts import Catalog, ColumnDraft, TableDraft
from clew.adapters.databases.ddl.remarks import remark

_CONSTRAINT_WORDS = frozenset({"CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "EXCLUDE"})
_INDEXES = frozenset({"INDEX", "KEY", "FULLTEXT", "SPATIAL", "PARTITION", "SEARCH", "VALUE"})


def alter_table(cursor: Cursor, table: TableDraft, catalog: Catalog) -> None:
    """Carry out all actions on a table; one that cannot be read is named in `degraded`."""
    last = ""
    for action in cursor.items():
        start = action.at
        word = action.word()
        try:
            if word in _ACTIONS:
                last = word
                action.next()
            elif last != "ADD":
                continue
            _ACTIONS[last if word not in _ACTIONS else word](action, table, catalog)
        except Malformed as broken:
            text = " ".join(action.text(start, action.end).split())
            table.degraded.append(f"{text[:80]}: {broken}")


def changes_something(cursor: Cursor) -> bool:
    """Whether an action is one that we carry out. OWNER TO is not: dumps say it of sequences too, as ALTER TABLE."""
    return any(action.word() in _ACTIONS for action in cursor.items())


def _add(action: Cursor, table: TableDraft, catalog: Catalog) -> None:
    if action.word() in _CONSTRAINT_WORDS:
        _add_constraint(action, table)
        return
    action.accept("COLUMN")
    action.if_not_exists()
    if action.word() == "(":
        for item in action.group().items():
            read_item(item, table, "")
        return
    if action.word() in _INDEXES and action.word(1) != "":
        return
    said = remark(action.comments(action.at, action.end))
    read_item(action, table, said)


def _add_constraint(action: Cursor, table: TableDraft) -> None:
    at = action.at
    if action.accept("CONSTRAINT"):
        action.name()
    if action.accept("DEFAULT"):  # T-SQL: ADD CONSTRAINT c DEFAULT (1) FOR col
        start = action.at
        while not action.is_done and action.word() != "FOR":
            action.skip()
        default = action.text(start, action.at)
        if action.accept("FOR"):
            column = table.column(action.name())
            if column:
                column.default = default
        return
    action.at = at
    read_constraint(action, table)


def _with_check(action: Cursor, table: TableDraft, catalog: Catalog) -> None:
    """T-SQL: WITH CHECK ADD …, WITH NOCHECK ADD …"""
    is_checked = action.next().word != "NOCHECK"
    keys = len(table.keys)
    if action.accept("ADD"):
        _add(action, table, catalog)
    for key in table.keys[keys:]:
        key.is_enforced = is_checked


def _no_check(action: Cursor, table: TableDraft, catalog: Catalog) -> None:
    """T-SQL: NOCHECK CONSTRAINT name switches a key off."""
    action.accept("CONSTRAINT")
    name = action.name()
    for key in table.keys:
        if key.name.lower() == name.lower() or name.upper() == "ALL":
            key.is_enforced = False


def _alter(action: Cursor, table: TableDraft, catalog: Catalog) -> None:
    action.accept("COLUMN")
    column = table.column(action.name())
    if column is None:
        raise Malformed("there is no such column")
    if action.accept("SET", "DEFAULT"):
        column.default = read_expression(action)
    elif action.accept("DROP", "DEFAULT"):
        column.default = ""
    elif action.accept("SET", "NOT", "NULL"):
        column.nullable = False
    elif action.accept("DROP", "NOT", "NULL"):
        column.nullable = True
    elif action.accept("ADD", "GENERATED"):
        column.is_identity, column.nullable = True, False
    elif action.accept("SET", "DATA", "TYPE") or action.accept("TYPE"):
        read_type(action, column)
    elif action.accept("COMMENT") and action.peek().kind == "string":
        column.description = action.string()
    elif action.word() not in ("SET", "DROP", "RESET", "UNSET"):
        _retype(action, column)


def _retype(action: Cursor, column: ColumnDraft) -> None:
    column.nullable = True
    read_type(action, column)
    if action.accept("NOT", "NULL"):
        column.nullable = False


def _modify(action: Cursor, table: TableDraft, catalog: Catalog) -> None:
    """MySQL, Oracle: MODIFY [COLUMN] col type …, MODIFY (col …, col …)."""
    action.accept("COLUMN")
    for item in action.group().items() if action.word() == "(" else [action]:
        column = table.column(item.name())
        if column is None:
            raise Malformed("there is no such column")
        item.at -= 1
        changed = read_column(item, table)
        changed.name, changed.dtype = column.name, changed.dtype or column.dtype
        changed.description = changed.description or column.description
        changed.nullable = changed.nullable and column.name not in table.primary_key
        table.add(changed)


def _change(action: Cursor, table: TableDraft, catalog: Catalog) -> None:
    """MySQL: CHANGE [COLUMN] old new type …"""
    action.accept("COLUMN")
    old = action.name()
    changed = read_column(action, table)
    _rename_column(table, old, changed.name)
    table.add(changed)


def _drop(action: Cursor, table: TableDraft, catalog: Catalog) -> None:
    if action.accept("CONSTRAINT") or action.accept("FOREIGN", "KEY") or action.accept("CHECK"):
        action.if_not_exists()
        name = action.name().lower()
        table.keys = [key for key in table.keys if key.name.lower() != name]
        table.checks = [check for check in table.checks if check.name.lower() != name]
        table.unique = [one for one in table.unique if one[0].lower() != name]
        return
    if action.accept("PRIMARY", "KEY"):
        table.primary_key = ()
        return
    if action.word() in _INDEXES and action.peek(1).kind in ("word", "quoted"):
        return
    action.accept("COLUMN")
    action.if_not_exists()
    column = table.column(action.name())
    if column:
        del table.columns[column.name]
        table.keys = [key for key in table.keys if column.name not in key.columns]
        table.unique = [one for one in table.unique if column.name not in one[1]]
        table.primary_key = () if column.name in table.primary_key else table.primary_key


def _rename(action: Cursor, table: TableDraft, catalog: Catalog) -> None:
    if action.accept("TO") or action.accept("AS"):
        name = action.qualified()
        catalog.rename(table, (*table.name[:-1], *name) if len(name) == 1 else name)
        return
    if action.word() in ("CONSTRAINT", "INDEX", "KEY"):
        return
    action.accept("COLUMN")
    old = action.name()
    action.expect("TO")
    _rename_column(table, old, action.name())


def _rename_column(table: TableDraft, old: str, new: str) -> None:
    column = table.column(old)
    if column is None:
        raise Malformed(f"there is no column {old}")
    old, column.name = column.name, new
    table.columns = {one.name: one for one in table.columns.values()}

    def renamed(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if name == old else name for name in names)

    table.primary_key = renamed(table.primary_key)
    table.unique = [(name, renamed(columns)) for name, columns in table.unique]
    for key in table.keys:
        key.columns = renamed(key.columns)


def _set(action: Cursor, table: TableDraft, catalog: Catalog) -> None:
    if action.accept("SCHEMA"):
        catalog.rename(table, (action.name(), table.name[-1]))
    elif action.accept("COMMENT"):
        _comment(action, table, catalog)
    elif action.accept("OPTIONS") and action.word() == "(":
        for option in action.group().items():
            if option.accept("DESCRIPTION", "="):
                table.description = option.string()


def _attach(action: Cursor, table: TableDraft, catalog: Catalog) -> None:
    """PostgreSQL: ATTACH PARTITION part FOR VALUES …"""
    if not action.accept("PARTITION"):
        return
    part = catalog.find(action.qualified())
    if part:
        part.part_of = table.name
        part.partition = f"part of {'.'.join(table.name)} {' '.join(action.text(action.at, action.end).split())}"


def _comment(action: Cursor, table: TableDraft, catalog: Catalog) -> None:
    action.accept("=")
    if action.peek().kind == "string":
        table.description = action.string()


_ACTIONS: dict[str, Callable[[Cursor, TableDraft, Catalog], None]] = {
    "ADD": _add,
    "ALTER": _alter,
    "ATTACH": _attach,
    "CHANGE": _change,
    "COMMENT": _comment,
    "DROP": _drop,
    "MODIFY": _modify,
    "NOCHECK": _no_check,
    "RENAME": _rename,
    "SET": _set,
    "WITH": _with_check,
}
