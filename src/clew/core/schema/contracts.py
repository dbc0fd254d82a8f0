"""What is known of a database? The snapshot: an immutable contract of its tables, columns and keys, as a reflection or a DDL file gave them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

TableKind = Literal["table", "view", "materialized_view", "foreign_table"]


class Contract(BaseModel):
    """A frozen value that refuses what it does not know. Names and texts are data, exactly as the database gave them."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ColumnStatistics(Contract):
    """What a bounded sample of rows said of a column; values as text. `samples` are frequent or typical values, best first."""

    sampled_rows: int = 0
    null_share: float | None = None
    distinct: int | None = None
    minimum: str | None = None
    maximum: str | None = None
    samples: tuple[str, ...] = ()


class Column(Contract):
    """A column, `dtype` in the database's own words (`numeric(10,2)`, `text[]`, `mood`).

    `default` and `generated` are SQL expressions; `allowed` are an enum's labels; `base` is a domain's or an array's underlying type;
    `pii` says why the column looks personal (`email`, `person name`…), empty where it does not.
    """

    name: str
    dtype: str = ""
    nullable: bool = True
    default: str = ""
    generated: str = ""
    is_identity: bool = False
    allowed: tuple[str, ...] = ()
    base: str = ""
    description: str = ""
    pii: str = ""
    statistics: ColumnStatistics | None = None


class ForeignKey(Contract):
    """Columns of a table that refer to those of another, pair by pair in order.

    `inferred` is empty for a declared key, else the reasons for which it is believed; `is_external` when the other table is not in the snapshot;
    `is_enforced` False for keys the database does not check (NOT VALID, disabled).
    """

    columns: tuple[str, ...]
    referred_schema: str
    referred_table: str
    referred_columns: tuple[str, ...]
    name: str = ""
    inferred: str = ""
    is_external: bool = False
    is_enforced: bool = True


class UniqueKey(Contract):
    """Columns whose values together are unique, by constraint or by index (not the primary key)."""

    columns: tuple[str, ...]
    name: str = ""


class Check(Contract):
    """A condition that the database enforces, in SQL."""

    text: str
    name: str = ""
    description: str = ""


class Table(Contract):
    """A table or view. `schema_name` is empty where the database has no schemas; `definition` is a view's query; `partition` says by what it is
    partitioned, or of what it is a part; `degraded` names what could not be read of it, and why."""

    schema_name: str = ""
    name: str
    kind: TableKind = "table"
    columns: tuple[Column, ...] = ()
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    unique_keys: tuple[UniqueKey, ...] = ()
    checks: tuple[Check, ...] = ()
    description: str = ""
    definition: str = ""
    partition: str = ""
    row_count: int | None = None
    degraded: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """What identifies it inside its datasource."""
        return (self.schema_name, self.name)

    @property
    def full_name(self) -> str:
        """`schema.table`, or the bare name where there is no schema; not quoted, for people."""
        return f"{self.schema_name}.{self.name}" if self.schema_name else self.name

    def column(self, name: str) -> Column | None:
        """The column of this exact name."""
        return next((one for one in self.columns if one.name == name), None)


class Unread(Contract):
    """A table, schema or part that is there and could not be read, and why."""

    schema_name: str = ""
    name: str
    reason: str


class HeldValues(Contract):
    """Distinct values of a column, by which questions find it; they are never shown as a list. `left_out` says why there are none, or not all."""

    schema_name: str = ""
    table: str
    column: str
    values: tuple[str, ...] = ()
    left_out: str = ""


class Snapshot(Contract):
    """A datasource's schema at one moment. `dialect` is sqlglot's name (postgres, sqlite, mysql, duckdb…); `default_schema` is the one that bare
    names mean; tables are in order of their keys. `fingerprint` and `version` are set by the SchemaStore when it registers the snapshot. `held` is
    only there between the reading and the keeping: values are kept apart from what is shown."""

    datasource: str
    dialect: str
    tables: tuple[Table, ...] = ()
    default_schema: str = ""
    description: str = ""
    unread: tuple[Unread, ...] = ()
    warnings: tuple[str, ...] = ()
    held: tuple[HeldValues, ...] = ()
    taken_at: int = Field(default=0, description="seconds since 1970, UTC")
    fingerprint: str = ""
    version: str = ""

    def table(self, schema_name: str, name: str) -> Table | None:
        """The table of this exact key."""
        return next((one for one in self.tables if one.key == (schema_name, name)), None)
