"""What is asked of databases, and what is answered? Everything in an answer is resolved from the snapshot, which alone is authoritative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from clew.core.schema.contracts import Column, ForeignKey, Table
from clew.core.schema.meaning import Metric
from clew.core.uses import Use
from clew.core.visible import visible

MOST_NAMED, MOST_OF_A_NAME = 5, 60
"""Tables that a warning names, and characters of each."""


@dataclass(frozen=True, slots=True)
class SchemaQuestion:
    """What is asked. No `datasources` means all that are registered; `limit` bounds the tables; `max_tokens` 0 sets no bound on the DDL;
    `schema_version` empty means the latest; `may_see_samples` False keeps values of rows out of the answer; `explain` asks for a trace."""

    text: str
    datasources: tuple[str, ...] = ()
    limit: int = 10
    max_tokens: int = 2_000
    schema_version: str = ""
    may_see_samples: bool = True
    explain: bool = False


class SchemaOptions(TypedDict, total=False):
    """What may be said beside a question's text, by the names of `SchemaQuestion`."""

    datasources: tuple[str, ...]
    limit: int
    max_tokens: int
    schema_version: str
    may_see_samples: bool
    explain: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """Why something is, or is not, in the answer: which leg proposed it at what score. `kept` False: it was dropped, for `reason`."""

    datasource: str
    name: str
    kind: str
    leg: str
    score: float
    kept: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FoundColumn:
    """A column of a found table; scores of columns can be compared across the tables of one answer."""

    column: Column
    score: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table, its columns best first. `is_bridge`: nothing in the question asks for it, it joins others that are; `used_by` are places in the code."""

    datasource: str
    table: Table
    score: float
    columns: tuple[FoundColumn, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    is_bridge: bool = False
    reasons: tuple[str, ...] = ()
    used_by: tuple[Use, ...] = ()


@dataclass(frozen=True, slots=True)
class Join:
    """How two found tables are joined: `condition` is SQL in the datasource's dialect, aliases where a table is joined to itself."""

    datasource: str
    left: str
    right: str
    condition: str
    cardinality: str = ""
    inferred: str = ""


@dataclass(frozen=True, slots=True)
class FoundMetric:
    """A metric that answers the question."""

    metric: Metric
    score: float


@dataclass(frozen=True, slots=True)
class SchemaAnswer:
    """Tables best first, with the joins between them. `ddl` runs as it stands in each datasource's dialect and keeps to `max_tokens`;
    `omitted` are the found tables for which it has no room; `schema_versions` names the version of each datasource that was asked; `full_snapshot`: the schema (as far as the budget goes) was returned whole;
    `confidence` is high, medium, low or none, `confidence_score` the chance (0 to 1) that the tables have to do with the question."""

    query: str
    tables: tuple[FoundTable, ...] = ()
    joins: tuple[Join, ...] = ()
    metrics: tuple[FoundMetric, ...] = ()
    ddl: str = ""
    omitted: tuple[str, ...] = ()
    schema_versions: dict[str, str] = field(default_factory=dict)
    full_snapshot: bool = False
    warnings: tuple[str, ...] = ()
    tokens: int = 0
    confidence: str = "none"
    confidence_score: float = 0.0
    trace: tuple[Trace, ...] = ()


def no_room(omitted: Sequence[str], found: int, max_tokens: int) -> tuple[str, ...]:
    """What an answer says of found tables that are not in its DDL, if there are any."""
    if not omitted:
        return ()
    if len(omitted) == found:
        return (f"not one table fits in {max_tokens} tokens",)
    names = ", ".join(visible(name)[:MOST_OF_A_NAME] for name in omitted[:MOST_NAMED])
    more = f" and {len(omitted) - MOST_NAMED} more" if len(omitted) > MOST_NAMED else ""
    return (f"the DDL has no room for {len(omitted)} of the {found} tables found, in {max_tokens} tokens: {names}{more}",)
