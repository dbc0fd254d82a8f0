"""Which names can a query see? Its tables and subqueries with their columns, those of queries around it, as sqlglot's scopes tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


class Names:
    """The names of a snapshot, as its dialect compares them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._dialect = snapshot.dialect
        self._default_alone = bool(snapshot.default_schema) and snapshot.dialect in _ONE_SCHEMA
        self._by_name: dict[str, list[Table]] = {}
        for table in snapshot.tables:
            self._by_name.setdefault(self.own(table.name), []).append(table)

    def own(self, name: str) -> str:
        """A name that stands in the snapshot."""
        return folded(name, self._dialect, is_quoted=True)

    def written(self, identifier: exp.Expr | str | None) -> str:
        """A name that stands in a statement."""
        if isinstance(identifier, exp.Identifier):
            return folded(identifier.name, self._dialect, is_quoted=bool(identifier.args.get("quoted")))
        return folded(str(identifier or ""), self._dialect, is_quoted=False)

    def table(self, node: exp.Table) -> Table | None:
        """The table that is named; a bare name means the default schema's where there are several."""
        schema = node.args.get("db")
        found = self.namesakes(node)
        inside = [table for table in found if table.schema_name == self._snapshot.default_schema]
        if schema is None:
            return next(iter(inside or found), None)
        if self._dialect == "sqlite" and self.written(schema) == "main":
            return next(iter(inside), None)
        return next((table for table in found if self.own(table.schema_name) == self.written(schema)), None)

    def is_elsewhere(self, node: exp.Table, table: Table) -> bool:
        """Whether a bare name means a table that the database finds only where its search path has been set to."""
        return self._default_alone and not node.args.get("db") and table.schema_name != self._snapshot.default_schema

    def namesakes(self, node: exp.Table) -> list[Table]:
        """The tables of that name, in whatever schema."""
        return self._by_name.get(self.written(node.this), [])

    def source(self, table: Table) -> Source:
        """A table as a source of columns."""
        return Source(table, frozenset(self.own(column.name) for column in table.columns))

    def column(self, table: Table, name: str) -> str:
        """The exact name of a table's column by its compared one."""
        return next(column.name for column in table.columns if self.own(column.name) == name)


class Scopes:
    """The sources of each scope of a statement; inner scopes must be asked for before those around them, as sqlglot orders them."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._outputs: dict[int, frozenset[str] | None] = {}

    def sources(self, scope: Scope) -> dict[str, Source]:
        """Alias (as compared) -> source, of the tables and subqueries that this query itself selects from."""
        found = {}
        for alias, (node, source) in scope.selected_sources.items():
            written = node.args.get("alias")
            name = (
                written.this
                if isinstance(written, exp.TableAlias) and written.this
                else node.this
                if isinstance(node, exp.Table)
                else alias
            )
            found[self._names.written(name if isinstance(name, exp.Identifier) else alias)] = self._source(source, node)
        return found

    def around(self, scope: Scope) -> Iterator[dict[str, Source]]:
        """The sources of this query, then of those around it, which a correlated subquery sees."""
        one: Scope | None = scope
        while one is not None:
            yield self.sources(one)
            one = (
                one.parent if one.is_subquery or one.is_udtf or one.can_be_correlated or isinstance(one.expression, exp.Subquery) else None
            )

    def finish(self, scope: Scope, sources: Mapping[str, Source]) -> None:
        """Remember what columns this query gives to those around it."""
        self._outputs[id(scope)] = self._output(scope, sources)

    def _source(self, source: exp.Expr | Scope, node: exp.Expr) -> Source:
        if isinstance(source, Scope):
            alias = node.args.get("alias")
            renamed = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
            if renamed:
                return Source(None, frozenset(map(self._names.written, renamed)))
            if source.outer_columns:
                return Source(None, frozenset(map(self._names.written, source.outer_columns)))
            return Source(None, self._outputs.get(id(source)))
        if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier):
            table = self._names.table(source)
            return self._names.source(table) if table else UNKNOWN
        return UNKNOWN

    def _output(self, scope: Scope, sources: Mapping[str, Source]) -> frozenset[str] | None:
        query = scope.expression
        if isinstance(query, exp.SetOperation):
            return self._outputs.get(id(scope.set_operation_scopes[0])) if scope.set_operation_scopes else None
        if not isinstance(query, exp.Select):
            return None
        found: set[str] = set()
        for one in query.selects:
            if not one.is_star:
                found.add(
                    self._names.written(
                        one.args.get("alias")
                        if isinstance(one, exp.Alias)
                        else one.this
                        if isinstance(one, exp.Column)
                        else one.alias_or_name
                    )
                )
                continue
            wanted = (
                [sources.get(self._names.written(one.args["table"]), UNKNOWN)] if isinstance(one, exp.Column) else list(sources.values())
            )
            for source in wanted:
                if source.columns is None:
                    return None
                found |= source.columns
        return frozenset(found)
