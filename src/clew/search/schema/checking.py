"""Is a statement of SQL right for a schema? Its tables, columns and joins against the snapshot, with the nearest right name for each wrong one.

Names are compared as the dialect does: PostgreSQL folds bare names to lower case and keeps quoted ones, SQLite, MySQL and DuckDB ignore case.
What cannot be known (columns of a function's rows, of a table that is not there) is not called wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp, parse
from sqlglot.errors import OptimizeError, SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from clew.core.schema.contracts import Snapshot, Table
from clew.search.schema.join_checks import JoinChecks, equalities, merged, shared
from clew.search.schema.nearest import nearest
from clew.search.schema.sql_scopes import Names, Scopes, Source

Kind = Literal["syntax", "table", "column", "join"]
MAX_SQL = 100_000
"""Characters that are read: parsing takes milliseconds a kilobyte, and no query is longer."""
_HIDDEN = frozenset(("rowid", "_rowid_", "oid", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"))
"""Columns that tables have without declaring them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong (`is_error`) or doubtful in a statement: what, as it is written there, and the nearest right names, best first."""

    kind: Kind
    name: str
    message: str
    nearest: tuple[str, ...] = ()
    is_error: bool = True


@dataclass(frozen=True, slots=True)
class Checked:
    """What statements use, resolved in the snapshot (`schema.table`, `schema.table.column`, conditions), and what is wrong with them; `warnings` say
    what is to be known of the snapshot."""

    sql: str
    datasource: str
    schema_version: str
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        """True when nothing is wrong; doubts are allowed."""
        return not any(one.is_error for one in self.findings)

    @property
    def verdict(self) -> str:
        """wrong (a name is not there), doubtful (names are right, and a join follows no key) or right."""
        return "wrong" if not self.is_right else "doubtful" if self.findings else "right"


def check(sql: str, snapshot: Snapshot) -> Checked:
    """The statements' tables, columns and joins against a snapshot. Never raises for the text, whatever it is."""
    checking = _Checking(snapshot)
    try:
        if len(sql) > MAX_SQL:
            raise ValueError(f"longer than {MAX_SQL} characters")
        statements = [one for one in parse(sql, read=snapshot.dialect or None) if one is not None]
        for statement in statements:
            checking.check(statement)
        if not statements:
            checking.say("syntax", "", "there is no statement")
    except (SqlglotError, ValueError, RecursionError) as fault:
        reason = (str(fault).split("\n") or [""])[0][:200]
        checking.say("syntax", "", f"cannot be read as {snapshot.dialect or 'SQL'}: {reason}")
    return checking.result(sql)


