"""Which names can a query see? Its tables and subqueries with their columns, those of queries around it, as sqlglot's scopes tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from clew.core.schema.contracts import Snapshot, Table
from clew.search.schema.identifiers import folded


class Source(NamedTuple):
    """Something that columns come from: a table of the snapshot, or a query; `columns` None where they cannot be known."""

    table: Table | None
    columns: frozenset[str] | None


UNKNOWN = Source(None, None)
_ONE_SCHEMA = frozenset(("postgres", "mysql", "mariadb", "duckdb"))
"""Dialects that look for a bare name in the default schema alone; SQLite looks into all that are attached."""


_LATERAL_BY_ITSELF = frozenset(("duckdb",))
"""Dialects in which a subquery in FROM sees the tables before it without LATERAL."""
_COLUMNS_OF_VALUES = {"sqlite": "column{1}", "postgres": "column{1}", "duckdb": "col{0}"}
_OF_THE_SYSTEM = {
    "sqlite": frozenset[str](),
    "postgres": frozenset(("information_schema", "pg_catalog", "pg_toast")),
    "duckdb": frozenset(("information_schema", "pg_catalog", "system")),
    "mysql": frozenset(("information_schema", "sys", "mysql", "performance_schema")),
}
_ANY_SYSTEM = frozenset(("information_schema", "pg_catalog", "sys", "system", "sysibm", "account_usage"))
_NAMED_BY_THE_SYSTEM = {
    "sqlite": re.compile(r"sqlite_|pragma_|dbstat$|json_"),
    "postgres": re.compile(r"pg_"),
    "duckdb": re.compile(r"pg_|sqlite_|duckdb_|pragma_"),
    "mysql": re.compile(r"dual$"),
    "oracle": re.compile(r"dual$|(?:all|dba|user|cdb)_|g?v\$", re.IGNORECASE),
}


class Names:
    """The names of a snapshot, as its dialect compares them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.dialect = snapshot.dialect
        self._default_alone = bool(snapshot.default_schema) and snapshot.dialect in _ONE_SCHEMA
        self._by_name: dict[str, list[Table]] = {}
        for table in snapshot.tables:
            self._by_name.setdefault(self.own(table.name), []).append(table)
        self._forgotten: set[str] = set()

    def own(self, name: str) -> str:
        """A name that stands in the snapshot."""
        return folded(name, self.dialect, is_quoted=True)

    def written(self, identifier: exp.Expr | str | None) -> str:
        """A name that stands in a statement."""
        if isinstance(identifier, exp.Identifier):
            return folded(identifier.name, self.dialect, is_quoted=bool(identifier.args.get("quoted")))
        return folded(str(identifier or ""), self.dialect, is_quoted=False)

    def table(self, node: exp.Table) -> Table | None:
        """The table that is named; a bare name means the default schema's where there are several."""
        schema = node.args.get("db")
        found = self.namesakes(node)
        inside = [table for table in found if table.schema_name == self._snapshot.default_schema]
        if schema is None:
            return next(iter(inside or found), None)
        if self.dialect == "sqlite" and self.written(schema) == "main":
            return next(iter(inside), None)
        return next((table for table in found if self.own(table.schema_name) == self.written(schema)), None)

    def is_elsewhere(self, node: exp.Table, table: Table) -> bool:
        """Whether a bare name means a table that the database finds only where its search path has been set to."""
        return self._default_alone and not node.args.get("db") and table.schema_name != self._snapshot.default_schema

    def is_of_the_system(self, node: exp.Table) -> bool:
        """Whether a name that the snapshot does not have may be one of the database's own tables, which snapshots leave out."""
        if node.args.get("db"):
            return node.db.lower() in _OF_THE_SYSTEM.get(self.dialect, _ANY_SYSTEM)
        own = _NAMED_BY_THE_SYSTEM.get(self.dialect)
        return own is not None and own.match(self.written(node.this)) is not None

    def forget(self, node: exp.Table) -> None:
        """Take nothing of what the snapshot says of this name for true any more: a statement has made or altered such a table."""
        self._forgotten.add(self.written(node.this))

    def is_forgotten(self, node: exp.Table) -> bool:
        """Whether a statement before has made or altered a table of that name."""
        return self.written(node.this) in self._forgotten

    def namesakes(self, node: exp.Table) -> list[Table]:
        """The tables of that name, in whatever schema."""
        return self._by_name.get(self.written(node.this), [])

    def source(self, table: Table) -> Source:
        """A table as a source of columns."""
        if self.own(table.name) in self._forgotten:
            return Source(table, None)
        return Source(table, frozenset(self.own(column.name) for column in table.columns))

    def column(self, table: Table, name: str) -> str:
        """The exact name of a table's column by its compared one."""
        return next(column.name for column in table.columns if self.own(column.name) == name)


