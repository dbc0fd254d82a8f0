"""What do a table's rows say of its columns? Counts, ranges and typical values from a bounded sample, none from columns that look personal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from clew.adapters.databases.connecting import Database, Row, StatementFailed
from clew.adapters.databases.personal import holds_personal, looks_personal, values_look_personal
from clew.core.schema.contracts import Column, ColumnStatistics, Table
from clew.core.schema.protocols import Wishes

# A value that is shown at all is shown up to here; more is content, not a value to compare with.
_LONGEST_VALUE = 100
# What is fetched of a text: enough to tell values apart.
FETCHED_CHARACTERS = 200
# Of values that are all different, these many are looked at to judge whether they are personal.
_LOOKED_AT = 200
_PLAIN = frozenset(
    "smallint integer bigint int tinyint mediumint numeric decimal real float double boolean bool hugeint ubigint uinteger usmallint utinyint year".split()
)
_BINARY = ("blob", "bytea", "binary", "image", "geometry", "geography")
# Documents begin so, and lists: nobody compares a column with all of one, and anything may stand in it.
_DOCUMENTS = ("{", "[", "<")
_COMPARABLE = (int, float, Decimal, date, datetime, time, timedelta, str)


@dataclass(frozen=True, slots=True)
class Sampled:
    """Where a table's rows come from: `source` stands after FROM, `rows` is what the database itself reckons, `expression` selects a column,
    `skipped` are columns that may not be read."""

    database: Database
    source: str
    rows: int | None = None
    expression: Callable[[Column], str] | None = None
    skipped: frozenset[str] = frozenset()


def with_statistics(table: Table, sampled: Sampled, wishes: Wishes) -> Table:
    """The table with what a sample of its rows says. Where rows cannot be read, the table says so and is what it was."""
    asked = [column for column in table.columns if column.name not in sampled.skipped]
    if not asked:
        return table
    expressions = ", ".join(map(sampled.expression or text_of, asked))
    try:
        rows = sampled.database.rows(f"SELECT {expressions} FROM {sampled.source} LIMIT {wishes.sample_rows}", wishes.sample_rows)
    except StatementFailed as failed:
        return table.model_copy(update={"degraded": (*table.degraded, f"no statistics: {failed.message}")})
    found = {column.name: _described(column, table, [row[place] for row in rows], wishes) for place, column in enumerate(asked)}
    columns = tuple(found.get(column.name, column) for column in table.columns)
    return table.model_copy(update={"columns": columns, "row_count": _row_count(sampled, rows, wishes)})


def without_values(tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables with what their columns' names say of being personal."""
    return tuple(
        table.model_copy(update={"columns": tuple(_named(column, table) for column in table.columns)}) if table.columns else table
        for table in tables
    )


def text_of(column: Column) -> str:
    """SQL for a column's value as it is sampled: numbers and dates as they are, anything else as the start of its text."""
    name = '"' + column.name.replace('"', '""') + '"'
    if is_plain(column.dtype):
        return name
    return f"substr(CAST({name} AS text), 1, {FETCHED_CHARACTERS})"


def is_plain(dtype: str) -> bool:
    """Whether values of a type are numbers or truths, which are fetched as they are. Dates are not: drivers choke on infinity and the year 0."""
    return "[" not in dtype and dtype.lower().partition("(")[0].split(" ")[0] in _PLAIN


def _named(column: Column, table: Table) -> Column:
    pii = looks_personal(column, table)
    return column.model_copy(update={"pii": pii}) if pii else column


def _described(column: Column, table: Table, values: list[Any], wishes: Wishes) -> Column:
    present = [value for value in values if value is not None and not isinstance(value, (bytes, bytearray, memoryview))]
    absent = sum(value is None for value in values)
    frequent = Counter(_shown(value) for value in present)
    pii = looks_personal(column, table) or values_look_personal(list(frequent)[:_LOOKED_AT])
    is_binary = any(kind in column.dtype.lower() for kind in _BINARY)
    may_show = not is_binary and (not pii or wishes.pii_values)
    low, high = _range(present, wishes) if may_show else (None, None)
    found = ColumnStatistics(
        sampled_rows=len(values),
        null_share=round(absent / len(values), 4) if values else None,
        distinct=len(frequent) if present or values else None,
        minimum=low,
        maximum=high,
        samples=_samples(frequent, wishes) if may_show else (),
    )
    return column.model_copy(update={"statistics": found, "pii": pii})


def _samples(frequent: Counter[str], wishes: Wishes) -> tuple[str, ...]:
    """The most frequent values, equals in their own order; long texts are left out."""
    usable = [(text, times) for text, times in frequent.items() if may_be_shown(text, wishes)]
    return tuple(text for text, _ in sorted(usable, key=lambda one: (-one[1], one[0]))[: wishes.samples])


def may_be_shown(text: str, wishes: Wishes) -> bool:
    """Whether a value is one to compare with: short, no document, and nobody's address or number in it."""
    return 0 < len(text) <= _LONGEST_VALUE and not text.startswith(_DOCUMENTS) and (wishes.pii_values or not holds_personal(text))


def _range(present: list[Any], wishes: Wishes) -> tuple[str | None, str | None]:
    if not present or not isinstance(present[0], _COMPARABLE):
        return None, None
    try:
        low, high = _shown(min(present)), _shown(max(present))
    except (TypeError, ArithmeticError):  # values of several kinds, as SQLite allows; numbers that are none
        return None, None
    return (low, high) if may_be_shown(low, wishes) and may_be_shown(high, wishes) else (None, None)


def _shown(value: Any) -> str:
    text = value.isoformat(" ") if isinstance(value, datetime) else str(value)
    return text.encode("utf-8", "replace").decode()[:FETCHED_CHARACTERS]


def _row_count(sampled: Sampled, rows: Sequence[Row], wishes: Wishes) -> int | None:
    """All rows: those of the sample where it is the whole table, else what the database reckons, else a count, if it can be had in time."""
    if len(rows) < wishes.sample_rows and "TABLESAMPLE" not in sampled.source:
        return len(rows)
    if sampled.rows is not None and sampled.rows >= len(rows):
        return sampled.rows
    try:
        return int(sampled.database.rows(f"SELECT count(*) FROM {sampled.source.partition(' TABLESAMPLE')[0]}")[0][0])
    except StatementFailed:
        return None
