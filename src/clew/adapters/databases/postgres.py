"""What does a PostgreSQL database hold? Its own catalogs, read in a few statements for all tables together.

SQLAlchemy's reflection gives up over keys that name a column twice, drops what it has no type for, and loses the schema of what the search path
holds; the catalogs have all of it in the database's own words, also of tables that this user may not read.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from clew.adapters.databases.conditions import bare
from clew.adapters.databases.connecting import CONNECT_SECONDS, GONE, Database, Row, StatementFailed, connected, parsed
from clew.adapters.databases.statistics import Sampled, with_statistics
from clew.adapters.databases.values import held_values
from clew.core.schema.contracts import Check, Column, ForeignKey, Snapshot, Table, TableKind, UniqueKey, Unread
from clew.core.schema.protocols import Wishes

_KINDS: dict[str, TableKind] = {"r": "table", "p": "table", "v": "view", "m": "materialized_view", "f": "foreign_table"}
# No bare names in what the catalogs print: types, keys and views are the same whatever the search path.
_OPENING = ("SET default_transaction_read_only = on", "SET lock_timeout = '5s'", "SET extra_float_digits = 0", "SET datestyle = 'ISO'")
_EMPTY_PATH = "SELECT pg_catalog.set_config('search_path', '', false)"
# Pages are drawn for twice the rows that are wanted, since some of them hold fewer.
_SPREAD = 2
_BOUND = "SET statement_timeout = {milliseconds}"

_SCHEMAS = """
SELECT nspname, has_schema_privilege(oid, 'USAGE') FROM pg_catalog.pg_namespace
WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' ORDER BY nspname"""
_RELATIONS = """
SELECT c.oid::int8, n.nspname, c.relname, c.relkind::text, c.reltuples::float8, d.description,
       CASE WHEN c.relkind = 'p' THEN pg_catalog.pg_get_partkeydef(c.oid) END,
       CASE WHEN c.relispartition THEN pg_catalog.pg_get_expr(c.relpartbound, c.oid) END,
       pg_catalog.has_table_privilege(c.oid, 'SELECT'), pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objsubid = 0
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend x WHERE x.objid = c.oid AND x.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND x.deptype = 'e')"""
_COLUMNS = """
SELECT a.attrelid::int8, a.attnum::int4, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
       pg_catalog.pg_get_expr(d.adbin, d.adrelid), a.attidentity::text, a.attgenerated::text, s.description,
       CASE WHEN t.typtype = 'd' THEN pg_catalog.format_type(t.typbasetype, t.typtypmod)
            WHEN t.typcategory = 'A' AND t.typelem <> 0 THEN pg_catalog.format_type(t.typelem, NULL) END,
       (CASE WHEN t.typtype = 'e' THEN t.oid WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.typelem END)::int8,
       CASE WHEN t.typtype = 'd' THEN t.oid::int8 END, t.typtype = 'd' AND t.typnotnull, pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
LEFT JOIN pg_catalog.pg_description s ON s.objoid = a.attrelid AND s.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND s.objsubid = a.attnum
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
ORDER BY a.attrelid, a.attnum"""
_LABELS = "SELECT enumtypid::int8, enumlabel FROM pg_catalog.pg_enum ORDER BY enumtypid, enumsortorder"
_CONSTRAINTS = """
SELECT c.conrelid::int8, c.conname, c.contype::text, c.conkey::int4[]::text, c.confrelid::int8, c.confkey::int4[]::text, c.convalidated,
       pg_catalog.pg_get_expr(c.conbin, c.conrelid), d.description
FROM pg_catalog.pg_constraint c LEFT JOIN pg_catalog.pg_constraint p ON p.oid = c.conparentid
LEFT JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
WHERE c.conrelid <> 0 AND c.contype IN ('p', 'u', 'f', 'c') AND p.conrelid IS DISTINCT FROM c.conrelid
ORDER BY c.conrelid, c.contype, c.conname, c.oid"""
_DOMAINS = """
SELECT c.contypid::int8, pg_catalog.pg_get_constraintdef(c.oid), c.conname FROM pg_catalog.pg_constraint c WHERE c.contypid <> 0 AND c.contype = 'c'
ORDER BY c.contypid, c.conname"""
_UNIQUE_INDEXES = """
SELECT i.indrelid::int8, c.relname, i.indkey::int2[]::text, i.indnkeyatts::int4 FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
WHERE i.indisunique AND NOT i.indisprimary AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indisvalid
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint x WHERE x.conindid = i.indexrelid AND x.contype IN ('u', 'p', 'x'))
ORDER BY i.indrelid, c.relname"""
_PARENTS = """
SELECT i.inhrelid::int8, n.nspname, c.relname FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhparent
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace ORDER BY i.inhrelid, i.inhseqno"""
_DEFINITIONS = (
    "SELECT c.oid::int8, pg_catalog.pg_get_viewdef(c.oid) FROM pg_catalog.pg_class c WHERE c.relkind IN ('v', 'm') AND c.oid IN ({oids})"
)


