"""What does a DuckDB file hold? Its own catalog functions; the reflection of its SQLAlchemy dialect fails with current SQLAlchemy."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from clew.adapters.databases.conditions import bare
from clew.adapters.databases.connecting import Clock, Database, Row, StatementFailed, reason_of
from clew.adapters.databases.ddl.drafts import ColumnDraft
from clew.adapters.databases.ddl.reading import table_of_statement
from clew.adapters.databases.statistics import Sampled, with_statistics
from clew.adapters.databases.values import held_values
from clew.core.schema.contracts import Check, Column, ForeignKey, Snapshot, Table, UniqueKey, Unread
from clew.core.schema.protocols import Wishes
from clew.errors import MissingExtra, Unreachable, UsageError

_TABLES = """SELECT schema_name, table_name, comment, sql, estimated_size FROM duckdb_tables()
WHERE NOT internal AND NOT temporary AND database_name = current_database()"""
_VIEWS = """SELECT schema_name, view_name, comment, sql FROM duckdb_views()
WHERE NOT internal AND NOT temporary AND database_name = current_database()"""
_COLUMNS = """SELECT schema_name, table_name, column_name, data_type, is_nullable, column_default, comment FROM duckdb_columns()
WHERE NOT internal AND database_name = current_database() ORDER BY schema_name, table_name, column_index"""
_CONSTRAINTS = """SELECT * FROM duckdb_constraints() WHERE database_name = current_database()"""
_INDEXES = """SELECT schema_name, table_name, index_name, expressions FROM duckdb_indexes() WHERE is_unique AND database_name = current_database()"""


def reflect_duckdb(name: str, url: str, wishes: Wishes) -> Snapshot:
    """The snapshot of a DuckDB file."""
    with _opened(_place(url), wishes) as database:
        return _read(name, database, wishes)


def _place(url: str) -> Path:
    rest = url.partition("://")[2].partition("?")[0]
    if not rest.startswith("/") or rest in ("/", "/:memory:"):
        raise UsageError("this is no URL of a DuckDB file", "duckdb:///relative.duckdb or duckdb:////absolute.duckdb")
    found = rest[1:] if Path(rest[1:]).exists() else unquote(rest[1:])
    return Path(found).expanduser()


@contextmanager
def _opened(file: Path, wishes: Wishes) -> Iterator[Database]:
    try:
        import duckdb
    except ModuleNotFoundError as fault:
        raise MissingExtra("the driver duckdb is not installed", "pip install 'clew[duckdb]'") from fault

    if not file.is_file():
        raise Unreachable(
            f"{file} is a folder" if file.is_dir() else f"there is no file {file}",
            "a relative path counts from where `clew db add` was run (duckdb:////absolute/path.duckdb has four slashes); --replace gives the name another URL",
        )
    try:
        connection = duckdb.connect(
            str(file), read_only=True, config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        )
    except duckdb.Error as fault:
        raise Unreachable(f"{file} cannot be read: {reason_of(fault)}", _hint(str(fault))) from fault
    clock = Clock(wishes)
    try:
        yield Database("duckdb", lambda: _Bounded(connection.cursor(), clock), clock, (duckdb.Error,))
    finally:
        connection.close()


def _hint(complaint: str) -> str:
    if "lock" in complaint:
        return "a program that writes to a DuckDB file keeps all others out: try again when it has closed it"
    if "not a valid DuckDB" in complaint:
        return "is it a DuckDB file? It may be damaged"
    return "it may be damaged, or of another version of DuckDB: pip install -U duckdb"


class _Bounded:
    """A cursor whose statements are interrupted when their time is over."""

    def __init__(self, cursor: Any, clock: Clock) -> None:
        self._cursor, self._clock = cursor, clock

    def execute(self, sql: str) -> None:
        timer = threading.Timer(max(self._clock.left, 0.01), self._cursor.interrupt)
        timer.daemon = True
        timer.start()
        try:
            self._cursor.execute(sql)
        finally:
            timer.cancel()

    def fetchall(self) -> list[Row]:
        return list(self._cursor.fetchall())

    def fetchmany(self, size: int) -> list[Row]:
        return list(self._cursor.fetchmany(size))

    def close(self) -> None:
        self._cursor.close()


def _read(name: str, database: Database, wishes: Wishes) -> Snapshot:
    warnings: list[str] = []

    def tried(sql: str, what: str) -> list[Row]:
        try:
            return database.rows(sql)
        except StatementFailed as failed:
            warnings.append(f"{what} could not be read: {failed.message}")
            return []

    columns: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in database.rows(_COLUMNS):
        columns[row[0], row[1]].append(row)
    constraints: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for one in _constraints(database, warnings):
        constraints[one["schema_name"], one["table_name"]].append(one)
    unique: dict[tuple[str, str], list[UniqueKey]] = defaultdict(list)
    for schema, table, index, expressions in tried(_INDEXES, "unique indexes"):
        names = [part.strip().strip("'\"") for part in str(expressions).strip("[]").split(",")]
        if set(names) <= {row[2] for row in columns[schema, table]}:
            unique[schema, table].append(UniqueKey(columns=tuple(names), name=index))
    tables, unread = [], []
    known = set(columns)
    for row in [*database.rows(_TABLES), *((*view, None) for view in tried(_VIEWS, "views"))]:
        key = (row[0], row[1])
        if wishes.schemas and key[0] not in wishes.schemas:
            continue
        if key not in known and row[4] is None:
            unread.append(Unread(schema_name=key[0], name=key[1], reason="its query does not fit the tables that are there"))
            continue
        tables.append(_table(row, columns[key], constraints[key], unique[key], known))
    rows_of = {table.key: Sampled(database, f"{_quoted(table.schema_name)}.{_quoted(table.name)}") for table in tables}
    if wishes.statistics:
        tables = [with_statistics(table, rows_of[table.key], wishes) for table in tables]
    tables.sort(key=lambda one: one.key)
    default = str(database.rows("SELECT current_schema()")[0][0])
    return Snapshot(
        datasource=name,
        dialect="duckdb",
        tables=tuple(tables),
        default_schema=default,
        unread=tuple(unread),
        warnings=tuple(warnings),
        held=held_values([(table, rows_of[table.key]) for table in tables], wishes),
    )


def _constraints(database: Database, warnings: list[str]) -> list[dict[str, Any]]:
    """Constraints by their fields' names: later versions have more of them."""
    try:
        names = [row[0] for row in database.rows("SELECT column_name FROM (DESCRIBE SELECT * FROM duckdb_constraints())")]
        return [dict(zip(names, row, strict=False)) for row in database.rows(_CONSTRAINTS)]
    except StatementFailed as failed:
        warnings.append(f"keys and checks could not be read: {failed.message}")
        return []


