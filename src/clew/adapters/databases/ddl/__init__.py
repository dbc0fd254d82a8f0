"""What do DDL files define? Schemas from dumps and migrations, `ddl:FILE?dialect=postgres` or a folder of them, without a database."""

from __future__ import annotations

import gzip
import mmap
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl, unquote

from clew.adapters.databases.ddl.changes import named_in, read_statement
from clew.adapters.databases.ddl.drafts import Catalog, Reading
from clew.adapters.databases.ddl.guessing import guessed_dialect
from clew.adapters.databases.ddl.lexicon import ALIASES, MAIN_DIALECTS, lexicon_of
from clew.adapters.databases.ddl.migrations import in_order, undoes, without_undoing
from clew.adapters.databases.ddl.resolving import resolve
from clew.adapters.databases.ddl.scanning import Bytes, Lines, Statement, Unended, statements
from clew.core.schema.contracts import Snapshot, Unread
from clew.core.schema.protocols import Wishes
from clew.errors import Unreachable, UsageError

# What stands behind the last question mark of a URL, where it is no part of the file's name.
_OPTIONS = re.compile(r"\?[A-Za-z_]+=[^/?]*\Z")
_CASE_COUNTS = frozenset({"postgres", "oracle", "snowflake", "redshift", "bigquery", "materialize", "risingwave"})
_SUFFIXES = frozenset({".sql", ".ddl", ".dump", ".psql", ".pgsql", ".mysql", ".tsql"})
_GZIP, _CUSTOM_DUMP, _SQLITE = b"\x1f\x8b", b"PGDMP", b"SQLite format 3\0"
# What is named of a broken statement: enough to find it.
_SHOWN = 60
# After broken statements, so many bytes, and so many times the file, may be looked at again.
_AGAIN, _AGAIN_TIMES = 2_000_000, 2
# So many statements that could not be read are named one by one.
_MOST_UNREAD = 100
# And so many warnings of tables that have something broken in them.
_MOST_WARNINGS = 20


def reflect_ddl(name: str, url: str, wishes: Wishes) -> Snapshot:
    """The snapshot that DDL files describe. Raises UsageError for an unknown dialect, Unreachable where no file is."""
    path, dialect = _asked(url)
    files = _files(path)
    warnings: list[str] = []
    if not dialect:
        dialect = guessed_dialect(files)
        warnings.append(f"{path.name} was read as {dialect}; ?dialect=… at the end of the URL says another")
    lexicon = lexicon_of(dialect)
    reading = Reading(Catalog(ignores_case=dialect not in _CASE_COUNTS), lexicon)
    for file in files:
        with _bytes_of(file) as data:
            _read_file(without_undoing(data), file.name, reading)
    for change, table, what in reading.waiting:
        if not change():
            reading.catalog.unread.append(Unread(name=table, reason=f"{what} of a table that no statement creates"))
    warnings += _some(reading.warnings)
    tables, default = resolve(reading.catalog, lexicon)
    if not tables and not reading.catalog.unread:
        warnings.append(f"no statement in {path.name} makes a table")
    if wishes.schemas:
        wanted = {schema.lower() for schema in wishes.schemas}
        tables = tuple(table for table in tables if (table.schema_name or default).lower() in wanted)
    return Snapshot(
        datasource=name,
        dialect=dialect,
        tables=tables,
        default_schema=default,
        unread=_bounded(reading.catalog.unread),
        warnings=tuple(warnings),
    )


def _asked(url: str) -> tuple[Path, str]:
    """The path and dialect of a URL."""
    rest = url.partition(":")[2]
    path, _, options = rest.rpartition("?") if _OPTIONS.search(rest) else (rest, "", "")
    given = dict(parse_qsl(options, keep_blank_values=True))
    if unknown := [name for name in given if name not in ("dialect", "encoding")]:
        raise UsageError(
            f"the URL of a DDL file has no option {unknown[0]}", "there is ?dialect=…, such as ddl:schema.sql?dialect=postgres"
        )
    dialect = given.get("dialect", "").lower()
    dialect = ALIASES.get(dialect, dialect)
    if dialect and dialect not in MAIN_DIALECTS and not _is_known(dialect):
        raise UsageError(f"no SQL dialect is called {dialect}", f"use one of {', '.join(MAIN_DIALECTS)}, or another that sqlglot knows")
    path = path.removeprefix("//")
    found = Path(path) if Path(path).exists() else Path(unquote(path))
    return found.expanduser(), dialect


