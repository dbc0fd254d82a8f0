"""Which values do columns of text hold? All distinct ones within bounds, by which questions find their column; never of what looks personal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from clew.adapters.databases.connecting import StatementFailed
from clew.adapters.databases.personal import looks_personal, values_look_personal
from clew.adapters.databases.statistics import Sampled, may_be_shown, text_of
from clew.core.schema.bounds import MOST_OF_A_COLUMN, MOST_OF_A_DATABASE
from clew.core.schema.contracts import Column, HeldValues, Table
from clew.core.schema.folding import LONGEST, folded
from clew.core.schema.protocols import Wishes

# Values of these are words that people use in questions; numbers and dates are no names of anything.
_TEXT = re.compile(r"char|text|string|clob|citext|enum|^set\(|^name$|^$", re.IGNORECASE)
# Of these many values is judged whether they are personal.
_LOOKED_AT = 200


class _Values(NamedTuple):
    """What a column gave: its distinct values, at most one more than the bound; `is_sample`: of the first rows alone."""

    texts: list[str]
    is_sample: bool


def held_values(tables: Sequence[tuple[Table, Sampled]], wishes: Wishes) -> tuple[HeldValues, ...]:
    """The distinct values of all columns that may have them kept, none where that is not wished. What is over a bound is left out, and named."""
    if not wishes.values:
        return ()
    left = MOST_OF_A_DATABASE
    found: list[HeldValues] = []
    for table, sampled in tables:
        for one in _of_table(table, sampled, wishes):
            fits = len(one.values) <= left
            kept = one if fits else one.model_copy(update={"values": (), "left_out": f"all columns hold more than {MOST_OF_A_DATABASE:,}"})
            left -= len(kept.values)
            found.append(kept)
    return tuple(found)


def _of_table(table: Table, sampled: Sampled, wishes: Wishes) -> Iterator[HeldValues]:
    for column in table.columns:
        if column.name in sampled.skipped or column.allowed or not _may_hold(column, table):
            continue
        try:
            values = _read(column, sampled, wishes)
        except StatementFailed as failed:
            yield _held(table, column, left_out=f"could not be read: {failed.message}")
            continue
        if values.is_sample:  # one column's scan took too long: those of the others would, too
            sampled = replace(sampled, source=_part(sampled, wishes))
        if len(values.texts) > MOST_OF_A_COLUMN:
            yield _held(table, column, left_out=f"more than {MOST_OF_A_COLUMN:,}")
        elif not values_look_personal(values.texts[:_LOOKED_AT]):
            usable = tuple(sorted(text for text in values.texts if _may_be_held(text, wishes)))
            yield _held(table, column, usable, "of a sample of the rows" if values.is_sample or _is_part(sampled) else "")


def _may_hold(column: Column, table: Table) -> bool:
    dtype = column.base or column.dtype
    return bool(_TEXT.search(dtype)) and "[" not in dtype and not column.pii and not looks_personal(column, table)


def _may_be_held(text: str, wishes: Wishes) -> bool:
    return may_be_shown(text, replace(wishes, pii_values=False)) and 0 < len(folded(text)) <= LONGEST


def _read(column: Column, sampled: Sampled, wishes: Wishes) -> _Values:
    """From all rows; from the first ones where that takes too long. Raises StatementFailed."""
    expression = (sampled.expression or text_of)(column)
    limit = MOST_OF_A_COLUMN + 2  # one is NULL
    try:
        rows = sampled.database.rows(f"SELECT DISTINCT {expression} FROM {sampled.source} LIMIT {limit}", limit)
        is_sample = False
    except StatementFailed:
        if _is_part(sampled) or sampled.skipped:
            raise
        rows = sampled.database.rows(f"SELECT DISTINCT {expression} FROM {_part(sampled, wishes)} LIMIT {limit}", limit)
        is_sample = True
    return _Values([text for (value,) in rows if isinstance(value, str) and (text := value.strip())], is_sample)


def _part(sampled: Sampled, wishes: Wishes) -> str:
    return f"(SELECT * FROM {sampled.source} LIMIT {wishes.sample_rows}) AS part"


def _is_part(sampled: Sampled) -> bool:
    return sampled.source.startswith("(SELECT")


def _held(table: Table, column: Column, values: tuple[str, ...] = (), left_out: str = "") -> HeldValues:
    return HeldValues(schema_name=table.schema_name, table=table.name, column=column.name, values=values, left_out=left_out)
