"""How is a name written in SQL of a dialect? Bare where it can be, quoted where it must."""

from __future__ import annotations

import re

_LOWER = re.compile(r"[a-z_][a-z0-9_]*\Z")
_ANY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_FOLDS_TO_LOWER = frozenset(("postgres", "redshift", "materialize", "risingwave"))
_FOLDS_TO_UPPER = frozenset(("oracle", "snowflake"))
_BACKTICKS = frozenset(("mysql", "bigquery", "hive", "spark", "spark2", "databricks", "clickhouse", "doris", "starrocks", "drill"))
_BRACKETS = frozenset(("tsql", "fabric"))
RESERVED = frozenset(
    """
    anti asof at lambda pivot_longer pivot_wider positional semi unpack
    abort access action add admin after all alter always analyse analyze and any array as asc asensitive asymmetric attach authorization
    autoincrement before begin between bigint binary blob both by call cascade case cast change char character check collate collation column
    columns commit concurrently condition conflict connection constraint continue convert count create cross cube cume_dist current
    current_catalog current_date current_role current_schema current_time current_timestamp current_user cursor database databases date day
    deallocate dec decimal declare default deferrable deferred delayed delete dense_rank desc describe detach deterministic distinct
    distinctrow div do double drop dual each else elseif empty enclosed end escape escaped every except exclude exclusive execute exists exit
    explain external fail false fetch filter first first_value float following for force foreign freeze from full fulltext function generated
    glob grant group grouping groups handler having high_priority hour if ignore ilike immediate in index indexed infile initially inner inout
    insert instead int integer intersect interval into is isnull isolation iterate join json_table key keys kill lag last last_value lateral
    lead leading leave left level like limit linear lines load localtime localtimestamp lock long longblob longtext loop low_priority macro map
    match materialized maxvalue mediumint merge minute mod modifies month name names natural no not nothing notnull nth_value ntile null
    nulls numeric of offset on only open optimize option optionally or order others out outer outfile over overlaps overlay partition
    percent_rank period pivot placing plan position pragma preceding precision primary procedure public purge qualify query raise range rank
    read reads real recursive references regexp reindex release rename repeat replace require resignal restrict return returning revoke right
    rlike rollback row row_number rows savepoint schema schemas second select sensitive separator session session_user set show signal similar
    smallint some spatial specific sql sqlexception sqlstate sqlwarning ssl start starting status stored straight_join structure summarize
    symmetric system system_user table tables tablesample temp temporary terminated then ties time timestamp tinyint to trailing transaction
    trigger true try_cast type unbounded undo union unique unlock unpivot unsigned update usage use user using vacuum value values varbinary
    varchar variadic varying verbose view virtual when where while window with within without write xor year zerofill
    """.split()
)
"""Words that some dialect keeps for itself, and a few that read as one: quoting is never wrong, a bare reserved word is."""


_EVERYDAY = frozenset(
    """
    access action after before begin change condition connection count current date day double every first hour key keys language last
    level map match minute month name names no number open option period plan position procedure public range rank read release repeat row
    schema second separator session start starting status structure system temp time timestamp type usage value view year
    """.split()
)
"""Of them, everyday names that SQLite, PostgreSQL and DuckDB take bare as table and column (tried on all three): quotes that nobody writes cost tokens."""
_TAKES_EVERYDAY = frozenset(("sqlite", "postgres", "duckdb"))


def _is_reserved(name: str, dialect: str) -> bool:
    lower = name.lower()
    return lower in RESERVED and not (dialect in _TAKES_EVERYDAY and lower in _EVERYDAY)


def quoted(name: str, dialect: str) -> str:
    """A name as this dialect reads it back exactly."""
    bare = _LOWER if dialect in _FOLDS_TO_LOWER else None if dialect in _FOLDS_TO_UPPER else _ANY
    if bare is not None and bare.match(name) and not _is_reserved(name, dialect):
        return name
    if dialect in _BACKTICKS:
        return "`" + name.replace("`", "``") + "`"
    if dialect in _BRACKETS:
        return "[" + name.replace("]", "]]") + "]"
    return '"' + name.replace('"', '""') + '"'


def path(schema: str, table: str, dialect: str, default_schema: str = "") -> str:
    """A table's name, with its schema where bare names mean another."""
    if schema and schema != default_schema:
        return f"{quoted(schema, dialect)}.{quoted(table, dialect)}"
    return quoted(table, dialect)


def literal(text: str, dialect: str) -> str:
    """A text as a string of SQL."""
    escaped = text.replace("\\", "\\\\") if dialect in _BACKTICKS else text
    return "'" + escaped.replace("'", "''") + "'"


def folded(name: str, dialect: str, *, is_quoted: bool) -> str:
    """A name as the dialect compares it: equal names are one. Quoted is a name exactly as the database has it, too."""
    if dialect in _FOLDS_TO_LOWER:
        return name if is_quoted else name.lower()
    if dialect in _FOLDS_TO_UPPER:
        return name if is_quoted else name.upper()
    return name.lower()
