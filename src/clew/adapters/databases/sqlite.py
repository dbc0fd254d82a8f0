"""What does an SQLite file hold? Its pragmas for structure, and the statements it keeps for what no pragma tells: comments, checks, exact types."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from clew.adapters.databases.connecting import GONE, Clock, Database, StatementFailed
from clew.adapters.databases.ddl.reading import table_of_statement
from clew.adapters.databases.statistics import Sampled, with_statistics
from clew.adapters.databases.values import held_values
from clew.core.schema.contracts import Column, ForeignKey, Snapshot, Table, TableKind, UniqueKey, Unread
from clew.core.schema.protocols import Wishes
from clew.errors import Unreachable, UsageError

# Steps of SQLite's machine between two looks at the clock.
_STEPS = 20_000
# How long a writer may hold the file before it counts as not answering.
_BUSY_SECONDS = 5.0
_TABLES = """SELECT name, type, COALESCE(sql, '') FROM sqlite_master
WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"""


def reflect_sqlite(name: str, url: str, wishes: Wishes) -> Snapshot:
    """The snapshot of an SQLite file."""
    path, options = _place(url)
    with _opened(path, options, wishes) as database:
        return _read(name, database, wishes)


def _place(url: str) -> tuple[str, str]:
    rest = url.partition("://")[2]
    if not rest.startswith("/"):
        raise UsageError("this is no URL of an SQLite file", "sqlite:///relative.db or sqlite:////absolute.db")
    path, _, options = rest[1:].partition("?")
    if path.startswith("file:"):
        return path.removeprefix("file:"), options
    found = path if Path(path).exists() else unquote(path)
    if not found or found == ":memory:":
        raise UsageError("a database in memory belongs to another process and cannot be read", "name a file: sqlite:///app.db")
    return found, options


@contextmanager
def _opened(path: str, options: str, wishes: Wishes) -> Iterator[Database]:
    file = Path(path).expanduser()
    if not file.is_file():
        raise Unreachable(
            f"{file} is a folder" if file.is_dir() else f"there is no file {file}",
            "a relative path counts from where `clew db add` was run (sqlite:////absolute/path.db has four slashes); --replace gives the name another URL",
        )
    clock = Clock(wishes)
    connection = _connected(file)
    try:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        until = [0.0]

        def cursor() -> sqlite3.Cursor:
            until[0] = time.monotonic() + clock.left
            return connection.cursor()

        connection.set_progress_handler(lambda: int(time.monotonic() > until[0]), _STEPS)
        yield Database("sqlite", cursor, clock, (sqlite3.Error, OverflowError))
    finally:
        connection.close()


def _connected(file: Path) -> sqlite3.Connection:
    """A connection that cannot write; a file in a folder that cannot be written is read as it stands."""
    fault: sqlite3.Error | None = None
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        if "immutable" in mode and os.access(file.parent, os.W_OK):
            break
        connection = None
        try:
            connection = sqlite3.connect(
                f"file:{quote(str(file.absolute()))}?{mode}", uri=True, timeout=_BUSY_SECONDS, check_same_thread=False
            )
            connection.execute("PRAGMA query_only = 1")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return connection
        except sqlite3.Error as refused:
            fault = refused
            if connection is not None:
                connection.close()
    raise Unreachable(f"{file} cannot be read: {fault}", _hint(str(fault))) from fault


def _hint(complaint: str) -> str:
    if "locked" in complaint or "busy" in complaint:
        return "another program is writing to it: try again when that is done"
    if "malformed" in complaint or "corrupt" in complaint:
        return "the file is damaged: restore it, or save what can be read with `sqlite3 FILE .recover`"
    return "is it an SQLite database, and may you read it? One that is encrypted cannot be read"


def _read(name: str, database: Database, wishes: Wishes) -> Snapshot:
    database.rows("BEGIN")  # all of the structure as it is at one moment, whoever changes it meanwhile
    rows = database.rows(_TABLES)
    shadows = _shadows([(table, sql) for table, _, sql in rows])
    tables, unread = [], []
    names = {str(table).lower(): str(table) for table, _, _ in rows}
    for table, kind, sql in rows:
        if table in shadows:
            continue
        try:
            read = _table(database, table, kind, sql, names)
            if read.columns:
                tables.append(read)
            else:
                unread.append(Unread(name=table, reason=GONE))
        except StatementFailed as failed:
            unread.append(Unread(name=table, reason=failed.message))
    database.rows("COMMIT")  # rows are read without keeping writers waiting
    tables = _with_implied_keys(tables)
    if wishes.statistics:
        tables = [with_statistics(table, Sampled(database, _quoted(table.name)), wishes) for table in tables]
    held = held_values([(table, Sampled(database, _quoted(table.name))) for table in tables], wishes)
    return Snapshot(
        datasource=name, dialect="sqlite", tables=tuple(sorted(tables, key=lambda one: one.key)), unread=tuple(unread), held=held
    )


def _shadows(rows: list[tuple[str, str]]) -> set[str]:
    """Tables in which full text and spatial indexes keep their own data."""
    virtual = [name for name, sql in rows if sql[:40].upper().lstrip().startswith("CREATE VIRTUAL")]
    endings = (
        "data",
        "idx",
        "content",
        "docsize",
        "config",
        "segments",
        "segdir",
        "stat",
        "node",
        "rowid",
        "parent",
        "vocab",
        "chunks",
        "info",
    )
    return {
        name
        for name, _ in rows
        for owner in virtual
        if name.startswith(f"{owner}_") and name[len(owner) + 1 :].rstrip("0123456789").startswith(endings)
    }


def _table(database: Database, name: str, kind: str, sql: str, names: dict[str, str]) -> Table:
    said = table_of_statement(sql, "sqlite")
    rows = [row for row in database.rows(f"PRAGMA table_xinfo({_quoted(name)})") if row[6] != 1]
    keyed = sorted((row[5], row[1]) for row in rows if row[5])
    columns = []
    for _, column, dtype, not_null, default, pk, _ in rows:
        drafted = said.column(column) if said else None
        columns.append(
            Column(
                name=column,
                dtype=(drafted.dtype if drafted else "") or dtype,
                nullable=not not_null and not (pk and dtype.upper() == "INTEGER" and len(keyed) == 1),
                default="" if default is None or default.upper() == "NULL" else default,
                generated=drafted.generated if drafted else "",
                is_identity=bool(drafted and drafted.is_identity),
                description=drafted.description if drafted else "",
            )
        )
    made: TableKind = "view" if kind == "view" else "table"
    return Table(
        name=name,
        kind=made,
        columns=tuple(columns),
        primary_key=tuple(column for _, column in keyed),
        foreign_keys=_foreign_keys(database, name, said.key_names() if said else {}, names),
        unique_keys=_unique_keys(database, name),
        checks=tuple(said.checks) if said else (),
        description=said.description if said else "",
        definition=said.query if said and kind == "view" else "",
        degraded=() if said or not sql else ("its statement could not be read, so comments and checks may be missing",),
    )


def _foreign_keys(database: Database, name: str, named: dict[tuple[str, ...], str], names: dict[str, str]) -> tuple[ForeignKey, ...]:
    """Keys as declared; one to a bare table has no referred columns yet."""
    grouped: dict[int, list[tuple[int, str, str, str | None]]] = {}
    for number, place, other, column, referred, *_ in database.rows(f"PRAGMA foreign_key_list({_quoted(name)})"):
        grouped.setdefault(number, []).append((place, other, column, referred))
    keys = []
    for _, pairs in sorted(grouped.items(), reverse=True):
        pairs.sort(key=lambda one: one[0])
        columns = tuple(column for _, _, column, _ in pairs)
        other = pairs[0][1]
        keys.append(
            ForeignKey(
                columns=columns,
                referred_schema="",
                referred_table=names.get(other.lower(), other),
                referred_columns=tuple(referred for _, _, _, referred in pairs if referred),
                name=named.get(tuple(column.lower() for column in columns), ""),
                is_external=other.lower() not in names,
            )
        )
    return tuple(keys)


def _unique_keys(database: Database, name: str) -> tuple[UniqueKey, ...]:
    found = []
    for _, index, unique, origin, partial, *_ in database.rows(f"PRAGMA index_list({_quoted(name)})"):
        if not unique or partial or origin == "pk":
            continue
        columns = [row[2] for row in database.rows(f"PRAGMA index_info({_quoted(index)})")]
        if all(columns):
            found.append(UniqueKey(columns=tuple(columns), name="" if index.startswith("sqlite_autoindex") else index))
    return tuple(sorted(found, key=lambda key: (key.columns, key.name)))


def _with_implied_keys(tables: list[Table]) -> list[Table]:
    """Keys that name a table alone refer to its primary key; names of columns are those of the other table, whatever their case."""
    known = {table.name: table for table in tables}

    def completed(key: ForeignKey) -> ForeignKey:
        other = known.get(key.referred_table)
        if other is None:
            return key
        exact = {column.name.lower(): column.name for column in other.columns}
        referred = tuple(exact.get(name.lower(), name) for name in key.referred_columns or other.primary_key)
        return key.model_copy(update={"referred_columns": referred if len(referred) == len(key.columns) else key.referred_columns})

    def cased(table: Table) -> Table:
        exact = {column.name.lower(): column.name for column in table.columns}
        gone = [f"a key refers to {key.referred_table}, which is not there" for key in table.foreign_keys if key.is_external]
        keys = [
            completed(key).model_copy(update={"columns": tuple(exact.get(name.lower(), name) for name in key.columns)})
            for key in table.foreign_keys
        ]
        return table.model_copy(update={"foreign_keys": tuple(keys), "degraded": (*table.degraded, *gone)}) if keys else table

    return [cased(table) for table in tables]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
