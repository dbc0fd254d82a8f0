"""How do these tests look at a snapshot? Short names for what they ask."""

from __future__ import annotations

from clew.adapters.databases import reflect
from clew.core.schema.contracts import Column, Snapshot, Table
from clew.core.schema.protocols import Wishes

Key = tuple[tuple[str, ...], str, str, tuple[str, ...]]


def read(url: str, **wishes: object) -> Snapshot:
    """The snapshot of a URL."""
    return reflect("it", url, Wishes(**wishes))  # type: ignore[arg-type]


def table(snapshot: Snapshot, name: str) -> Table:
    """A table by its full name."""
    return next(one for one in snapshot.tables if one.full_name == name)


def column(snapshot: Snapshot, name: str, column_name: str) -> Column:
    """A column by its table's full name and its own."""
    found = table(snapshot, name).column(column_name)
    assert found is not None
    return found


def keys(one: Table) -> list[Key]:
    """A table's foreign keys as plain values."""
    return [(key.columns, key.referred_schema, key.referred_table, key.referred_columns) for key in one.foreign_keys]


def names(snapshot: Snapshot) -> list[str]:
    """All tables by their full names."""
    return [one.full_name for one in snapshot.tables]