class Scopes:
    """The sources of each scope of a statement; what queries give must be learned (`learn`) of inner ones first, as sqlglot orders them."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._outputs: dict[int, frozenset[str] | None] = {}

    def learn(self, scope: Scope) -> None:
        """Remember what columns this query gives to those around it. Raises OptimizeError where one alias stands for two tables."""
        query = scope.expression
        inner = query.this.unnest() if isinstance(query, exp.Lateral | exp.Subquery) and isinstance(query.this, exp.Query) else None
        self._outputs[id(query)] = self._outputs.get(id(inner)) if inner is not None else self._output(query, self.sources(scope), scope)

    def output(self, query: exp.Expr) -> frozenset[str] | None:
        """The columns that a query gives, None where they cannot be known."""
        return self._outputs.get(id(query.unnest()))

    def sources(self, scope: Scope) -> dict[str, Source]:
        """Alias (as compared) -> source, of the tables and subqueries that this query, or this change, itself reads."""
        if isinstance(scope.expression, exp.DML):
            return self.read_by(relations(scope.expression))
        found = {}
        for alias, (node, source) in scope.selected_sources.items():
            found[self.called(node) or self.names.written(alias)] = self._source(source, node)
        return found

    def read_by(self, nodes: Iterable[exp.Expr]) -> dict[str, Source]:
        """The sources that these tables and subqueries are."""
        return {self.called(node): self.source(node) for node in nodes}

    def around(self, scope: Scope) -> Iterator[dict[str, Source]]:
        """The sources of this query, then of those around it, which a correlated subquery sees."""
        one: Scope | None = scope
        while one is not None:
            yield self.sources(one)
            joins = one.expression.args.get("joins") or ()
            if hidden := [join.this for join in joins if join.is_semi_or_anti_join]:  # seen by their own condition alone
                yield self.read_by(hidden)
            one = one.parent if self._sees_around(one) else None

    def _sees_around(self, scope: Scope) -> bool:
        if scope.is_subquery or scope.is_udtf or scope.can_be_correlated or isinstance(scope.expression, exp.Subquery):
            return True
        return scope.is_derived_table and self.names.dialect in _LATERAL_BY_ITSELF

    def called(self, node: exp.Expr) -> str:
        """How a table or subquery is called in its query, as names are compared."""
        alias = node.args.get("alias")
        given = alias.this if isinstance(alias, exp.TableAlias) and alias.this else node.this
        return self.names.written(given) if isinstance(given, exp.Identifier) else ""

    def _source(self, source: exp.Expr | Scope, node: exp.Expr) -> Source:
        if isinstance(source, Scope) and not isinstance(node, exp.Table):
            renamed = self._renamed(node) or frozenset(map(self.names.written, source.outer_columns))
            return Source(None, renamed or self._outputs.get(id(source.expression)))
        return self.source(node)

    def source(self, node: exp.Expr) -> Source:
        """What stands at a place where a table is read."""
        if node.args.get("pivots"):
            return UNKNOWN
        if renamed := self._renamed(node):
            return Source(None, renamed)
        if not isinstance(node, exp.Table):
            return Source(None, self.output(node.this)) if isinstance(node, exp.Subquery | exp.Lateral) and node.this else UNKNOWN
        if not isinstance(node.this, exp.Identifier):
            return UNKNOWN
        if (common := self.common(node)) is not None:
            return Source(None, self._renamed(common) or self._given_by(common.this))
        table = self.names.table(node)
        return self.names.source(table) if table else UNKNOWN

    def common(self, node: exp.Table) -> exp.CTE | None:
        """The common table expression that a bare name means: one of a query around it, if from inside another then an earlier one."""
        if node.args.get("db"):
            return None
        name = self.names.written(node.this)
        below: exp.Expr = node
        above = node.parent
        while above is not None:
            with_ = above if isinstance(above, exp.With) else above.args.get("with_")
            if isinstance(with_, exp.With) and (found := self._common_of(with_, name, below)) is not None:
                return found
            # From a WITH its query is looked at no second time.
            below, above = above, above.parent.parent if isinstance(above, exp.With) and above.parent else above.parent
        return None

    def _common_of(self, with_: exp.With, name: str, inside: exp.Expr) -> exp.CTE | None:
        for cte in with_.expressions:
            is_own = cte is inside
            if is_own and not (with_.recursive or isinstance(cte.this.unnest(), exp.SetOperation)):
                return None
            if self.called(cte) == name:
                return cte  # type: ignore[no-any-return]
            if is_own and not with_.recursive:
                return None
        return None

    def _given_by(self, body: exp.Expr) -> frozenset[str] | None:
        if not isinstance(body, exp.DML) or isinstance(body, exp.Query):
            return self.output(body)
        returning = body.args.get("returning")
        if returning is None:
            return None
        stars = [self.source(target(body)).columns for one in returning.expressions if one.is_star]
        if None in stars:
            return None
        named = frozenset(self._given_name(one) for one in returning.expressions if not one.is_star)
        return named.union(*(one for one in stars if one is not None))

    def _renamed(self, node: exp.Expr) -> frozenset[str]:
        alias = node.args.get("alias")
        columns = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
        named = [one.this if isinstance(one, exp.ColumnDef) else one for one in columns or ()]
        if named and isinstance(node.args.get("offset"), exp.Identifier):  # WITH ORDINALITY
            named.append(node.args["offset"])
        return frozenset(map(self.names.written, named))

    def _given_name(self, one: exp.Expr) -> str:
        return self.names.written(
            one.args.get("alias") if isinstance(one, exp.Alias) else one.this if isinstance(one, exp.Column) else one.alias_or_name
        )

    def _output(self, query: exp.Expr, sources: Mapping[str, Source], scope: Scope) -> frozenset[str] | None:
        if isinstance(query, exp.SetOperation):
            return self._outputs.get(id(scope.set_operation_scopes[0].expression)) if scope.set_operation_scopes else None
        if isinstance(query, exp.Values):
            form = _COLUMNS_OF_VALUES.get(self.names.dialect)
            row = query.expressions[0] if query.expressions else None
            count = len(row.expressions) if isinstance(row, exp.Tuple) else 1
            return frozenset(form.format(number, number + 1) for number in range(count)) if form else None
        if not isinstance(query, exp.Select):
            return None
        found: set[str] = set()
        for one in query.selects:
            if not one.is_star:
                found.add(self._given_name(one))
                continue
            wanted = (
                [sources.get(self.names.written(one.args["table"]), UNKNOWN)] if isinstance(one, exp.Column) else list(sources.values())
            )
            for source in wanted:
                if source.columns is None:
                    return None
                found |= source.columns
        return frozenset(found)


def relations(change: exp.Expr) -> list[exp.Expr]:
    """The tables and subqueries that a change reads beside any query: its target first, if that is not called by another's alias."""
    using, from_ = change.args.get("using"), change.args.get("from_")
    waiting = [target(change), *([from_.this] if isinstance(from_, exp.From) else ())]
    waiting += using if isinstance(using, list) else [using] if isinstance(using, exp.Expr) else []
    found = []
    while waiting:
        one = waiting.pop(0)
        is_group = isinstance(one, exp.Subquery) and not one.alias and isinstance(one.this, exp.Table)
        found += [] if is_group else [one]
        waiting += [*([one.this] if is_group else ()), *(join.this for join in one.args.get("joins") or ())]
    first = found[0]
    is_alias = isinstance(first, exp.Table) and any(one.alias and one.alias.lower() == first.name.lower() for one in found[1:])
    return found[1:] if is_alias else found


def target(change: exp.Expr) -> exp.Expr:
    """What a change changes."""
    whole = change.this
    return whole.this if isinstance(whole, exp.Schema) else whole  # type: ignore[no-any-return]
