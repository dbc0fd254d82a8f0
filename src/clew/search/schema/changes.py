"""What does an INSERT, UPDATE, DELETE or MERGE name beside its queries? Its columns, each with the tables that are seen where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlglot import exp

from clew.core.schema.contracts import Table
from clew.search.schema.sql_scopes import UNKNOWN, Names, Scopes, Source, relations, target

_ROWS_OF_THE_CHANGE = ("excluded", "old", "new", "inserted", "deleted")
"""What dialects call the row that was to be inserted, and rows before and after."""


class Use(NamedTuple):
    """A column that is named, and the sources that are seen there, nearest first."""

    column: exp.Column
    around: tuple[dict[str, Source], ...]


def uses(change: exp.Expr, names: Names, scopes: Scopes) -> Iterator[Use]:
    """The columns outside of queries. What is assigned to belongs to the target; what a MERGE inserts is seen in its source alone."""
    seen, own = _seen(change, names, scopes), _own(change, scopes)
    rest = {alias: source for alias, source in seen[0].items() if alias not in own}
    for node in _outside(change):
        if not isinstance(node, exp.Column):
            continue
        if not node.table and _is_assigned(node):
            yield Use(node, (own,) if len(own) == 1 else seen)
        elif isinstance(change, exp.Merge) and node.find_ancestor(exp.Insert):
            yield Use(node, (rest, seen[0]))
        else:
            yield Use(node, seen)


def tables(change: exp.Expr) -> Iterator[exp.Table]:
    """The tables that it names outside of queries; those that a DELETE of MySQL lists are aliases of these."""
    return (one for one in relations(change) if isinstance(one, exp.Table))


def listed(change: exp.Expr) -> list[exp.Table]:
    """The tables that a DELETE of several says it deletes from: by name or alias."""
    return [one for one in change.args.get("tables") or () if isinstance(one, exp.Table)]


def qualified(change: exp.Expr) -> Iterator[exp.Column]:
    """The columns that an UPDATE sets with the name of a table before them."""
    for one in change.expressions if isinstance(change, exp.Update) else ():
        if isinstance(one, exp.EQ) and isinstance(one.this, exp.Column) and one.this.table:
            yield one.this


def miscounted(insert: exp.Insert, table: Table, dialect: str) -> str:
    """What is wrong with the number of values of an INSERT, or nothing."""
    named = insert.this.expressions if isinstance(insert.this, exp.Schema) else ()
    for count in _counts(insert.expression):
        if named and count != len(named):
            return f"{count} values are given, and {len(named)} columns are named"
        # PostgreSQL fills up with defaults; some count generated columns, and some do not.
        is_less = count < len(table.columns) and dialect != "postgres" and not any(column.generated for column in table.columns)
        if not named and (count > len(table.columns) or is_less):
            return f"{count} values are given, and {table.full_name} has {len(table.columns)} columns"
    return ""


def _counts(given: exp.Expr | None) -> Iterator[int]:
    if isinstance(given, exp.Values):
        for row in given.expressions:
            yield len(row.expressions) if isinstance(row, exp.Tuple) else 1
    elif isinstance(given, exp.Query):
        first = given.unnest()
        while isinstance(first, exp.SetOperation):
            first = first.this.unnest()
        selects = first.selects if isinstance(first, exp.Select) else []
        if selects and not any(one.is_star or not isinstance(one, exp.Column | exp.Alias | exp.Literal) for one in selects):
            yield len(selects)


def _seen(change: exp.Expr, names: Names, scopes: Scopes) -> tuple[dict[str, Source], ...]:
    own = scopes.source(target(change))
    seen = scopes.read_by(relations(change))
    rows = {row: own for row in _ROWS_OF_THE_CHANGE if row not in seen}
    if isinstance(change, exp.Insert) and isinstance(change.expression, exp.Query) and names.dialect == "mysql":
        return seen, rows, {"": UNKNOWN}  # ON DUPLICATE KEY UPDATE sees the tables of the query
    return seen, rows


def _own(change: exp.Expr, scopes: Scopes) -> dict[str, Source]:
    """The target alone; none where several are changed at once."""
    read = relations(change)
    changed = [one for one in read if one is target(change)]
    joined = isinstance(change, exp.Update) and bool(target(change).args.get("joins"))
    return {} if joined else scopes.read_by(changed)


def _outside(change: exp.Expr) -> Iterator[exp.Expr]:
    kinds = (exp.Query, exp.With)
    return (node for node in change.walk(prune=lambda node: isinstance(node, kinds) and node is not change) if not isinstance(node, kinds))


def _is_assigned(column: exp.Column) -> bool:
    node: exp.Expr = column
    while isinstance(node.parent, exp.Tuple | exp.Paren | exp.Bracket | exp.Dot):
        node = node.parent
    above = node.parent
    if isinstance(above, exp.EQ):
        return above.this is node and isinstance(above.parent, exp.Update | exp.OnConflict)
    if isinstance(above, exp.Ordered):
        return isinstance(above.parent, exp.OnConflict)
    return isinstance(above, exp.Insert) and above.this is node
