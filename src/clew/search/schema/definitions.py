"""What do statements name that define something? Tables and columns that must be there, and what is there, or otherwise, from then on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

_EXPLAIN = re.compile(
    r"\s*EXPLAIN\b(?:\s+(?:QUERY\s+PLAN|ANALYZE|VERBOSE|EXTENDED|FORMAT\s*=\s*\w+|\([^()]*\))(?=\s))*(?=\s+(?:SELECT|WITH|INSERT|UPDATE|DELETE|MERGE|REPLACE|VALUES|FROM|\())",
    re.IGNORECASE,
)


def without_explain(sql: str) -> str:
    """The statement that is to be explained; the parser reads it only by itself."""
    match = _EXPLAIN.match(sql)
    return sql[match.end() :] if match else sql


def needed(statement: exp.Expr) -> Iterator[tuple[exp.Table, tuple[exp.Column, ...]]]:
    """Tables that must be there, each with columns of it that must; nothing of what may be missing (IF EXISTS)."""
    if statement.args.get("exists") is True:
        return
    if isinstance(statement, exp.Drop) and str(statement.args.get("kind")).upper() in ("TABLE", "VIEW"):
        yield from ((one, ()) for one in statement.args.get("tables") or () if isinstance(one, exp.Table))
    elif isinstance(statement, exp.TruncateTable):
        yield from ((one, ()) for one in statement.expressions if isinstance(one, exp.Table))
    elif isinstance(statement, exp.Alter) and isinstance(statement.this, exp.Table):
        yield statement.this, tuple(_altered(statement))
    elif (
        isinstance(statement, exp.Create)
        and isinstance(statement.this, exp.Index)
        and isinstance(statement.this.args.get("table"), exp.Table)
    ):
        parameters = statement.this.args.get("params")
        yield statement.this.args["table"], tuple(parameters.find_all(exp.Column)) if parameters else ()


def _altered(statement: exp.Alter) -> Iterator[exp.Column]:
    for action in statement.args.get("actions") or ():
        if action.args.get("exists"):
            continue
        if isinstance(action, exp.RenameColumn):
            yield action.this
        elif isinstance(action, exp.Drop) and str(action.args.get("kind")).upper() == "COLUMN":
            yield from (one for one in action.args.get("tables") or () if isinstance(one, exp.Column))


def made(statement: exp.Expr) -> Iterator[exp.Table]:
    """Tables that are there from then on, or have other columns: of later statements nothing is known of them."""
    if isinstance(statement, exp.Create | exp.Alter):
        whole = statement.this.this if isinstance(statement.this, exp.Schema) else statement.this
        if isinstance(whole, exp.Table):
            yield whole
    for into in statement.find_all(exp.Into):
        if isinstance(into.this, exp.Table):
            yield into.this


def without_places(statement: exp.Expr) -> exp.Expr:
    """The statement without tables that it only writes to or locks, which stand among those that a query reads otherwise."""
    for node in list(statement.find_all(exp.Into, exp.Lock)):
        if isinstance(node, exp.Into):
            node.pop()
        else:
            node.set("expressions", None)
    return statement