def _is_known(dialect: str) -> bool:
    import sqlglot

    return sqlglot.Dialect.get(dialect) is not None


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = (file for file in path.rglob("*") if _is_sql(file) and file.is_file() and not _is_hidden(file, path))
        files = sorted((file for file in found if not undoes(file)), key=lambda file: in_order(file.relative_to(path)))
        if not files:
            raise Unreachable(f"there is no .sql file in {path}", "a folder is read for " + ", ".join(sorted(_SUFFIXES)))
        return files
    if not path.is_file():
        raise Unreachable(
            f"there is no file {path}",
            "the URL is ddl:FILE?dialect=postgres or ddl:FOLDER?dialect=…; a folder is read whole, patterns are not taken",
        )
    return [path]


def _is_sql(file: Path) -> bool:
    return (Path(file.stem) if file.suffix.lower() == ".gz" else file).suffix.lower() in _SUFFIXES


def _is_hidden(file: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(root).parts)


@contextmanager
def _bytes_of(file: Path) -> Iterator[Bytes]:
    """A file's bytes, in memory only as far as they are looked at; UTF-16, as SQL Server's tools write it, is made UTF-8."""
    try:
        with file.open("rb") as stream:
            start = stream.read(len(_SQLITE))
            stream.seek(0)
            _refuse(file, start)
            if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
                yield stream.read().decode("utf-16", "replace").encode()
            elif start.startswith(_GZIP):
                yield gzip.decompress(stream.read())
            elif not start:
                yield b""
            else:
                with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                    yield mapped
    except (OSError, EOFError, zlib.error) as fault:
        raise Unreachable(f"{file} cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault


def _refuse(file: Path, start: bytes) -> None:
    """Say what to do with a file that is no text of statements. Raises UsageError."""
    if start.startswith(_CUSTOM_DUMP):
        raise UsageError(f"{file.name} is a dump of pg_dump's own format, not SQL", f"pg_restore --schema-only -f schema.sql {file.name}")
    if start == _SQLITE:
        raise UsageError(f"{file.name} is an SQLite database, not SQL", "register it as sqlite:///PATH")


def _read_file(data: Bytes, file: str, reading: Reading) -> None:
    """Read a file's statements; after a broken one from where the next seems to begin, as long as that stays in proportion to the file."""
    lines, left = Lines(data), _AGAIN + len(data) * _AGAIN_TIMES
    position: int | None = 0
    while position is not None and left > 0:
        reached, position = _read_from(data, position, file, lines, reading)
        left -= reached - (reached if position is None else position)
    if position is not None:
        reason = f"from line {lines.of(position)} of {file} on: too much of it is broken"
        reading.catalog.unread.append(Unread(name="the rest", reason=reason))


def _read_from(data: Bytes, position: int, file: str, lines: Lines, reading: Reading) -> tuple[int, int | None]:
    """Read statements from a position on. Returns how far was looked, and where to go on after what is broken, None at the end."""
    for statement in statements(data, reading.lexicon, position):
        if isinstance(statement, Unended):
            shown = bytes(data[statement.start : statement.start + _SHOWN]).partition(b"\n")[0].decode("utf-8", "replace")
            reading.catalog.unread.append(
                Unread(name=shown.strip(), reason=f"line {lines.of(statement.start)} of {file}: {statement.what}")
            )
            return statement.looked, statement.resume
        reading.where = partial(_where, statement, lines, file)
        broken = read_statement(statement.text, statement.lead, reading)
        if broken:
            reason = f"{reading.where(broken.at)}: {broken.reason}"
            reading.catalog.unread.append(_unread(statement.text[broken.at :], reason, reading))
            if broken.resume is not None:
                return statement.end, _byte_at(statement, broken.resume)
    return len(data), None


def _where(statement: Statement, lines: Lines, file: str, character: int) -> str:
    return f"line {lines.of(_byte_at(statement, character))} of {file}"


def _byte_at(statement: Statement, character: int) -> int:
    return statement.start + len(statement.text[:character].encode(statement.encoding, "replace"))


def _unread(text: str, reason: str, reading: Reading) -> Unread:
    name = named_in(text, reading.lexicon)
    shown = " ".join(text[: _SHOWN * 3].split())[:_SHOWN]
    return Unread(schema_name=name[-2] if len(name) > 1 else "", name=name[-1] if name else shown, reason=reason)


def _some(warnings: list[str]) -> list[str]:
    """So many warnings as are read."""
    more = len(warnings) - _MOST_WARNINGS
    return warnings if more <= 0 else [*warnings[:_MOST_WARNINGS], f"{more} more tables have something broken in them: `clew db show`"]


def _bounded(unread: list[Unread]) -> tuple[Unread, ...]:
    """What is named of what could not be read; of a file in another dialect that may be every statement."""
    if len(unread) <= _MOST_UNREAD:
        return tuple(unread)
    more = Unread(
        name=f"{len(unread) - _MOST_UNREAD} more", reason="is this the right dialect? ?dialect=… at the end of the URL says another"
    )
    return (*unread[:_MOST_UNREAD], more)
