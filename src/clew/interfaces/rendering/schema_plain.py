"""How do answers about databases look in a terminal, a pipe or a log? Lines, without colour; texts of the database cannot act in them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from clew.core.schema.bounds import MOST_OF_A_COLUMN, MOST_OF_A_DATABASE
from clew.core.schema.protocols import Wishes
from clew.core.visible import visible, visible_code

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.core.schema.answer import FoundTable, SchemaAnswer
    from clew.core.schema.contracts import Column, ForeignKey, Snapshot, Table
    from clew.core.schema.identity import Change, Difference
    from clew.core.schema.meaning import Metric
    from clew.core.schema.protocols import HeldCount
    from clew.core.schema.reports import Listed, Shown
    from clew.index.schema_upkeep import Reading
    from clew.search.schema.checking import Checked

_COLUMNS = 6
"""Columns named of a found table: the DDL below has all that the budget holds."""
_USES = 4
"""Places of code named of a found table."""
_NAMED = 20
"""Tables named as unread; --json names all of them."""
_SHORT = 160
"""Characters of a description in a list."""
_MARKS = {"added": "+", "removed": "-", "changed": "~"}


def schema_answer_lines(answer: SchemaAnswer, columns: int = _COLUMNS, *, briefly: bool = False) -> Iterator[str]:
    """The tables with their best `columns`, the joins between them and metrics, a line each; then the DDL. `briefly`: the DDL with the metrics alone,
    whose comments and keys say the most of it."""
    several = len({one.datasource for one in answer.tables}) > 1 or len(answer.schema_versions) > 1
    for found in answer.tables if not briefly else ():
        yield _found(found, columns, several=several)
        yield from ([f"    used by {visible(', '.join(map(str, found.used_by[:_USES])))}"] if found.used_by else [])
    yield from (
        f"join {f'{one.datasource}: ' if several else ''}{visible(one.condition)}{_about(one.cardinality, one.inferred)}"
        for one in answer.joins
        if not briefly
    )
    yield from (_metric(one.metric) for one in answer.metrics)
    if answer.ddl:
        yield from () if briefly else ("",)
        yield visible_code(answer.ddl.rstrip("\n"))


def _metric(metric: Metric) -> str:
    """All that its number depends on: a formula without its filter is another number."""
    formula = f" = {visible(metric.expression)}" if metric.expression else ""
    only = f" where {visible(metric.filter)}" if metric.filter else ""
    kinds = {"grain": metric.grain, "dimensions": metric.dimensions}
    about = "; ".join(f"{kind}: {visible(', '.join(names))}" for kind, names in kinds.items() if names)
    return f"metric {visible(metric.name)}{formula}{only}{f'  ({about})' if about else ''}{_said(metric.definition)}"


def _found(found: FoundTable, columns: int, *, several: bool) -> str:
    table = found.table
    name = f"{found.datasource}: {table.full_name}" if several else table.full_name
    best = ", ".join(visible(one.column.name) for one in found.columns[:columns])
    return f"{visible(name)}{f' ({best})' if best else ''}{' joins the others' if found.is_bridge else ''}{_said(table.description)}"


def trace_lines(answer: SchemaAnswer) -> Iterator[str]:
    """What proposed each table and column, and what was dropped."""
    for one in answer.trace:
        kept = "" if one.kept else f", dropped: {one.reason}" if one.reason else ", dropped"
        yield f"{one.kind} {one.datasource}: {one.name}: {one.leg} {one.score:.3f}{kept}"


def list_lines(listed: Sequence[Listed]) -> Iterator[str]:
    """A line for each database."""
    width = max((len(one.registration.name) for one in listed), default=0)
    for one in listed:
        state = _size(one.snapshot) if one.snapshot else "not read yet"
        fault = f"; the last attempt failed: {visible(one.standing.fault)}" if one.standing.fault else ""
        how = f"; {said}" if (said := _wished(one.registration.wishes)) else ""
        yield f"{one.registration.name:<{width}}  {visible(one.registration.url)}  {state}{how}{fault}"
    if not listed:
        yield "no database is registered here: clew db add NAME URL"


def status_lines(one: Listed) -> Iterator[str]:
    """What is true of a database now."""
    yield f"{one.registration.name}  {visible(one.registration.url)}"
    facts = {
        "state": _state(one),
        "version": f"{one.snapshot.version}, read {_moment(one.standing.read_at)}" if one.snapshot else "",
        "tables": _size(one.snapshot) if one.snapshot else "",
        "kept": ", ".join(one.kept),
        "read": _wished(one.registration.wishes),
        "values": _values(one.values),
    }
    yield from (f"  {name:<8} {value}" for name, value in facts.items() if value)
    if one.drift is not None:
        yield from (f"  {line}" for line in difference_lines(one.drift) if one.drift.tables)
    if one.snapshot:
        yield from (f"  {line}" for line in _unread_lines(one.snapshot))


def _wished(wishes: Wishes) -> str:
    """How a database is read, where that is not as usual."""
    personal = ", personal columns too" if wishes.pii_values else ""
    words = [f"with statistics ({wishes.samples} samples a column{personal})"] if wishes.statistics else []
    words += ["with values"] if wishes.values else []
    words += [f"schemas {visible(', '.join(wishes.schemas))}"] if wishes.schemas else []
    words += [f"{wishes.timeout_s:g} s a statement"] if wishes.timeout_s != Wishes().timeout_s else []
    return ", ".join(words)


def _values(kept: HeldCount) -> str:
    """How many values are kept for questions, and within what bounds."""
    if not any(kept):
        return ""
    left_out = f"; left out: {visible(', '.join(kept.left_out[:_NAMED]))}" if kept.left_out else ""
    bounds = f"at most {MOST_OF_A_COLUMN:,} a column, {MOST_OF_A_DATABASE:,} in all"
    return f"{kept.values:,} of {kept.columns:,} columns are kept ({bounds}){left_out}"


def _state(one: Listed) -> str:
    reason = one.fault.message if one.fault is not None else one.standing.fault
    if reason:
        serving = "the last snapshot goes on serving" if one.snapshot else "nothing was read yet"
        return f"not reached: {visible(reason)}; {serving}"
    if one.snapshot is None:
        return "not read yet: clew db index"
    if one.drifted:
        return f"another than the snapshot: {visible(one.drifted)}; clew db index takes it in"
    return f"as the snapshot says, {_moment(one.standing.compared_at)}"


def reading_lines(one: Reading) -> Iterator[str]:
    """What reading one database did."""
    if one.fault is not None:
        serving = f"; version {one.snapshot.version} goes on serving" if one.snapshot else ""
        yield f"{one.name}: not read: {visible(one.fault.message)}{serving}"
        if one.fault.hint:
            yield f"    {visible(one.fault.hint)}"
        return
    if one.snapshot is None:
        return
    chunks = f"; {one.refreshed.embedded:,} of {one.refreshed.chunks:,} texts embedded" if one.refreshed else ""
    yield f"{one.name}: {one.outcome}, {_size(one.snapshot)}, version {one.snapshot.version}{chunks}{_described(one)}, in {one.seconds:.1f} s"
    yield from (f"  {line}" for line in _unread_lines(one.snapshot))


def _described(one: Reading) -> str:
    if one.enriched is None:
        return ""
    left = f", {one.enriched.left:,} left without" if one.enriched.left else ""
    return f"; {one.enriched.described:,} tables described by the language model{left}"


def _unread_lines(snapshot: Snapshot) -> Iterator[str]:
    for one in snapshot.unread[:_NAMED]:
        yield f"not read: {visible(f'{one.schema_name}.{one.name}' if one.schema_name else one.name)}: {visible(one.reason)}"
    if len(snapshot.unread) > _NAMED:
        yield f"… and {len(snapshot.unread) - _NAMED:,} more, all named by `clew db status --json`"


def shown_lines(shown: Shown, *, whole: bool) -> Iterator[str]:
    """The tables, a line each; or, as a `whole`, all that is known of them."""
    if whole:
        for number, table in enumerate(shown.tables):
            yield from ([""] if number else [])
            yield from _table_lines(table)
        return
    snapshot = shown.snapshot
    yield f"{snapshot.datasource}: {snapshot.dialect}, {_size(snapshot)}, version {snapshot.version}{_said(snapshot.description)}"
    for table in shown.tables:
        kind = "" if table.kind == "table" else f" {table.kind.replace('_', ' ')}"
        yield f"{visible(table.full_name)}{kind} ({len(table.columns)} columns{_rows(table)}){_said(table.description)}"
    yield from _unread_lines(snapshot)


def _table_lines(table: Table) -> Iterator[str]:
    yield f"{table.kind.replace('_', ' ')} {visible(table.full_name)}{_rows(table)}{_said(table.description)}"
    yield from (f"  {line}" for line in _columns(table))
    if table.primary_key:
        yield f"  primary key ({visible(', '.join(table.primary_key))})"
    yield from (f"  foreign key {visible(_key(one))}" for one in table.foreign_keys)
    yield from (f"  unique ({visible(', '.join(one.columns))})" for one in table.unique_keys)
    yield from (f"  check {visible(one.text)}{_said(one.description)}" for one in table.checks)
    if table.partition:
        yield f"  partition {visible(table.partition)}"
    if table.definition:
        yield f"  as {visible(table.definition)}"
    yield from (f"  not read: {visible(one)}" for one in table.degraded)


def _columns(table: Table) -> Iterator[str]:
    width = max((len(visible(one.name)) for one in table.columns), default=0)
    for one in table.columns:
        yield f"{visible(one.name):<{width}}  {visible(' '.join(_words(one)))}{_said(one.description)}"


def _words(column: Column) -> Iterator[str]:
    yield column.dtype
    if column.allowed:
        yield f"one of {', '.join(column.allowed)}"
    if not column.nullable:
        yield "not null"
    if column.default:
        yield f"default {column.default}"
    if column.generated:
        yield f"generated {column.generated}"
    if column.is_identity:
        yield "identity"
    if column.pii:
        yield f"(personal: {column.pii})"
    if column.statistics is not None and column.statistics.samples:
        yield f"(such as {', '.join(column.statistics.samples)})"


def _key(key: ForeignKey) -> str:
    referred = f"{key.referred_schema}.{key.referred_table}" if key.referred_schema else key.referred_table
    return f"({', '.join(key.columns)}) -> {referred} ({', '.join(key.referred_columns)}){_about('', key.inferred)}"


def difference_lines(found: Difference) -> Iterator[str]:
    """What was compared, and a line for each difference, as a patch marks them."""
    if found.tables:
        yield f"{visible(found.before) or 'nothing'} => {visible(found.after) or 'the database now'}"
    for table in found.tables:
        yield f"{_MARKS[table.verb]} {visible(table.full_name)}"
        yield from (f"    {visible(_change(one))}" for one in table.changes)
    if not found.tables:
        yield "no difference"


def _change(one: Change) -> str:
    name = f" {one.name}" if one.name else ""
    middle = " => " if one.before and one.after else ""
    return f"{_MARKS[one.verb]} {one.part}{name}: {one.before}{middle}{one.after}"


def checked_lines(found: Checked) -> Iterator[str]:
    """What is wrong or doubtful in a statement, a line each; what it uses, where nothing is."""
    for one in found.findings:
        near = f" (nearest: {visible(', '.join(one.nearest))})" if one.nearest else ""
        yield f"{'wrong' if one.is_error else 'doubtful'} {one.kind}: {visible(one.message)}{near}"
    if found.is_right:
        used = f"{len(found.tables)} tables, {len(found.columns)} columns, {len(found.joins)} joins"
        yield f"{found.verdict} for {found.datasource} {found.schema_version}: {used}"


def _size(snapshot: Snapshot) -> str:
    columns = sum(len(table.columns) for table in snapshot.tables)
    return f"{len(snapshot.tables):,} tables, {columns:,} columns"


def _rows(table: Table) -> str:
    return f", {table.row_count:,} rows" if table.row_count is not None else ""


def _about(cardinality: str, inferred: str) -> str:
    words = [visible(cardinality)] if cardinality else []
    words += [f"inferred: {visible(inferred)}"] if inferred else []
    return f"  ({'; '.join(words)})" if words else ""


def _said(description: str) -> str:
    """The beginning of a text, behind a dash."""
    text = visible(" ".join(description[: 4 * _SHORT].split()))
    return f"  - {text[:_SHORT]}{'…' if len(text) > _SHORT else ''}" if text else ""


def _moment(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds)) if seconds else "never"
