"""What does a MySQL or MariaDB server hold? Its information_schema; SQLAlchemy's reflection knows no checks of MariaDB's columns and one schema at a time."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

from clew.adapters.databases.conditions import bare
from clew.adapters.databases.connecting import CONNECT_SECONDS, GONE, Database, Row, StatementFailed, connected, parsed
from clew.adapters.databases.ddl.reading import table_of_statement
from clew.adapters.databases.statistics import FETCHED_CHARACTERS, Sampled, is_plain, with_statistics
from clew.adapters.databases.values import held_values
from clew.core.schema.contracts import Check, Column, ForeignKey, Snapshot, Table, UniqueKey, Unread
from clew.core.schema.protocols import Wishes

_SYSTEM = ("information_schema", "mysql", "performance_schema", "sys")
_SPATIAL = re.compile(r"(?:multi)?(?:point|linestring|polygon)|geometry", re.IGNORECASE)
_OPENING = ("SET SESSION TRANSACTION READ ONLY", "SET SESSION sql_mode = ''", "SET SESSION lock_wait_timeout = 5")
_BOUND_MARIADB = "SET SESSION max_statement_time = {seconds}"
_BOUND_MYSQL = "SET SESSION max_execution_time = {milliseconds}"

_TABLES = "SELECT table_schema, table_name, table_type, table_comment, table_rows FROM information_schema.tables WHERE table_schema IN ({schemas})"
_COLUMNS = """SELECT table_schema, table_name, column_name, column_type, is_nullable, column_default, extra, generation_expression, column_comment
FROM information_schema.columns WHERE table_schema IN ({schemas}) ORDER BY table_schema, table_name, ordinal_position"""
_KEYS = """SELECT table_schema, table_name, constraint_name, column_name, referenced_table_schema, referenced_table_name, referenced_column_name
FROM information_schema.key_column_usage WHERE table_schema IN ({schemas}) ORDER BY table_schema, table_name, constraint_name, ordinal_position"""
_INDEXES = """SELECT table_schema, table_name, index_name, column_name, sub_part FROM information_schema.statistics
WHERE table_schema IN ({schemas}) AND non_unique = 0 ORDER BY table_schema, table_name, index_name, seq_in_index"""
_CHECKS_MARIADB = "SELECT constraint_schema, table_name, constraint_name, check_clause, level FROM information_schema.check_constraints WHERE constraint_schema IN ({schemas})"
_CHECKS_MYSQL = """SELECT t.table_schema, t.table_name, t.constraint_name, c.check_clause, 'Table' FROM information_schema.table_constraints t
JOIN information_schema.check_constraints c ON c.constraint_schema = t.constraint_schema AND c.constraint_name = t.constraint_name
WHERE t.constraint_type = 'CHECK' AND t.table_schema IN ({schemas})"""
_VIEWS = "SELECT table_schema, table_name, view_definition FROM information_schema.views WHERE table_schema IN ({schemas})"
_PARTITIONS = """SELECT table_schema, table_name, MAX(partition_method), MAX(partition_expression) FROM information_schema.partitions
WHERE partition_name IS NOT NULL AND table_schema IN ({schemas}) GROUP BY table_schema, table_name"""

Key = tuple[str, str]


class _Parts(NamedTuple):
    """What information_schema said, by table."""

    columns: dict[Key, list[Row]]
    keys: dict[Key, list[Row]]
    indexes: dict[Key, list[Row]]
    checks: dict[Key, list[Row]]
    views: dict[Key, list[Row]]
    partitions: dict[Key, list[Row]]


def reflect_mysql(name: str, url: str, wishes: Wishes) -> Snapshot:
    """The snapshot of a MySQL or MariaDB database: the one that the URL names, else all."""
    place = parsed(url)
    place = place.set(drivername=f"{place.get_backend_name()}+pymysql")
    seconds = max(int(wishes.timeout_s), 1)
    arguments: dict[str, Any] = {
        "connect_timeout": max(int(min(CONNECT_SECONDS, wishes.timeout_s)), 1),
        "read_timeout": seconds + 1,
        "write_timeout": seconds + 1,
    }
    if "charset" not in place.query:
        arguments["charset"] = "utf8mb4"
    if place.password:
        arguments["password"] = place.password.encode("utf-8")  # the driver would make latin-1 of it, servers keep UTF-8
    with connected(place, "mysql", wishes, "mysql", arguments, _OPENING) as database:
        is_mariadb = "mariadb" in str(database.rows("SELECT VERSION()")[0][0]).lower()
        database.bound = _BOUND_MARIADB if is_mariadb else _BOUND_MYSQL
        return _read(name, database, place.database or "", wishes, is_mariadb)


def _read(name: str, database: Database, default: str, wishes: Wishes, is_mariadb: bool) -> Snapshot:
    warnings: list[str] = []
    schemas = _schemas(database, default, wishes)
    if not schemas:
        return Snapshot(datasource=name, dialect="mysql", default_schema=default, warnings=("no database that this user may read",))
    listed = ", ".join(map(_literal, schemas))

    def tried(sql: str, what: str) -> dict[Key, list[Row]]:
        try:
            return _by_table(database.rows(sql.format(schemas=listed)))
        except StatementFailed as failed:
            warnings.append(f"{what} could not be read: {failed.message}")
            return {}

    found = _by_table(database.rows(_TABLES.format(schemas=listed)))
    parts = _Parts(
        columns=_by_table(database.rows(_COLUMNS.format(schemas=listed))),
        keys=tried(_KEYS, "keys"),
        indexes=tried(_INDEXES, "unique indexes"),
        checks=tried(_CHECKS_MARIADB if is_mariadb else _CHECKS_MYSQL, "checks"),
        views=tried(_VIEWS, "queries of views"),
        partitions=tried(_PARTITIONS, "partitions"),
    )
    tables, unread, known = [], [], set(found)
    for key, (row, *_) in sorted(found.items()):
        if row[2] == "SEQUENCE":
            continue
        if "references invalid" in (row[3] or ""):
            unread.append(Unread(schema_name=key[0], name=key[1], reason=row[3]))
            continue
        if not parts.columns.get(key):
            unread.append(Unread(schema_name=key[0], name=key[1], reason=f"no right to see its columns, or {GONE}"))
            continue
        tables.append(_table(row, parts, known, is_mariadb))
    if wishes.statistics:
        estimates = {key: int(row[4] or 0) for key, (row, *_) in found.items()}
        tables = [with_statistics(table, _sampled(database, table, estimates[table.key]), wishes) for table in tables]
    return Snapshot(
        datasource=name,
        dialect="mysql",
        tables=tuple(tables),
        default_schema=default,
        unread=tuple(unread),
        warnings=tuple(warnings),
        held=held_values([(table, _sampled(database, table)) for table in tables], wishes),
    )


def _sampled(database: Database, table: Table, rows: int | None = None) -> Sampled:
    return Sampled(database, f"{_quoted(table.schema_name)}.{_quoted(table.name)}", rows, _text_of)


def _schemas(database: Database, default: str, wishes: Wishes) -> list[str]:
    if wishes.schemas:
        return list(wishes.schemas)
    if default:
        return [default]
    return [
        str(row[0])
        for row in database.rows("SELECT schema_name FROM information_schema.schemata ORDER BY schema_name")
        if row[0] not in _SYSTEM
    ]


def _by_table(rows: list[Row]) -> dict[Key, list[Row]]:
    found: dict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        texts = [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in row]
        found[texts[0], texts[1]].append(texts)
    return found


def _table(row: Row, parts: _Parts, known: set[Key], is_mariadb: bool) -> Table:
    key: Key = (row[0], row[1])
    is_view = "VIEW" in row[2]
    keys: dict[str, list[Row]] = defaultdict(list)
    for one in parts.keys.get(key, ()):
        keys[one[2]].append(one)
    view = parts.views.get(key)
    partition = parts.partitions.get(key)
    return Table(
        schema_name=key[0],
        name=key[1],
        kind="view" if is_view else "table",
        columns=tuple(_column(one, is_mariadb) for one in parts.columns.get(key, ())),
        primary_key=tuple(one[3] for one in keys.get("PRIMARY", ())),
        foreign_keys=tuple(_foreign_key(name, rows, known) for name, rows in sorted(keys.items()) if rows[0][5]),
        unique_keys=_unique(parts.indexes.get(key, [])),
        checks=tuple(_checks(parts.checks.get(key, []))),
        description="" if is_view else row[3] or "",
        definition=(view[0][2] or "") if view else "",
        partition=f"by {partition[0][2]} ({partition[0][3]})" if partition else "",
        degraded=("no right to see the query of this view",) if view and not view[0][2] else (),
    )


def _column(row: Row, is_mariadb: bool) -> Column:
    _, _, name, dtype, nullable, default, extra, generated, comment = row
    extra = (extra or "").lower()
    return Column(
        name=name,
        dtype=dtype,
        nullable=nullable == "YES",
        default=_default(default, dtype, extra, is_mariadb),
        generated=generated or "",
        is_identity="auto_increment" in extra,
        allowed=_labels(dtype) if dtype.lower().startswith(("enum(", "set(")) else (),
        description=comment or "",
    )


def _default(default: str | None, dtype: str, extra: str, is_mariadb: bool) -> str:
    """A default as SQL: MariaDB tells it so, MySQL tells a literal's bare value."""
    if default is None or default == "NULL":
        return ""
    if is_mariadb or "default_generated" in extra or default.upper().startswith("CURRENT_TIMESTAMP"):
        return default
    return (
        default
        if (is_plain(dtype) and default.replace(".", "", 1).lstrip("-").isdigit()) or default.startswith("b'")
        else _literal(default)
    )


