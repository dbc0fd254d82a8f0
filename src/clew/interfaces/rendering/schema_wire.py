"""What do scripts read of databases? The JSON objects of every `clew db` command; their names are a promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.core.schema.bounds import MOST_OF_A_COLUMN, MOST_OF_A_DATABASE
from clew.interfaces.rendering.wire import error_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.core.schema.answer import FoundColumn, FoundMetric, FoundTable, Join, SchemaAnswer, Trace
    from clew.core.schema.contracts import Column, ForeignKey, Snapshot, Table
    from clew.core.schema.identity import Difference
    from clew.core.schema.reports import Added, Listed, Shown
    from clew.errors import ClewError
    from clew.index.schema_upkeep import Reading
    from clew.search.schema.checking import Checked

_LONGEST = 2_000
"""Characters of a description, as of a snippet of code: an answer is read by someone who pays for each token."""
CUT = "... (truncated)"
_SCORE_DIGITS = 4
"""Scores are compared, not computed with; more digits only cost tokens."""


def schema_answer_object(answer: SchemaAnswer, *, explain: bool = False) -> dict[str, Any]:
    """What `db search --json` prints. `schema_version` is the best table's datasource's; `schema_versions` those of all that were asked."""
    versions = answer.schema_versions
    first = answer.tables[0].datasource if answer.tables else next(iter(versions), "")
    return {
        "query": answer.query,
        "tables": [_found_table(one) for one in answer.tables],
        "joins": [_join(one) for one in answer.joins],
        "metrics": [_metric(one) for one in answer.metrics],
        "ddl": answer.ddl,
        "omitted": list(answer.omitted),
        "schema_version": versions.get(first, ""),
        "schema_versions": dict(versions),
        "full_snapshot": answer.full_snapshot,
        "warnings": list(answer.warnings),
        "tokens": answer.tokens,
        "confidence": answer.confidence,
        "confidence_score": answer.confidence_score,
        **({"trace": [_trace(one) for one in answer.trace]} if explain else {}),
    }


def _found_table(found: FoundTable) -> dict[str, Any]:
    table = found.table
    return {
        "datasource": found.datasource,
        "schema": table.schema_name,
        "table": table.name,
        "kind": table.kind,
        "score": round(found.score, _SCORE_DIGITS),
        "description": _cut(table.description),
        "row_count": table.row_count,
        "primary_key": list(table.primary_key),
        "foreign_keys": [_key(one) for one in found.foreign_keys],
        "columns": [_found_column(one) for one in found.columns],
        "is_bridge": found.is_bridge,
        "used_by": [{"filepath": one.filepath, "line": one.line, "symbol_name": one.symbol_name, "how": one.how} for one in found.used_by],
        "reasons": list(found.reasons),
    }


def _found_column(found: FoundColumn) -> dict[str, Any]:
    column = found.column
    return {
        "name": column.name,
        "type": column.dtype,
        "score": round(found.score, _SCORE_DIGITS),
        "description": _cut(column.description),
        "reasons": list(found.reasons),
    }


def _key(key: ForeignKey) -> dict[str, Any]:
    return {
        "columns": list(key.columns),
        "referred_schema": key.referred_schema,
        "referred_table": key.referred_table,
        "referred_columns": list(key.referred_columns),
        "inferred": key.inferred,
    }


def _join(join: Join) -> dict[str, Any]:
    return {
        "datasource": join.datasource,
        "left": join.left,
        "right": join.right,
        "condition": join.condition,
        "cardinality": join.cardinality,
        "inferred": join.inferred,
    }


def _metric(found: FoundMetric) -> dict[str, Any]:
    return {**found.metric.model_dump(mode="json"), "score": round(found.score, _SCORE_DIGITS)}


def _trace(one: Trace) -> dict[str, Any]:
    return {
        "datasource": one.datasource,
        "name": one.name,
        "kind": one.kind,
        "leg": one.leg,
        "score": round(one.score, _SCORE_DIGITS),
        "kept": one.kept,
        "reason": one.reason,
    }


def added_object(added: Added) -> dict[str, Any]:
    """What `db add --json` prints."""
    return {"name": added.registration.name, "url": added.registration.url, "outcome": added.outcome}


def list_object(listed: Sequence[Listed]) -> dict[str, Any]:
    """What `db list --json` prints."""
    return {"databases": [_listed(one) for one in listed]}


def status_object(listed: Sequence[Listed]) -> dict[str, Any]:
    """What `db status --json` prints. `drift` is null where nobody looked, empty where the database is as its snapshot says."""
    return {"databases": [_status(one) for one in listed], "complete": all(one.fault is None for one in listed)}


def _listed(one: Listed) -> dict[str, Any]:
    snapshot = one.snapshot
    return {
        "name": one.registration.name,
        "url": one.registration.url,
        "dialect": snapshot.dialect if snapshot else "",
        "schema_version": snapshot.version if snapshot else "",
        "tables": len(snapshot.tables) if snapshot else 0,
        "columns": _columns(snapshot),
        "read_at": one.standing.read_at,
        "fault": one.standing.fault,
        "statistics": one.registration.wishes.statistics,
        "values_kept": one.registration.wishes.values,
        "schemas": list(one.registration.wishes.schemas),
    }


def _status(one: Listed) -> dict[str, Any]:
    snapshot = one.snapshot
    return {
        **_listed(one),
        "versions": list(one.kept),
        "values": {
            "columns": one.values.columns,
            "values": one.values.values,
            "left_out": list(one.values.left_out),
            "most_of_a_column": MOST_OF_A_COLUMN,
            "most_in_all": MOST_OF_A_DATABASE,
        },
        "unread": _unread(snapshot),
        "warnings": list(snapshot.warnings) if snapshot else [],
        "tried_at": one.standing.tried_at,
        "compared_at": one.standing.compared_at,
        "drifted": bool(one.drifted),
        "drift": difference_object(one.drift)["tables"] if one.drift is not None else None,
        "error": _error(one.fault),
    }


def index_object(readings: Sequence[Reading], seconds: float) -> dict[str, Any]:
    """What `db index --json` prints."""
    return {
        "databases": [_reading(one) for one in readings],
        "complete": all(one.fault is None for one in readings),
        "seconds": round(seconds, 3),
    }


def _reading(one: Reading) -> dict[str, Any]:
    snapshot, refreshed = one.snapshot, one.refreshed
    return {
        "name": one.name,
        "outcome": one.outcome,
        "schema_version": snapshot.version if snapshot else "",
        "tables": len(snapshot.tables) if snapshot else 0,
        "columns": _columns(snapshot),
        "chunks": {
            "added": refreshed.added if refreshed else 0,
            "kept": refreshed.kept if refreshed else 0,
            "deleted": refreshed.deleted if refreshed else 0,
            "embedded": refreshed.embedded if refreshed else 0,
        },
        "described": one.enriched.described if one.enriched else 0,
        "unread": _unread(snapshot),
        "warnings": list(one.warnings),
        "error": _error(one.fault),
        "seconds": one.seconds,
    }


def _columns(snapshot: Snapshot | None) -> int:
    return sum(len(table.columns) for table in snapshot.tables) if snapshot else 0


def _unread(snapshot: Snapshot | None) -> list[dict[str, str]]:
    found = snapshot.unread if snapshot else ()
    return [{"schema": one.schema_name, "table": one.name, "reason": one.reason} for one in found]


def _error(fault: ClewError | None) -> dict[str, Any] | None:
    return error_object(fault)["error"] if fault is not None else None


def shown_object(shown: Shown) -> dict[str, Any]:
    """What `db show --json` prints."""
    snapshot = shown.snapshot
    return {
        "datasource": snapshot.datasource,
        "dialect": snapshot.dialect,
        "schema_version": snapshot.version,
        "taken_at": snapshot.taken_at,
        "description": _cut(snapshot.description),
        "tables": [_table(one) for one in shown.tables],
        "unread": _unread(snapshot),
        "warnings": [*shown.warnings, *snapshot.warnings],
    }


def _table(table: Table) -> dict[str, Any]:
    found = table.model_dump(mode="json", exclude={"schema_name", "name", "columns", "foreign_keys", "description"})
    return {
        "schema": table.schema_name,
        "table": table.name,
        "description": _cut(table.description),
        **found,
        "foreign_keys": [_key(one) for one in table.foreign_keys],
        "columns": [_column(one) for one in table.columns],
    }


def _column(column: Column) -> dict[str, Any]:
    found = column.model_dump(mode="json", exclude={"name", "dtype", "description"})
    return {"name": column.name, "type": column.dtype, "description": _cut(column.description), **found}


def _cut(text: str) -> str:
    """A description, cut where it is no description any more."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}{CUT}"


def difference_object(found: Difference) -> dict[str, Any]:
    """What `db diff --json` prints."""
    return {
        "before": found.before,
        "after": found.after,
        "is_structural": found.is_structural,
        "tables": [
            {
                "schema": table.schema_name,
                "table": table.name,
                "verb": table.verb,
                "changes": [
                    {"part": one.part, "verb": one.verb, "name": one.name, "before": one.before, "after": one.after}
                    for one in table.changes
                ],
            }
            for table in found.tables
        ],
    }


def checked_object(found: Checked) -> dict[str, Any]:
    """What `db check --json` prints."""
    return {
        "is_right": found.is_right,
        "verdict": found.verdict,
        "datasource": found.datasource,
        "schema_version": found.schema_version,
        "tables": list(found.tables),
        "columns": list(found.columns),
        "joins": list(found.joins),
        "warnings": list(found.warnings),
        "findings": [
            {"kind": one.kind, "name": one.name, "message": one.message, "nearest": list(one.nearest), "is_error": one.is_error}
            for one in found.findings
        ],
    }
