"""Are tables joined by a key? Equalities between columns of two tables against the links of the schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sqlglot import exp

from clew.core.schema.contracts import Snapshot, Table
from clew.search.schema.joins import condition
from clew.search.schema.links import Link, links
from clew.search.schema.sql_scopes import UNKNOWN, Names, Scopes, Source


class Doubt(NamedTuple):
    """A join that no key stands for: how it is written, what is doubtful, and the keys there are."""

    joined: str
    message: str
    keys: tuple[str, ...]


class JoinChecks:
    """The joins of a statement, and what is doubtful of them."""

    def __init__(self, snapshot: Snapshot, names: Names) -> None:
        self._snapshot = snapshot
        self._names = names
        self._links: tuple[Link, ...] | None = None
        self.used: dict[str, None] = {}
        self.doubts: dict[Doubt, None] = {}

    def check(self, pairs: Iterable[tuple[exp.Column, exp.Column]], sources: Mapping[str, Source]) -> None:
        """Every pair of tables that equalities connect."""
        joined: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for near, far in pairs:
            left, right = self._end(near, sources), self._end(far, sources)
            if left and right and left[0] != right[0]:
                if (right[0], left[0]) in joined:
                    left, right = right, left
                joined.setdefault((left[0], right[0]), []).append((left[1], right[1]))
        for (near_alias, far_alias), columns in joined.items():
            one, other = sources[near_alias].table, sources[far_alias].table
            if one and other:
                self._check(one, other, frozenset(columns))

    def _end(self, column: exp.Column, sources: Mapping[str, Source]) -> tuple[str, str] | None:
        name = self._names.written(column.this)
        if column.table:
            alias = self._names.written(column.args["table"])
            return (alias, name) if alias in sources else None
        holding = [alias for alias, source in sources.items() if name in (source.columns or ())]
        return (holding[0], name) if len(holding) == 1 else None

    def _check(self, left: Table, right: Table, pairs: frozenset[tuple[str, str]]) -> None:
        known: list[str] = []
        partly: tuple[str, str] | None = None
        for link in self._between(left, right):
            owner = self._snapshot.tables[link.left]
            way = frozenset(
                (self._names.own(one), self._names.own(other))
                for one, other in zip(link.key.columns, link.key.referred_columns, strict=False)
            )
            turned = frozenset((other, one) for one, other in way)
            written = condition(self._snapshot, owner, link.key)
            ways = (way, turned) if left.key == right.key else (way,) if owner.key == left.key else (turned,)
            if any(one <= pairs for one in ways):
                self.used[written] = None
                return
            if any(one & pairs for one in ways):
                partly = (written, ", ".join(sorted(one for one, _ in ways[0] - pairs)))
            known.append(written)
        if partly:
            self.doubts[Doubt(f"{left.name}, {right.name}", f"only a part of the key is joined, {partly[1]} is missing", (partly[0],))] = (
                None
            )
            return
        shown = " AND ".join(f"{left.name}.{one} = {right.name}.{other}" for one, other in sorted(pairs))
        message = "no key joins these columns" if known else "no key joins these tables"
        self.doubts[Doubt(shown, message, tuple(known))] = None

    def _between(self, left: Table, right: Table) -> Iterator[Link]:
        if self._links is None:
            self._links = links(self._snapshot)
        tables = self._snapshot.tables
        for link in self._links:
            if {tables[link.left].key, tables[link.right].key} == {left.key, right.key}:
                yield link


def equalities(query: exp.Select) -> Iterator[tuple[exp.Column, exp.Column]]:
    """Pairs of columns that a query sets equal in ON, USING and WHERE, where all of the conditions must hold."""
    conditions = [join.args["on"] for join in query.args.get("joins") or () if join.args.get("on")]
    if where := query.args.get("where"):
        conditions.append(where.this)
    for whole in conditions:
        for part in whole.unnest().flatten() if isinstance(whole.unnest(), exp.And) else (whole.unnest(),):
            if isinstance(part, exp.EQ) and isinstance(part.left, exp.Column) and isinstance(part.right, exp.Column):
                yield part.left, part.right


def shared(query: exp.Select, sources: Mapping[str, Source], names: Names) -> Iterator[tuple[exp.Column, exp.Column]]:
    """Pairs of columns that USING sets equal: of the table that is joined, and of the one before it that has the column."""
    first = query.args.get("from_") or query.args.get("from")
    before = [_alias(first.this, names)] if first is not None else []
    for join in query.args.get("joins") or ():
        joined = _alias(join.this, names)
        for one in join.args.get("using") or ():
            written = one if isinstance(one, exp.Identifier) else one.this
            name = names.written(written)
            holding = [alias for alias in before if alias in sources and name in (sources[alias].columns or ())]
            if len(holding) == 1:
                yield _column(written, holding[0]), _column(written, joined)
        before.append(joined)


def unshared(query: exp.Select, sources: Mapping[str, Source], scopes: Scopes) -> Iterator[tuple[exp.Identifier, Source]]:
    """Columns of USING, each with the table that is joined and lacks it, or with all before it where none of them has it."""
    first = query.args.get("from_")
    before = [scopes.called(first.this)] if first is not None else []
    for join in query.args.get("joins") or ():
        joined = scopes.called(join.this)
        for one in join.args.get("using") or ():
            name = one if isinstance(one, exp.Identifier) else one.this
            written = scopes.names.written(name)
            if written not in (sources.get(joined, UNKNOWN).columns or (written,)):
                yield name, sources[joined]
            elif all(written not in (sources.get(alias, UNKNOWN).columns or (written,)) for alias in before) and before:
                yield name, sources[before[0]]
        before.append(joined)


def _alias(node: exp.Expr, names: Names) -> str:
    """How a table or subquery is called in its query, as names are compared."""
    alias = node.args.get("alias")
    given = alias.this if isinstance(alias, exp.TableAlias) and alias.this else node.this
    return names.written(given) if isinstance(given, exp.Identifier) else ""


def _column(name: exp.Expr, alias: str) -> exp.Column:
    return exp.Column(this=name.copy(), table=exp.Identifier(this=alias, quoted=True))


def merged(query: exp.Select, names: Names) -> frozenset[str]:
    """Columns that USING makes one of two; everything is possible after NATURAL."""
    joins = query.args.get("joins") or ()
    found = [names.written(one if isinstance(one, exp.Identifier) else one.this) for join in joins for one in join.args.get("using") or ()]
    if any(str(join.args.get("method") or "").upper() == "NATURAL" for join in joins):
        found += [names.written(column.this) for column in query.find_all(exp.Column) if isinstance(column.this, exp.Identifier)]
    return frozenset(found)