def _labels(dtype: str) -> tuple[str, ...]:
    drafted = table_of_statement(f"CREATE TABLE t (c {dtype})", "mysql")
    column = drafted.column("c") if drafted else None
    return column.allowed if column else ()


def _foreign_key(name: str, rows: list[Row], known: set[Key]) -> ForeignKey:
    other: Key = (rows[0][4], rows[0][5])
    return ForeignKey(
        columns=tuple(row[3] for row in rows),
        referred_schema=other[0],
        referred_table=other[1],
        referred_columns=tuple(row[6] for row in rows),
        name=name,
        is_external=other not in known,
    )


def _unique(rows: list[Row]) -> tuple[UniqueKey, ...]:
    """Unique indexes over whole columns; one over a prefix or an expression makes no key of them."""
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row[2]].append(row)
    whole = {name: parts for name, parts in grouped.items() if name != "PRIMARY" and all(part[3] and part[4] is None for part in parts)}
    return tuple(UniqueKey(columns=tuple(part[3] for part in parts), name=name) for name, parts in sorted(whole.items()))


def _checks(rows: list[Row]) -> list[Check]:
    ordered: Callable[[Row], tuple[str, str]] = lambda row: (row[2], row[3])  # noqa: E731
    return [Check(text=bare(row[3]), name="" if row[4] == "Column" else row[2]) for row in sorted(rows, key=ordered)]


def _text_of(column: Column) -> str:
    name = _quoted(column.name)
    if is_plain(column.dtype):
        return name
    text = f"ST_AsText({name})" if _SPATIAL.match(column.dtype) else f"CAST({name} AS CHAR)"
    return f"LEFT({text}, {FETCHED_CHARACTERS})"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
