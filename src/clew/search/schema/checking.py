"""Is a statement of SQL right for a schema? Its tables, columns and joins against the snapshot, with the nearest right name for each wrong one.

Names are compared as the dialect does: PostgreSQL folds bare names to lower case and keeps quoted ones, SQLite, MySQL and DuckDB ignore case.
What cannot be known (columns of a function's rows, of a table that is not there) is not called wrong.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp, parse
from sqlglot.errors import OptimizeError, SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from clew.core.schema.contracts import Snapshot
from clew.search.schema.changes import listed, miscounted, qualified, tables, uses
from clew.search.schema.definitions import made, needed, without_explain, without_places
from clew.search.schema.join_checks import JoinChecks, equalities, merged, shared, unshared
from clew.search.schema.nearest import MOST, nearest
from clew.search.schema.sql_scopes import Names, Scopes, Source, relations, target

Kind = Literal["syntax", "table", "column", "join"]
MAX_SQL = 100_000
"""Characters that are read: parsing takes milliseconds a kilobyte, and no query is longer."""
_MOST_FINDINGS = 100
_HIDDEN = {
    "sqlite": frozenset(("rowid", "_rowid_", "oid")),
    "postgres": frozenset(("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid")),
    "duckdb": frozenset(("rowid",)),
    "mysql": frozenset(("row_start", "row_end")),
}
_ANY_HIDDEN = frozenset(("rowid", "rownum", "level", "sysdate", "_rowid_", "oid", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"))
"""Columns that tables have without declaring them."""
logging.getLogger("sqlglot").addFilter(lambda record: "unsupported syntax" not in record.getMessage())
"""What the parser does not know is said as a doubt, and not on the terminal besides."""
_WHOLE_ROWS = frozenset(("postgres", "duckdb", "bigquery", "redshift", "materialize", "risingwave"))
"""Dialects in which a table's alias stands for its row."""
_ALIAS_ANYWHERE = frozenset(("duckdb", "snowflake", "redshift", "databricks", "spark", "teradata", "clickhouse"))
"""Dialects that know the names that a query gives everywhere in it."""
_NO_ALIAS_IN_HAVING = frozenset(("postgres", "oracle", "tsql"))


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
        statements = _parsed(without_explain(sql), snapshot.dialect)
        for statement in statements:
            checking.check(statement)
        if not statements:
            checking.say("syntax", "", "there is no statement")
    except (SqlglotError, ValueError, RecursionError) as fault:
        reason = "it is nested too deeply" if isinstance(fault, RecursionError) else (str(fault).split("\n") or [""])[0][:200]
        checking.say("syntax", "", f"cannot be read as {snapshot.dialect or 'SQL'}: {reason}")
    return checking.result(sql)


