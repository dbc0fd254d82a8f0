"""Which keys between shown tables can be written so that the database takes them, where, and what is said of the others?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from clew.core.schema.contracts import ForeignKey, Snapshot, Table
from clew.search.schema.identifiers import path, quoted
from clew.search.schema.inference import family
from clew.search.schema.links import Link

_ADDS_KEYS_LATER = frozenset(("postgres", "mysql", "tsql", "oracle", "redshift", "snowflake"))
"""Dialects that can add a key to a table that is there already: the only way to write keys that go in a circle."""
_TAKES_ANY_KEY = frozenset(("sqlite",))
"""Dialects that take a key before its table is there, of any types; DuckDB takes none of these."""


class Keys(NamedTuple):
    """By place of the table: constraints inside it (unique keys that others refer to, foreign keys), and notes above it; `later` are statements
    for when all tables are there."""

    inside: Mapping[int, Sequence[str]]
    notes: Mapping[int, Sequence[str]]
    later: Sequence[str]


def keys(snapshot: Snapshot, order: Sequence[int], shown: Mapping[int, Collection[str]], links: Iterable[Link]) -> Keys:
    """The keys of which both ends are shown, tables being made in this order. What a database would refuse, and what is inferred, is a note."""
    made = {place: number for number, place in enumerate(order)}
    inside: dict[int, list[str]] = defaultdict(list)
    notes: dict[int, list[str]] = defaultdict(list)
    later: list[str] = []
    unique: dict[int, dict[tuple[str, ...], None]] = defaultdict(dict)
    for link in _of_shown(snapshot, shown, links):
        near, far = snapshot.tables[link.left], snapshot.tables[link.right]
        is_there = made[link.right] <= made[link.left]
        if link.key.inferred or not _is_taken(snapshot.dialect, near, far, link.key, is_there=is_there):
            notes[link.left].append(_note(snapshot, link.key))
            continue
        if set(link.key.referred_columns) != set(far.primary_key):
            unique[link.right][link.key.referred_columns] = None
        constraint = _constraint(snapshot, link.key)
        if is_there or snapshot.dialect not in _ADDS_KEYS_LATER:
            inside[link.left].append(constraint)
        else:
            later.append(f"ALTER TABLE {table_path(snapshot, near)} ADD {constraint};")
    for place, columns in unique.items():
        inside[place] = [f"UNIQUE ({names(one, snapshot.dialect)})" for one in columns] + inside[place]
    return Keys(inside, notes, later)


def _of_shown(snapshot: Snapshot, shown: Mapping[int, Collection[str]], links: Iterable[Link]) -> list[Link]:
    found: dict[tuple[int, tuple[str, ...], int, tuple[str, ...]], Link] = {}
    for link in links:
        left, right = shown.get(link.left), shown.get(link.right)
        if left is None or right is None or len(link.key.columns) != len(link.key.referred_columns):
            continue
        if all(name in left for name in link.key.columns) and all(name in right for name in link.key.referred_columns):
            found.setdefault((link.left, link.key.columns, link.right, link.key.referred_columns), link)
    return list(found.values())


def _is_taken(dialect: str, near: Table, far: Table, key: ForeignKey, *, is_there: bool) -> bool:
    """True where the dialect accepts the key: on a table, to a unique key, of like types, and (DuckDB) to what is there already."""
    if near.kind not in ("table", "foreign_table") or far.kind not in ("table", "foreign_table"):
        return False
    uniques = (far.primary_key, *(unique.columns for unique in far.unique_keys))
    if not any(columns and set(columns) == set(key.referred_columns) for columns in uniques):
        return False
    if dialect in _TAKES_ANY_KEY:
        return True
    if not is_there and dialect not in _ADDS_KEYS_LATER:
        return False
    return all(_alike(near, one, far, other) for one, other in zip(key.columns, key.referred_columns, strict=True))


def _alike(near: Table, one: str, far: Table, other: str) -> bool:
    left, right = near.column(one), far.column(other)
    if left is None or right is None:
        return False
    kinds = {"integer" if kind == "real" else kind for kind in (family(left.dtype), family(right.dtype))}
    return len(kinds) == 1


def _note(snapshot: Snapshot, key: ForeignKey) -> str:
    other = path(key.referred_schema, key.referred_table, snapshot.dialect, snapshot.default_schema)
    pairs = zip(key.columns, key.referred_columns, strict=True)
    joined = " AND ".join(f"{quoted(one, snapshot.dialect)} = {other}.{quoted(its, snapshot.dialect)}" for one, its in pairs)
    return f"{joined} ({'inferred' if key.inferred else 'a key'})"


def _constraint(snapshot: Snapshot, key: ForeignKey) -> str:
    other = path(key.referred_schema, key.referred_table, snapshot.dialect, snapshot.default_schema)
    return f"FOREIGN KEY ({names(key.columns, snapshot.dialect)}) REFERENCES {other} ({names(key.referred_columns, snapshot.dialect)})"


def table_path(snapshot: Snapshot, table: Table) -> str:
    """A table's name in this snapshot's SQL."""
    return path(table.schema_name, table.name, snapshot.dialect, snapshot.default_schema)


def names(columns: Iterable[str], dialect: str) -> str:
    """`a, b` in the dialect's SQL."""
    return ", ".join(quoted(name, dialect) for name in columns)
