"""How do answers about databases look? The objects of `clew db … --json`, described field by field."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from clew.interfaces.web.answers import Said


class ForeignKey(Said):
    """Columns that refer to others."""

    columns: list[str]
    referred_schema: str
    referred_table: str
    referred_columns: list[str]
    inferred: str


class FoundColumn(Said):
    """A column, and how far it answers."""

    name: str
    type: str
    score: float
    description: str
    reasons: list[str]


class Use(Said):
    """A place in the code that uses a table."""

    filepath: str
    line: int
    symbol_name: str
    how: str


class FoundTable(Said):
    """A table that a question needs."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    datasource: str
    schema_: str = Field(alias="schema")
    table: str
    kind: str
    score: float
    description: str
    row_count: int | None
    primary_key: list[str]
    foreign_keys: list[ForeignKey]
    columns: list[FoundColumn]
    is_bridge: bool
    used_by: list[Use]
    reasons: list[str]


class Join(Said):
    """How two tables are joined."""

    datasource: str
    left: str
    right: str
    condition: str
    cardinality: str
    inferred: str


class Trace(Said):
    """Which leg proposed what, where `explain` was asked."""

    datasource: str
    name: str
    kind: str
    leg: str
    score: float
    kept: bool
    reason: str


class TablesAnswer(Said):
    """The tables, columns and joins that a question needs."""

    query: str
    tables: list[FoundTable]
    joins: list[Join]
    metrics: list[dict[str, Any]]
    ddl: str
    omitted: list[str]
    schema_version: str
    schema_versions: dict[str, str]
    full_snapshot: bool
    warnings: list[str]
    tokens: int
    confidence: str
    confidence_score: float
    trace: list[Trace] | None = None


class Database(Said):
    """A database that is registered."""

    name: str
    url: str
    dialect: str
    schema_version: str
    tables: int
    columns: int
    read_at: int
    fault: str
    statistics: bool
    values_kept: bool
    schemas: list[str]


class Databases(Said):
    """The databases beside a namespace."""

    databases: list[Database]


class Unread(Said):
    """What could not be read of a database."""

    schema_: str = Field(alias="schema")
    table: str
    reason: str


class ShownDatabase(Said):
    """What is known of a database, or of a table of it; tables are as `clew db show --json` has them."""

    datasource: str
    dialect: str
    schema_version: str
    taken_at: int
    description: str
    tables: list[dict[str, Any]]
    unread: list[Unread]
    warnings: list[str]


class Finding(Said):
    """What is to be said of a statement."""

    kind: str
    name: str
    message: str
    nearest: list[str]
    is_error: bool


class CheckedStatement(Said):
    """Whether the tables, columns and joins of a statement are those of a database."""

    is_right: bool
    verdict: str
    datasource: str
    schema_version: str
    tables: list[str]
    columns: list[str]
    joins: list[str]
    warnings: list[str]
    findings: list[Finding]
