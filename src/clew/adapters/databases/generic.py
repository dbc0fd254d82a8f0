"""What does any other database hold? What SQLAlchemy's reflection tells of it, table by table where all at once fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from clew.adapters.databases.connecting import connected, parsed, reason_of
from clew.core.schema.contracts import Check, Column, ForeignKey, Snapshot, Table, TableKind, UniqueKey, Unread
from clew.core.schema.protocols import Wishes
from clew.errors import UsageError

if TYPE_CHECKING:
    from sqlalchemy import Inspector
    from sqlalchemy.engine import URL

# sqlglot's names where SQLAlchemy has others.
_DIALECTS = {
    "mssql": "tsql",
    "postgresql": "postgres",
    "mariadb": "mysql",
    "cockroachdb": "postgres",
    "awsathena": "athena",
    "databricks": "databricks",
}
_SYSTEM_SCHEMAS = frozenset(
    "information_schema sys guest pg_catalog crdb_internal pg_extension ctxsys dbsnmp mdsys outln system xdb wmsys".split()
)
_TIMES_OUT = "the time for reading this database is over"


def reflect_generic(name: str, url: str, wishes: Wishes) -> Snapshot:
    """The snapshot of a database that SQLAlchemy has a dialect for. Raises UsageError where it has none."""
    place = parsed(url)
    dialect = _DIALECTS.get(place.get_backend_name(), place.get_backend_name())
    if "://" not in url:
        raise UsageError(
            "this is no URL of a database", "such as sqlite:///app.db, postgresql://user@host/name or ddl:schema.sql?dialect=postgres"
        )
    with connected(place, dialect, wishes, "", {}) as database:
        return _read(name, place, dialect, wishes, lambda: database.clock.left)


def _read(name: str, place: URL, dialect: str, wishes: Wishes, left: Callable[[], float]) -> Snapshot:
    from sqlalchemy import create_engine, inspect, pool

    engine = create_engine(place, poolclass=pool.NullPool)
    try:
        with engine.connect() as connection:
            inspector: Inspector = inspect(connection)
            default = inspector.default_schema_name or ""
            tables: list[Table] = []
            unread: list[Unread] = []
            for schema in wishes.schemas or _schemas(inspector):
                _read_schema(inspector, schema, left, tables, unread)
    finally:
        engine.dispose()
    tables = _with_places(tables, dialect, default)
    return Snapshot(
        datasource=name,
        dialect=dialect,
        tables=tuple(sorted(tables, key=lambda one: one.key)),
        default_schema=default,
        unread=tuple(unread),
    )


def _schemas(inspector: Inspector) -> Iterable[str | None]:
    if inspector.default_schema_name is None:
        return (None,)
    return [
        schema for schema in inspector.get_schema_names() if schema.lower() not in _SYSTEM_SCHEMAS and not schema.startswith(("pg_", "db_"))
    ]


def _read_schema(inspector: Inspector, schema: str | None, left: Callable[[], float], tables: list[Table], unread: list[Unread]) -> None:
    from sqlalchemy.exc import SQLAlchemyError

    faults = (SQLAlchemyError, NotImplementedError, KeyError, ValueError, TypeError, AttributeError)
    named: list[tuple[str, TableKind]] = []
    lists: tuple[tuple[TableKind, Callable[..., list[str]]], ...] = (
        ("table", inspector.get_table_names),
        ("view", inspector.get_view_names),
        ("materialized_view", inspector.get_materialized_view_names),
    )
    for kind, names in lists:
        try:
            named += [(name, kind) for name in names(schema=schema)]
        except NotImplementedError:  # this dialect has none of the kind
            continue
        except faults as fault:
            unread.append(Unread(schema_name=schema or "", name="*", reason=reason_of(fault)))
    for name, made in named:
        if left() <= 0:
            unread.append(Unread(schema_name=schema or "", name=name, reason=_TIMES_OUT))
            continue
        try:
            columns = inspector.get_columns(name, schema=schema)
        except faults as fault:
            unread.append(Unread(schema_name=schema or "", name=name, reason=reason_of(fault)))
            continue
        tables.append(_table(inspector, name, schema, made, columns, faults))


def _table(
    inspector: Inspector, name: str, schema: str | None, kind: TableKind, columns: Any, faults: tuple[type[Exception], ...]
) -> Table:
    degraded: list[str] = []

    def tried(read: Callable[..., Any], what: str) -> Any:
        try:
            return read(name, schema=schema)
        except NotImplementedError:
            return None
        except faults as fault:
            degraded.append(f"{what}: {reason_of(fault)}")
            return None

    is_table = kind == "table"
    primary = (tried(inspector.get_pk_constraint, "primary key") or {}) if is_table else {}
    keys = (tried(inspector.get_foreign_keys, "foreign keys") or ()) if is_table else ()
    unique = (tried(inspector.get_unique_constraints, "unique keys") or ()) if is_table else ()
    checks = (tried(inspector.get_check_constraints, "checks") or ()) if is_table else ()
    comment = tried(inspector.get_table_comment, "comment") or {}
    definition = None if is_table else tried(inspector.get_view_definition, "query")
    return Table(
        schema_name=schema or "",
        name=str(name),
        kind=kind,
        columns=tuple(_column(one, inspector) for one in columns),
        primary_key=tuple(primary.get("constrained_columns") or ()),
        foreign_keys=tuple(map(_foreign_key, keys)),
        unique_keys=tuple(
            UniqueKey(columns=tuple(one["column_names"]), name=one.get("name") or "") for one in unique if all(one["column_names"])
        ),
        checks=tuple(Check(text=one["sqltext"], name=one.get("name") or "") for one in checks),
        description=comment.get("text") or "",
        definition=definition or "",
        degraded=tuple(degraded),
    )


def _column(one: Any, inspector: Inspector) -> Column:
    kind = one["type"]
    try:
        dtype = kind.compile(dialect=inspector.bind.dialect)
    except Exception:  # noqa: BLE001 - a type of a foreign dialect may fail in any way, and its name is enough
        dtype = type(kind).__name__
    return Column(
        name=str(one["name"]),
        dtype="" if dtype == "NULL" else str(dtype),
        nullable=bool(one.get("nullable", True)),
        default="" if one.get("computed") else str(one.get("default") or ""),
        generated=str((one.get("computed") or {}).get("sqltext", "")),
        is_identity=bool(one.get("identity")) or one.get("autoincrement") is True,
        allowed=tuple(getattr(kind, "enums", ()) or ()),
        description=one.get("comment") or "",
    )


def _foreign_key(one: Any) -> ForeignKey:
    """A key; where SQLAlchemy tells no schema, that is settled when all tables are known."""
    return ForeignKey(
        columns=tuple(one["constrained_columns"]),
        referred_schema=one.get("referred_schema") or "",
        referred_table=one["referred_table"],
        referred_columns=tuple(one["referred_columns"]),
        name=one.get("name") or "",
    )


def _with_places(tables: list[Table], dialect: str, default: str) -> list[Table]:
    """Keys without a schema get it: PostgreSQL leaves out what the search path finds first, others the table's own schema."""
    known = {table.key for table in tables}

    def placed(key: ForeignKey, own: str) -> ForeignKey:
        order = (default, own) if dialect == "postgres" else (own, default)
        schemas = (key.referred_schema,) if key.referred_schema else order
        schema = next((one for one in schemas if (one, key.referred_table) in known), schemas[0])
        return key.model_copy(update={"referred_schema": schema, "is_external": (schema, key.referred_table) not in known})

    def settled(table: Table) -> Table:
        return table.model_copy(update={"foreign_keys": tuple(placed(key, table.schema_name) for key in table.foreign_keys)})

    return [settled(table) if table.foreign_keys else table for table in tables]