class _Checking:
    """What was found so far."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._names = Names(snapshot)
        self._join_checks = JoinChecks(snapshot, self._names)
        self._tables: dict[str, None] = {}
        self._columns: dict[str, None] = {}
        self._findings: dict[Finding, None] = {}

    def result(self, sql: str) -> Checked:
        """All of it."""
        findings = dict(self._findings)
        for doubt in self._join_checks.doubts:
            findings[Finding("join", doubt.joined, doubt.message, doubt.keys, is_error=False)] = None
        return Checked(
            sql=sql,
            datasource=self._snapshot.datasource,
            schema_version=self._snapshot.version,
            tables=tuple(self._tables),
            columns=tuple(self._columns),
            joins=tuple(self._join_checks.used),
            findings=tuple(findings),
        )

    def say(self, kind: Kind, name: str, message: str, near: Iterable[str] = ()) -> None:
        """Note something wrong, once."""
        self._findings[Finding(kind, name, message, tuple(near))] = None

    def check(self, statement: exp.Expr) -> None:
        """Queries scope by scope, the inner ones first; then what a change names outside of any query."""
        if isinstance(statement, exp.Condition | exp.Alias) and not isinstance(statement, exp.Query):
            self.say("syntax", "", "this is no statement")
        if isinstance(statement, exp.Command | exp.Drop | exp.Alter):
            return
        scopes = Scopes(self._names)
        for scope in traverse_scope(statement):
            self._check_scope(scope, scopes)
        if isinstance(statement, exp.Insert | exp.Update | exp.Delete):
            self._check_change(statement)

    def _check_scope(self, scope: Scope, scopes: Scopes) -> None:
        for table in scope.tables:
            if table.name not in scope.cte_sources or table.args.get("db"):
                self._check_table(table)
        try:
            around = list(scopes.around(scope))
        except OptimizeError as fault:  # one alias for two tables
            self.say("table", "", str(fault).split("\n")[0])
            return
        if isinstance(scope.expression, exp.Select):
            usings = merged(scope.expression, self._names)
            for column in scope.find_all(exp.Column):
                self._check_column(column, around, usings, scope.expression)
            pairs = (*equalities(scope.expression), *shared(scope.expression, around[0], self._names))
            self._join_checks.check(pairs, around[0])
        scopes.finish(scope, around[0])

    def _check_table(self, node: exp.Table) -> None:
        if not isinstance(node.this, exp.Identifier) or not node.name:
            return
        table = self._names.table(node)
        if table is not None:
            self._tables[table.full_name] = None
            if self._names.is_elsewhere(node, table):
                message = f"{node.name} is not in the default schema {self._snapshot.default_schema}: it is found as {table.full_name}"
                self._findings[Finding("table", node.name, message, (table.full_name,), is_error=False)] = None
            return
        written = ".".join(part.name for part in node.parts)
        others = [one.full_name for one in self._names.namesakes(node)]
        near = nearest(node.name, ((one.name, one.full_name) for one in self._snapshot.tables))
        self.say("table", written, f"there is no table {written}", dict.fromkeys((*others, *near)))

    def _check_column(self, column: exp.Column, around: Sequence[dict[str, Source]], usings: frozenset[str], query: exp.Select) -> None:
        name = self._names.written(column.this) if isinstance(column.this, exp.Identifier) else ""
        if column.table:
            self._check_qualified(column, name, around)
        elif name and name not in _HIDDEN and not (self._may_be_alias(column) and name in self._aliases(query)):
            self._check_bare(column, name, around, usings)

    def _check_qualified(self, column: exp.Column, name: str, around: Sequence[dict[str, Source]]) -> None:
        alias = self._names.written(column.args["table"])
        source = next((sources[alias] for sources in around if alias in sources), None)
        if source is None:
            if not any(source.columns is None or alias in source.columns for sources in around for source in sources.values()):
                known = [shown for sources in around for shown in sources]
                self.say(
                    "table",
                    column.table,
                    f"{column.table} is no table or alias of this query",
                    nearest(column.table, zip(known, known, strict=True)) or known,
                )
        elif name and name not in _HIDDEN and source.columns is not None:
            self._check_in(column, name, [source], f"{column.table}.{column.name}")

    def _check_bare(self, column: exp.Column, name: str, around: Sequence[dict[str, Source]], usings: frozenset[str]) -> None:
        for sources in around:
            holding = {alias: source for alias, source in sources.items() if source.columns is not None and name in source.columns}
            if len(holding) > 1 and name not in usings:
                self.say(
                    "column",
                    column.name,
                    f"{column.name} is ambiguous: {', '.join(holding)} have it",
                    [f"{one}.{column.name}" for one in holding],
                )
            if holding:
                self._check_in(column, name, list(holding.values())[:1], column.name)
                return
            if any(source.columns is None for source in sources.values()):
                return
        if any(around):
            self._check_in(column, name, [source for sources in around for source in sources.values()], column.name)

    def _check_in(self, column: exp.Column, name: str, sources: Sequence[Source], written: str) -> None:
        """Note the column, or that none of these has it."""
        for source in sources:
            if name in (source.columns or ()):
                if source.table:
                    self._columns[f"{source.table.full_name}.{self._names.column(source.table, name)}"] = None
                return
        tables = [source.table for source in sources if source.table]
        near = list(nearest(column.name, self._candidates(sources)))
        elsewhere = [
            f"{table.full_name}.{column.name}" for table in self._snapshot.tables if name in (self._names.source(table).columns or ())
        ]
        where = " or ".join(table.full_name for table in tables) or "this query"
        hint = f"; {elsewhere[0]} is one" if elsewhere else ""
        self.say("column", written, f"there is no column {column.name} in {where}{hint}", dict.fromkeys((*near, *elsewhere[:2])))

    @staticmethod
    def _candidates(sources: Sequence[Source]) -> Iterable[tuple[str, str]]:
        for source in sources:
            if source.table:
                yield from ((one.name, f"{source.table.name}.{one.name}") for one in source.table.columns)
            else:
                yield from ((one, one) for one in sorted(source.columns or ()))

    def _check_values(self, statement: exp.Insert, table: Table) -> None:
        """As many values in each row as columns are named; where none are named, no more than the table has."""
        rows = statement.expression.expressions if isinstance(statement.expression, exp.Values) else ()
        named = statement.this.expressions if isinstance(statement.this, exp.Schema) else ()
        for row in rows:
            count = len(row.expressions) if isinstance(row, exp.Tuple) else 1
            if count != len(named) if named else count > len(table.columns):
                wanted = f"{len(named)} columns are named" if named else f"{table.full_name} has {len(table.columns)} columns"
                self.say("column", table.name, f"{count} values are given, and {wanted}")
                return

    def _may_be_alias(self, column: exp.Column) -> bool:
        """True where SQL also looks for names that the query itself gives; SQLite and DuckDB do so everywhere."""
        if self._snapshot.dialect in ("sqlite", "duckdb"):
            return True
        return column.find_ancestor(exp.Order, exp.Group, exp.Having, exp.Qualify, exp.Select).__class__ is not exp.Select

    def _aliases(self, query: exp.Select) -> frozenset[str]:
        return frozenset(self._names.written(one.args["alias"]) for one in query.selects if isinstance(one, exp.Alias))

    def _check_change(self, statement: exp.Insert | exp.Update | exp.Delete) -> None:
        """The target's columns, and the condition's, outside of any query."""
        target = statement.this.this if isinstance(statement.this, exp.Schema) else statement.this
        outside = [node for node in statement.walk(prune=lambda node: isinstance(node, exp.Query)) if not isinstance(node, exp.Query)]
        tables: dict[str, Table] = {}
        for node in outside:
            if isinstance(node, exp.Table):
                self._check_table(node)
                if (table := self._names.table(node)) is not None:
                    tables[self._names.written(node.alias or node.this)] = table
        sources = {alias: self._names.source(table) for alias, table in tables.items()}
        own = self._names.table(target) if isinstance(target, exp.Table) else None
        if own is not None and isinstance(statement, exp.Insert):
            self._check_values(statement, own)
        if own is None or len(sources) < len([node for node in outside if isinstance(node, exp.Table)]):
            return
        for node in outside:
            if isinstance(node, exp.Column):
                self._check_column(node, [sources], frozenset(), exp.Select())
        for one in statement.this.expressions if isinstance(statement.this, exp.Schema) else ():
            if isinstance(one, exp.Identifier):
                self._check_in(exp.Column(this=one), self._names.written(one), [self._names.source(own)], one.name)