def _bounded(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """As many findings as are read, what is wrong first."""
    if len(findings) <= _MOST_FINDINGS:
        return findings
    first = sorted(findings, key=lambda one: not one.is_error)[:_MOST_FINDINGS]
    return (*first, Finding("syntax", "", f"{len(findings) - _MOST_FINDINGS:,} more are not named", (), first[-1].is_error))


def _arms(query: exp.Expr) -> list[exp.Expr]:
    """The queries that UNION and its like put together."""
    found, waiting = [], [query]
    while waiting:
        one = waiting.pop().unnest()
        if isinstance(one, exp.SetOperation):
            waiting += [one.expression, one.this]
        else:
            found.append(one)
    return found


def _parsed(sql: str, dialect: str) -> list[exp.Expr]:
    """The statements. What the parser of a dialect does not know of it is read in another way. Raises as sqlglot does."""
    try:
        return [one for one in parse(sql, read=dialect or None) if one is not None]
    except SqlglotError:
        if dialect == "mysql" and sql.lstrip()[:6].upper() == "VALUES":
            return [one for one in parse(sql) if one is not None]
        if dialect == "duckdb" and "`" in sql:
            return [one for one in parse(sql.replace("`", '"'), read=dialect) if one is not None]
        raise


class _Checking:
    """What was found so far."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._names = Names(snapshot)
        self._join_checks = JoinChecks(snapshot, self._names)
        self._tables: dict[str, None] = {}
        self._columns: dict[str, None] = {}
        self._findings: dict[Finding, None] = {}
        self._last_aliases: tuple[exp.Select | None, frozenset[str]] = None, frozenset()

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
            findings=_bounded(tuple(findings)),
        )

    def say(self, kind: Kind, name: str, message: str, near: Iterable[str] = ()) -> None:
        """Note something wrong, once."""
        self._findings[Finding(kind, name, message, tuple(near))] = None

    def check(self, statement: exp.Expr) -> None:
        """Queries scope by scope, the inner ones first; then what changes name outside of any query."""
        if isinstance(statement, exp.Condition | exp.Alias) and not isinstance(statement, exp.Query):
            self.say("syntax", "", "this is no statement")
        if isinstance(statement, exp.Command):
            message = f"of {str(statement.this)[:20]} nothing is checked"
            self._findings[Finding("syntax", "", message, (), is_error=False)] = None
            return
        for table, columns in needed(statement):
            self._check_needed(table, columns)
        from_now_on = list(made(statement))
        if not isinstance(statement, exp.Drop | exp.Alter):
            self._check_queries(without_places(statement))
        for table in from_now_on:
            self._names.forget(table)

    def _check_queries(self, statement: exp.Expr) -> None:
        scopes = Scopes(self._names)
        found = traverse_scope(statement)
        if isinstance(statement, exp.Insert) and isinstance(statement.expression, exp.Values):
            found += [scope for one in statement.expression.find_all(exp.Subquery) for scope in traverse_scope(one.this)]
        for scope in found:
            try:
                scopes.learn(scope)
            except OptimizeError as fault:  # one alias for two tables
                self.say("table", "", str(fault).split("\n")[0])
        for scope in found:
            self._check_scope(scope, scopes)
        for change in statement.find_all(exp.DML):
            if isinstance(change, exp.Insert | exp.Update | exp.Delete | exp.Merge) and not isinstance(change.parent, exp.When):
                self._check_change(change, scopes)

    def _check_scope(self, scope: Scope, scopes: Scopes) -> None:
        query = scope.expression
        for table in scope.tables:
            if scopes.common(table) is None:
                self._check_table(table)
        try:
            around = list(scopes.around(scope))
        except OptimizeError:  # said when it was learned
            return
        if isinstance(query, exp.Select):
            usings = merged(query, self._names)
            for column in scope.find_all(exp.Column):
                self._check_column(column, around, usings, query)
            for name, lacking in unshared(query, around[0], scopes):
                self._check_in(exp.Column(this=name), self._names.written(name), [lacking], name.name)
            pairs = (*equalities(query), *shared(query, around[0], self._names))
            self._join_checks.check(pairs, around[0])
        elif isinstance(query, exp.SetOperation):
            self._check_order(query, scopes)

    def _check_order(self, query: exp.SetOperation, scopes: Scopes) -> None:
        """What a UNION and its like are ordered by is a column that they give."""
        order = query.args.get("order")
        if not isinstance(order, exp.Order):
            return
        given = [scopes.output(arm) for arm in _arms(query)]
        names = [set(one) for one in given if one is not None]
        if len(names) < len(given):
            return
        known = set[str]().union(*names)
        for item in order.expressions:
            column = item.this
            if isinstance(column, exp.Column) and not column.table and self._names.written(column.this) not in known:
                message = f"there is no column {column.name} in what is ordered"
                self.say("column", column.name, message, nearest(column.name, ((one, one) for one in sorted(names[0]))))

    def _check_table(self, node: exp.Table) -> None:
        if not isinstance(node.this, exp.Identifier) or not node.name:
            return
        table = self._names.table(node)
        if table is not None:
            self._tables[table.full_name] = None
            if self._names.is_elsewhere(node, table):
                message = f"{node.name} is not in the default schema {self._snapshot.default_schema}: it is found as {table.full_name}"
                self._findings[Finding("table", node.name, message, (table.full_name,), is_error=False)] = None
            elif self._snapshot.dialect == "mysql" and node.name != table.name:
                message = f"{node.name} is called {table.name}: a server on Linux tells large and small letters apart in names of tables"
                self._findings[Finding("table", node.name, message, (table.full_name,), is_error=False)] = None
            return
        if self._names.is_of_the_system(node) or self._names.is_forgotten(node):
            return
        written = ".".join(part.name for part in node.parts)
        for one in self._snapshot.unread:
            if node.name.lower() == one.name.lower() and node.db.lower() in ("", one.schema_name.lower()):
                message = f"{written} could not be read, nothing of it is known: {one.reason}"
                self._findings[Finding("table", written, message, (), is_error=False)] = None
                return
        others = [one.full_name for one in self._names.namesakes(node)]
        near = nearest(node.name, ((one.name, one.full_name) for one in self._snapshot.tables))
        self.say("table", written, f"there is no table {written}", dict.fromkeys((*others, *near)))

    def _check_needed(self, node: exp.Table, columns: Sequence[exp.Column]) -> None:
        self._check_table(node)
        table = self._names.table(node)
        around = [{self._names.written(node.this): self._names.source(table)}] if table is not None else []
        for column in columns if around else ():
            self._check_bare(column, self._names.written(column.this), around, frozenset())

    def _check_column(self, column: exp.Column, around: Sequence[dict[str, Source]], usings: frozenset[str], query: exp.Select) -> None:
        name = self._names.written(column.this) if isinstance(column.this, exp.Identifier) else ""
        if column.table:
            self._check_qualified(column, name, around)
        elif name and not self._is_hidden(name) and not (name in self._aliases(query) and self._may_be_alias(column)):
            if self._snapshot.dialect in _WHOLE_ROWS and any(name in sources for sources in around):
                return
            self._check_bare(column, name, around, usings)

    def _is_hidden(self, name: str) -> bool:
        return name.lower() in _HIDDEN.get(self._snapshot.dialect, _ANY_HIDDEN)

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
        elif name and not self._is_hidden(name) and source.columns is not None:
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
        near = nearest(column.name, self._candidates(sources))
        elsewhere = [
            f"{table.full_name}.{column.name}" for table in self._snapshot.tables if name in (self._names.source(table).columns or ())
        ]
        where = " or ".join(table.full_name for table in tables) or "this query"
        hint = f"; {elsewhere[0]} is one" if elsewhere else ""
        message = f"there is no column {column.name} in {where}{hint}"
        if self._snapshot.dialect == "sqlite" and column.this.args.get("quoted") and not column.table:
            self._findings[Finding("column", written, f"{message}: SQLite reads it as a string", near[:MOST], is_error=False)] = None
            return
        self.say("column", written, message, dict.fromkeys((*near, *elsewhere[:2])))

    @staticmethod
    def _candidates(sources: Sequence[Source]) -> Iterable[tuple[str, str]]:
        for source in sources:
            if source.table:
                yield from ((one.name, f"{source.table.name}.{one.name}") for one in source.table.columns)
            else:
                yield from ((one, one) for one in sorted(source.columns or ()))

    def _may_be_alias(self, column: exp.Column) -> bool:
        """True where SQL also looks for names that the query itself gives."""
        dialect = self._snapshot.dialect
        if dialect in _ALIAS_ANYWHERE:
            return True
        inside = column.find_ancestor(exp.Order, exp.Group, exp.Having, exp.Qualify, exp.Where, exp.Join, exp.Select)
        if isinstance(inside, exp.Where | exp.Join):
            return dialect == "sqlite"
        if dialect == "postgres" and isinstance(inside, exp.Order | exp.Group):  # the name alone, not in an expression
            return column.parent is inside or column.parent in inside.expressions
        return not isinstance(inside, exp.Select) and not (isinstance(inside, exp.Having) and dialect in _NO_ALIAS_IN_HAVING)

    def _aliases(self, query: exp.Select) -> frozenset[str]:
        known, aliases = self._last_aliases
        if known is not query:
            aliases = frozenset(self._names.written(one.args["alias"]) for one in query.selects if isinstance(one, exp.Alias))
            self._last_aliases = query, aliases
        return aliases

    def _check_change(self, change: exp.Expr, scopes: Scopes) -> None:
        """Its tables, and the columns that it names outside of any query."""
        for node in tables(change):
            if scopes.common(node) is None:
                self._check_table(node)
        read = scopes.read_by(relations(change))
        for node in listed(change):
            if scopes.called(node) not in read:
                self.say(
                    "table", node.name, f"{node.name} is no table or alias of this query", nearest(node.name, ((one, one) for one in read))
                )
        for column, around in uses(change, self._names, scopes):
            self._check_column(column, around, frozenset(), exp.Select())
        for column in qualified(change) if self._snapshot.dialect == "postgres" else ():
            if self._names.written(column.args["table"]) in read:
                written = f"{column.table}.{column.name}"
                self.say("column", written, f"PostgreSQL takes no table before a column that is set: {written}", (column.name,))
        changed = target(change)
        own = self._names.table(changed) if isinstance(changed, exp.Table) else None
        if own is None or not isinstance(change, exp.Insert):
            return
        if wrong := miscounted(change, own, self._snapshot.dialect):
            self.say("column", own.name, wrong)
        for one in change.this.expressions if isinstance(change.this, exp.Schema) else ():
            if isinstance(one, exp.Identifier):
                self._check_in(exp.Column(this=one), self._names.written(one), [self._names.source(own)], one.name)