@dataclass(slots=True)
class _Parts:
    """What the catalogs said, by table."""

    forbidden: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    columns: dict[int, list[tuple[int, Column, int | None]]] = field(default_factory=lambda: defaultdict(list))
    constraints: dict[int, list[Row]] = field(default_factory=lambda: defaultdict(list))
    unique: dict[int, list[Row]] = field(default_factory=lambda: defaultdict(list))
    parents: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    domains: dict[int, list[Row]] = field(default_factory=lambda: defaultdict(list))
    definitions: dict[int, str] = field(default_factory=dict)
    names: dict[int, tuple[str, str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def reflect_postgres(name: str, url: str, wishes: Wishes) -> Snapshot:
    """The snapshot of a PostgreSQL database."""
    place = parsed(url).set(drivername="postgresql+psycopg")
    arguments = {
        "connect_timeout": max(int(min(CONNECT_SECONDS, wishes.timeout_s)), 2),
        "application_name": "clew",
        "client_encoding": "utf8",
    }
    with connected(place, "postgres", wishes, "postgres", arguments, _OPENING, _BOUND) as database:
        if database.rows("SELECT pg_catalog.current_setting('server_encoding')")[0][0] == "SQL_ASCII":
            database.rows("SELECT pg_catalog.set_config('client_encoding', 'LATIN1', false)")
            database.mended = _mended
        default = str(database.rows("SELECT pg_catalog.current_schema()")[0][0] or "")
        database.rows(_EMPTY_PATH)
        return _read(name, database, default, wishes)


def _mended(text: str) -> str:
    """A text of a database that knows of no encoding, which was taken for LATIN1: as UTF-8 where it is that, else as Windows has it."""
    raw = text.encode("latin-1")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def _read(name: str, database: Database, default: str, wishes: Wishes) -> Snapshot:
    forbidden = {schema for schema, may_use in database.rows(_SCHEMAS) if not may_use}
    relations = [row for row in database.rows(_RELATIONS) if not wishes.schemas or row[1] in wishes.schemas]
    unread = [Unread(schema_name=schema, name="*", reason="no right to use this schema") for schema in sorted(forbidden)]
    unread = [one for one in unread if not wishes.schemas or one.schema_name in wishes.schemas]
    readable = []
    for row in sorted(relations, key=lambda one: (one[1], one[2])):
        if row[1] in forbidden:
            continue
        if row[9]:
            readable.append(row)
        else:
            unread.append(Unread(schema_name=row[1], name=row[2], reason="no right to SELECT from it"))
    parts = _parts(database, readable)
    gone = _gone(database, [row[0] for row in readable if row[0] not in parts.columns])
    unread += [Unread(schema_name=row[1], name=row[2], reason=GONE) for row in readable if row[0] in gone]
    readable = [row for row in readable if row[0] not in gone]
    known = {(one[1], one[2]) for one in readable}
    tables = [_table(row, parts, known) for row in readable]
    if wishes.statistics:
        tables = [_sampled(table, row, database, parts, wishes) for table, row in zip(tables, readable, strict=True)]
    return Snapshot(
        datasource=name,
        dialect="postgres",
        tables=tuple(tables),
        default_schema=default,
        unread=tuple(unread),
        warnings=tuple(parts.warnings),
        held=held_values([(table, _whole(table, row, database, parts)) for table, row in zip(tables, readable, strict=True)], wishes),
    )


def _gone(database: Database, empty: list[int]) -> set[int]:
    """Those of the tables without columns that are not there any more: others may really have none."""
    if not empty:
        return set()
    there = database.rows(f"SELECT oid::int8 FROM pg_catalog.pg_class WHERE oid IN ({', '.join(map(str, empty))})")
    return set(empty) - {row[0] for row in there}


def _parts(database: Database, relations: list[Row]) -> _Parts:
    parts = _Parts()
    labels: dict[int, list[str]] = defaultdict(list)
    for oid, label in _tried(database, _LABELS, "labels of enums", parts):
        labels[oid].append(label)
    for row in database.rows(_COLUMNS):
        parts.columns[row[0]].append((row[1], _column(row, labels), row[11]))
        if not row[13]:
            parts.forbidden[row[0]].append(row[2])
    for row in _tried(database, _CONSTRAINTS, "keys and checks", parts):
        parts.constraints[row[0]].append(row)
    for row in _tried(database, _UNIQUE_INDEXES, "unique indexes", parts):
        parts.unique[row[0]].append(row)
    for oid, schema, parent in _tried(database, _PARENTS, "inheritance", parts):
        parts.parents[oid].append(f"{schema}.{parent}")
    for row in _tried(database, _DOMAINS, "checks of domains", parts):
        parts.domains[row[0]].append(row)
    for oid, schema, table in _tried(
        database,
        "SELECT c.oid::int8, n.nspname, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p')",
        "names",
        parts,
    ):
        parts.names[oid] = (schema, table)
    parts.definitions = _definitions(database, [row[0] for row in relations if row[3] in ("v", "m")])
    return parts


def _tried(database: Database, sql: str, what: str, parts: _Parts) -> list[Row]:
    try:
        return database.rows(sql)
    except StatementFailed as failed:
        parts.warnings.append(f"{what} could not be read: {failed.message}")
        return []


def _definitions(database: Database, oids: list[int]) -> dict[int, str]:
    """Views' queries; where one of them fails all, each alone."""
    if not oids:
        return {}
    try:
        return dict(database.rows(_DEFINITIONS.format(oids=", ".join(map(str, oids)))))  # type: ignore[arg-type]
    except StatementFailed:
        if len(oids) == 1 or database.clock.left <= 0:
            return {}
        half = len(oids) // 2
        return _definitions(database, oids[:half]) | _definitions(database, oids[half:])


def _column(row: Row, labels: dict[int, list[str]]) -> Column:
    _, _, name, dtype, not_null, default, identity, generated, description, base, enum, _, domain_not_null, _ = row
    is_serial = bool(default) and default.startswith("nextval(") and not generated
    return Column(
        name=name,
        dtype=dtype,
        nullable=not (not_null or domain_not_null),
        default="" if generated or is_serial else default or "",
        generated=default or "" if generated else "",
        is_identity=bool(identity) or is_serial,
        allowed=tuple(labels.get(enum, ())),
        base=base or "",
        description=description or "",
    )


def _table(row: Row, parts: _Parts, known: set[tuple[str, str]]) -> Table:
    oid, schema, name, kind, _, description, partition_key, bound, *_ = row
    numbered = {number: column.name for number, column, _ in parts.columns[oid]}
    columns = tuple(column for _, column, _ in parts.columns[oid])
    constraints = parts.constraints[oid]
    checks = [Check(text=bare(one[7]), name=one[1], description=one[8] or "") for one in constraints if one[2] == "c" and one[7]]
    checks += [_domain_check(column, domain) for _, column, of in parts.columns[oid] for domain in parts.domains.get(of or 0, ())]
    parents = parts.parents[oid]
    partition = f"by {partition_key}" if partition_key else f"part of {parents[0]} {bound}" if bound and parents else ""
    return Table(
        schema_name=schema,
        name=name,
        kind=_KINDS[kind],
        columns=columns,
        primary_key=next((_names(one[3], numbered) for one in constraints if one[2] == "p"), ()),
        foreign_keys=tuple(_foreign_key(one, numbered, parts, known) for one in constraints if one[2] == "f"),
        unique_keys=tuple(
            [UniqueKey(columns=_names(one[3], numbered), name=one[1]) for one in constraints if one[2] == "u"]
            + [UniqueKey(columns=_names(one[2], numbered)[: one[3]], name=one[1]) for one in parts.unique[oid]]
        ),
        checks=tuple(checks),
        description=description or "",
        definition=(parts.definitions.get(oid) or "").strip().removesuffix(";").strip(),
        partition=partition,
        degraded=(f"this user may not read its columns {', '.join(parts.forbidden[oid])}",) if oid in parts.forbidden else (),
    )


def _numbers(array: str) -> list[int]:
    """{1,2} or 1 2 as numbers; [0:1]={1,2} is how an array that starts at 0 is printed."""
    return [int(number) for number in array.rpartition("=")[2].strip("{}").replace(",", " ").split()]


def _names(array: str | None, numbered: dict[int, str]) -> tuple[str, ...]:
    return tuple(numbered[number] for number in _numbers(array or "") if number in numbered)


def _foreign_key(row: Row, numbered: dict[int, str], parts: _Parts, known: set[tuple[str, str]]) -> ForeignKey:
    other = {number: column.name for number, column, _ in parts.columns.get(row[4], ())}
    schema, table = parts.names.get(row[4], ("", ""))
    return ForeignKey(
        columns=_names(row[3], numbered),
        referred_schema=schema,
        referred_table=table,
        referred_columns=_names(row[5], other),
        name=row[1],
        is_external=(schema, table) not in known,
        is_enforced=bool(row[6]),
    )


def _domain_check(column: Column, domain: Row) -> Check:
    """A domain's check as one of the column."""
    text = domain[1].removeprefix("CHECK").strip()
    quoted = '"' + column.name.replace('"', '""') + '"'
    return Check(text=bare(text.replace("VALUE", quoted)), name="", description=f"of type {column.dtype}")


def quoted(name: str) -> str:
    """An identifier in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def _whole(table: Table, row: Row, database: Database, parts: _Parts) -> Sampled:
    """All rows of a table."""
    source = f"{quoted(table.schema_name)}.{quoted(table.name)}"
    return Sampled(database, source, skipped=frozenset(parts.forbidden.get(row[0], ())))


def _sampled(table: Table, row: Row, database: Database, parts: _Parts, wishes: Wishes) -> Table:
    """With statistics from pages spread over a large table, from the first rows of others."""
    source = f"{quoted(table.schema_name)}.{quoted(table.name)}"
    rows = int(row[4]) if row[4] >= 0 else None
    if table.kind in ("table", "materialized_view") and (rows or 0) > wishes.sample_rows * _SPREAD:
        source += f" TABLESAMPLE SYSTEM ({min(wishes.sample_rows * _SPREAD * 100 / (rows or 1), 100):.6f})"
    return with_statistics(table, Sampled(database, source, rows, skipped=frozenset(parts.forbidden.get(row[0], ()))), wishes)
