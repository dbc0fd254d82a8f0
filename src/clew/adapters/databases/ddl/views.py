"""Which columns does a view have, and of which types? Its query is read by sqlglot; stars are filled from the tables that the file defines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.adapters.databases.ddl.cursor import Cursor, Malformed
from clew.adapters.databases.ddl.drafts import ColumnDraft, Name, TableDraft
from clew.adapters.databases.ddl.remarks import remark
from clew.adapters.databases.ddl.tables import rest_of

if TYPE_CHECKING:
    from sqlglot import exp

Find = Callable[[Name], TableDraft | None]
# A query inside a query inside …: deeper ones give columns without types.
_DEEPEST = 12


def read_view(cursor: Cursor, view: TableDraft) -> None:
    """Read what follows the name of a view: its columns' names and comments, options, its query."""
    if cursor.word() == "(":
        _read_names(cursor, view)
    while not cursor.is_done and cursor.word() != "AS":
        if cursor.accept("COMMENT"):
            cursor.accept("=")
            if cursor.peek().kind == "string":
                view.description = cursor.string()
        elif cursor.word() == "OPTIONS" and cursor.word(1) == "(":
            cursor.next()
            for option in cursor.group().items():
                if option.accept("DESCRIPTION", "="):
                    view.description = option.string()
        else:
            cursor.skip()
    if not cursor.accept("AS") or cursor.is_done:
        raise Malformed("AS and a query expected")
    view.query = _without_options(rest_of(cursor))


def _read_names(cursor: Cursor, view: TableDraft) -> None:
    names = []
    for item in cursor.group().items():
        first, last = item.at, item.end
        name = item.name()
        said = remark(cursor.comments(first, last))
        while not item.is_done:
            if item.accept("COMMENT") and item.peek().kind == "string":
                said = item.string()
            else:
                item.skip()
        names.append((name, said))
    view.view_columns = tuple(names)


def _without_options(query: str) -> str:
    for option in (
        "WITH NO DATA",
        "WITH DATA",
        "WITH NO SCHEMA BINDING",
        "WITH READ ONLY",
        "WITH CHECK OPTION",
        "WITH LOCAL CHECK OPTION",
        "WITH CASCADED CHECK OPTION",
    ):
        if query.upper().endswith(option):
            return query[: -len(option)].rstrip()
    return query


def fill_view(view: TableDraft, dialect: str, fold: Callable[[str], str], find: Find) -> None:
    """Add the columns that a view's query gives. One that sqlglot cannot read leaves the names that the view lists itself, and is named."""
    found = _columns_of_text(view.query, dialect, fold, find)
    if found is None:
        view.degraded.append("the query of the view cannot be read, so columns may be missing")
        found = [ColumnDraft(name) for name, _ in view.view_columns]
    for place, column in enumerate(found):
        if place < len(view.view_columns):
            column.name = view.view_columns[place][0]
            column.description = view.view_columns[place][1] or column.description
        if column.name:
            view.add(column)


def _columns_of_text(query: str, dialect: str, fold: Callable[[str], str], find: Find) -> list[ColumnDraft] | None:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(query, read=dialect)
    except (SqlglotError, RecursionError):
        return None
    return _Queries(fold, find).columns(tree, {}) if isinstance(tree, exp.Query) else None


class _Queries:
    """Works out the columns of a query and of those inside it."""

    def __init__(self, fold: Callable[[str], str], find: Find) -> None:
        self.fold, self.find, self.depth = fold, find, 0

    def columns(self, query: exp.Expr, named: dict[str, list[ColumnDraft]]) -> list[ColumnDraft]:
        """The columns that a query gives; `named` are those of WITH."""
        from sqlglot import exp

        self.depth += 1
        try:
            if self.depth > _DEEPEST:
                return []
            named = dict(named)
            for cte in query.ctes if isinstance(query, exp.Query) else ():
                given = self.columns(cte.this, named)
                for column, alias in zip(given, cte.args["alias"].args.get("columns") or (), strict=False):
                    column.name = self.name(alias)
                named[cte.alias.lower()] = given
            while isinstance(query, (exp.SetOperation, exp.Subquery)):
                query = query.this
            if not isinstance(query, exp.Select):
                return []
            sources = self.sources(query, named)
            return [column for projection in query.expressions for column in self.projected(projection, sources)]
        finally:
            self.depth -= 1

    def sources(self, query: exp.Select, named: dict[str, list[ColumnDraft]]) -> list[tuple[str, list[ColumnDraft]]]:

        start = query.args.get("from_") or query.args.get("from")
        found = [start.this] if start else []
        found += [join.this for join in query.args.get("joins") or ()]
        return [source for one in found for source in self.source(one, named)]

    def source(self, one: exp.Expr, named: dict[str, list[ColumnDraft]]) -> list[tuple[str, list[ColumnDraft]]]:
        """A table, a query with a name, or what brackets hold: tables joined before others."""
        from sqlglot import exp

        sources = []
        if isinstance(one, exp.Subquery) and isinstance(one.this, (exp.Select, exp.SetOperation)):
            sources.append((one.alias.lower(), self.columns(one.this, named)))
        elif isinstance(one, (exp.Subquery, exp.Paren)):
            sources += self.source(one.this, named)
        elif isinstance(one, exp.Table):
            sources.append((one.alias_or_name.lower(), self.of_table(one, named)))
        for join in one.args.get("joins") or ():
            sources += self.source(join.this, named)
        return sources

    def of_table(self, source: exp.Table, named: dict[str, list[ColumnDraft]]) -> list[ColumnDraft]:
        if not source.db and source.name.lower() in named:
            return named[source.name.lower()]
        parts = [part for part in source.parts if part.name][-2:]
        table = self.find(tuple(self.name(part) for part in parts))
        return list(table.columns.values()) if table else []

    def name(self, identifier: exp.Expr) -> str:
        return identifier.name if identifier.args.get("quoted") else self.fold(identifier.name)

    def projected(self, projection: exp.Expr, sources: list[tuple[str, list[ColumnDraft]]]) -> list[ColumnDraft]:
        from sqlglot import exp

        if isinstance(projection, exp.Star):
            return [_copied(column) for _, columns in sources for column in columns]
        if isinstance(projection, exp.Column) and isinstance(projection.this, exp.Star):
            return [_copied(column) for alias, columns in sources if alias == projection.table.lower() for column in columns]
        inner = projection.this if isinstance(projection, exp.Alias) else projection
        alias = (
            projection.args["alias"]
            if isinstance(projection, exp.Alias)
            else projection.this
            if isinstance(projection, exp.Column)
            else None
        )
        name = self.name(alias) if isinstance(alias, exp.Identifier) else projection.output_name
        if isinstance(inner, exp.Column):
            for source, columns in sources:
                if inner.table.lower() in ("", source):
                    for column in columns:
                        if column.name.lower() == inner.name.lower():
                            return [_copied(column, name)]
        dtype = inner.to.sql() if isinstance(inner, exp.Cast) else ""
        return [ColumnDraft(name, dtype=dtype)]


def _copied(column: ColumnDraft, name: str = "") -> ColumnDraft:
    return ColumnDraft(
        name or column.name,
        dtype=column.dtype,
        type_name=column.type_name,
        is_array=column.is_array,
        allowed=column.allowed,
        base=column.base,
        description=column.description,
    )
