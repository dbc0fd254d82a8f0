"""How many rows of one table go with a row of another? Worked out from keys; where there are none, from statistics of a whole table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from clew.core.schema.contracts import ForeignKey, Table

Cardinality = Literal["one-to-one", "many-to-one", "one-to-many", "many-to-many", ""]

_ENOUGH_ROWS = 20
"""Rows from which a column without a repeated value is believed to have none: of 20 rows with two equally likely values one in a million has not."""


def cardinality(table: Table, key: ForeignKey, referred: Table | None) -> Cardinality:
    """From the table that refers to the one referred to (None: it was not read). What a key refers to is unique by the standard, so a declared key to a table that was not
    read counts as unique there; of an inferred one nothing is assumed. Empty where nothing tells."""
    there = _is_unique(referred, key.referred_columns) if referred else None if key.inferred else True
    here = _is_unique(table, key.columns)
    if there is None:
        return ""
    if there:
        return "one-to-one" if _has_key(table, key.columns) else "many-to-one"  # values that never repeated yet promise nothing
    return "one-to-many" if here else "many-to-many"


def _has_key(table: Table, columns: Sequence[str]) -> bool:
    """Whether a declared key says that no two rows have the same values there."""
    return any(key and set(columns).issuperset(key) for key in (table.primary_key, *(one.columns for one in table.unique_keys)))


def _is_unique(table: Table, columns: Sequence[str]) -> bool | None:
    """Whether no two rows have the same values there; None where neither a key nor statistics say."""
    if _has_key(table, columns):
        return True
    seen = [_looks_unique(table, name) for name in columns]
    if any(one is True for one in seen):
        return True
    return False if len(columns) == 1 and seen[0] is False else None


def _looks_unique(table: Table, name: str) -> bool | None:
    """What a column's statistics say: a repeated value of a sample is proof, its absence only when every row of enough was seen."""
    column = table.column(name)
    found = column.statistics if column else None
    if found is None or found.distinct is None or found.sampled_rows <= 0:
        return None
    filled = round(found.sampled_rows * (1 - (found.null_share or 0.0)))
    if found.distinct < filled:
        return False
    saw_all = table.row_count is not None and found.sampled_rows >= table.row_count
    return True if saw_all and filled >= _ENOUGH_ROWS else None


def junction(table: Table) -> tuple[ForeignKey, ForeignKey] | None:
    """The two keys of a table that joins two others, many to many: together they are its primary key, or one of its unique keys."""
    whole = [set(key) for key in (table.primary_key, *(one.columns for one in table.unique_keys)) if key]
    keys = table.foreign_keys
    for place, one in enumerate(keys):
        for other in keys[place + 1 :]:
            apart = not set(one.columns) & set(other.columns)
            if apart and any(set(one.columns) | set(other.columns) == key for key in whole):
                return one, other
    return None
