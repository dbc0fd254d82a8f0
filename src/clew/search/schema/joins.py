"""How are found tables joined? Conditions in the datasource's SQL, every pair of a composite key, aliases where a table meets itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clew.core.schema.answer import Join
from clew.core.schema.cardinality import cardinality
from clew.core.schema.contracts import ForeignKey, Snapshot, Table
from clew.search.schema.identifiers import path, quoted
from clew.search.schema.links import Link


def joins(snapshot: Snapshot, links: Iterable[Link], shown: Sequence[int], made: dict[int, Join] | None = None) -> tuple[Join, ...]:
    """The joins between tables of a snapshot (by place), in order of the tables; links carry places in the same snapshot. Those that are
    `made` already, by the identity of their keys, are not written again."""
    order = {place: rank for rank, place in enumerate(shown)}
    kept = [link for link in links if link.left in order and link.right in order]
    kept.sort(key=lambda link: (max(order[link.left], order[link.right]), order[link.left], bool(link.key.inferred), link.key.columns))
    known = {} if made is None else made
    for link in kept:
        if id(link.key) not in known:
            known[id(link.key)] = _join(snapshot, link)
    return tuple(known[id(link.key)] for link in kept)


def _join(snapshot: Snapshot, link: Link) -> Join:
    left, right = snapshot.tables[link.left], snapshot.tables[link.right]
    return Join(
        datasource=snapshot.datasource,
        left=left.full_name,
        right=right.full_name,
        condition=condition(snapshot, left, link.key),
        cardinality=cardinality(left, link.key, right),
        inferred=link.key.inferred,
    )


def condition(snapshot: Snapshot, table: Table, key: ForeignKey) -> str:
    """`orders.customer_id = customers.id`; a table joined to itself has an alias, its name with `_2`."""
    dialect = snapshot.dialect
    near = path(table.schema_name, table.name, dialect, snapshot.default_schema)
    far = path(key.referred_schema, key.referred_table, dialect, snapshot.default_schema)
    if (key.referred_schema, key.referred_table) == table.key:
        far = quoted(f"{table.name}_2", dialect)
    pairs = zip(key.columns, key.referred_columns, strict=False)
    return " AND ".join(f"{near}.{quoted(one, dialect)} = {far}.{quoted(other, dialect)}" for one, other in pairs)