def _table(row: Row, columns: list[Row], constraints: list[dict[str, Any]], unique: list[UniqueKey], known: set[tuple[str, str]]) -> Table:
    schema, name, comment, sql, _ = row
    said = table_of_statement(sql or "", "duckdb")
    of = defaultdict(list)
    for one in constraints:
        of[one["constraint_type"]].append(one)
    return Table(
        schema_name=schema,
        name=name,
        kind="table" if row[4] is not None else "view",
        columns=tuple(_column(one, said.column(one[2]) if said else None) for one in columns),
        primary_key=next((tuple(one["constraint_column_names"]) for one in of["PRIMARY KEY"]), ()),
        foreign_keys=tuple(_foreign_key(one, schema, known) for one in of["FOREIGN KEY"]),
        unique_keys=(*(UniqueKey(columns=tuple(one["constraint_column_names"]), name=_given(one)) for one in of["UNIQUE"]), *unique),
        checks=tuple(Check(text=bare(one["expression"] or one["constraint_text"]), name=_given(one)) for one in of["CHECK"]),
        description=comment or "",
        definition=said.query if said and row[4] is None else "",
    )


def _column(row: Row, drafted: ColumnDraft | None) -> Column:
    _, _, name, dtype, is_nullable, default, comment = row
    is_serial = bool(default) and default.startswith("nextval(")
    generated = drafted.generated if drafted else ""
    return Column(
        name=name,
        dtype=dtype,
        nullable=bool(is_nullable),
        default="" if is_serial or generated or default is None or default == "NULL" else default,
        generated=generated,
        is_identity=is_serial,
        allowed=_labels(dtype) if dtype.startswith("ENUM(") else (),
        base=dtype.removesuffix("[]") if dtype.endswith("[]") else "",
        description=comment or "",
    )


def _labels(dtype: str) -> tuple[str, ...]:
    drafted = table_of_statement(f"CREATE TABLE t (c {dtype})", "duckdb")
    column = drafted.column("c") if drafted else None
    return column.allowed if column else ()


def _foreign_key(one: dict[str, Any], schema: str, known: set[tuple[str, str]]) -> ForeignKey:
    """A key; versions before 1.2 tell what it refers to in its text alone."""
    table, referred = one.get("referenced_table"), one.get("referenced_column_names")
    if not table:
        drafted = table_of_statement(f"CREATE TABLE t (c int, {one['constraint_text']})", "duckdb")
        table, referred = (drafted.keys[0].table[-1], drafted.keys[0].referred) if drafted and drafted.keys else ("", ())
    return ForeignKey(
        columns=tuple(one["constraint_column_names"]),
        referred_schema=schema,
        referred_table=str(table),
        referred_columns=tuple(referred or ()),
        name=_given(one),
        is_external=(schema, table) not in known,
    )


def _given(one: dict[str, Any]) -> str:
    return str(one.get("constraint_name") or "")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
