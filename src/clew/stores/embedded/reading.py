"""What does the catalog know? Files, facts, counts, whole chunks, names, outlines; nothing here needs more than SQLite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from clew.core.catalog import Counts, FileRecord, Space
from clew.core.query import Filters
from clew.stores.embedded import rows
from clew.stores.embedded.catalog import meta
from clew.stores.embedded.embeddings import Embeddings, known_number
from clew.stores.embedded.encoding import digest, packed, unpacked, unpacked_outline
from clew.stores.filtering import paths_pass
from clew.stores.symbols import bare_name

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Sequence

    from clew.core.chunk import Chunk
    from clew.core.document import Definition, Reference
    from clew.core.query import Hit, Scope

Condition = tuple[str, list[str]]
"""A piece of SQL over the alias `c` of chunks, and its bound values."""


def restriction(connection: sqlite3.Connection, scope: Scope, filters: Filters) -> Condition:
    """Scope and filters as SQL; empty when every chunk of the store passes. The `+` keeps SQLite from entering by these columns."""
    parts, values = [], []
    if not covers_everything(connection, scope):
        parts.append("+c.namespace IN (SELECT value FROM json_each(?)) AND +c.visibility IN (SELECT value FROM json_each(?))")
        values += [json.dumps(scope.namespaces), json.dumps(scope.visibilities)]
    for column, allowed in (("language", filters.languages), ("symbol_type", filters.symbol_types)):
        if allowed:
            parts.append(f"lower(c.{column}) IN (SELECT value FROM json_each(?))")
            values.append(json.dumps([label.lower() for label in allowed]))
    if filters.paths:
        parts.append("+c.file IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(files_passing(connection, scope, filters)))
    return " AND ".join(parts), values


def covers_everything(connection: sqlite3.Connection, scope: Scope) -> bool:
    """Whether the scope lets every chunk of the store through."""
    realms = connection.execute("SELECT namespace, visibility FROM realms").fetchall()
    return all(namespace in scope.namespaces and visibility in scope.visibilities for namespace, visibility in realms)


def files_passing(connection: sqlite3.Connection, scope: Scope, filters: Filters) -> list[int]:
    """The numbers of the files that the path filters let through."""
    passes = paths_pass(filters.paths)
    found = connection.execute(
        "SELECT file, filepath FROM files WHERE namespace IN (SELECT value FROM json_each(?))", (json.dumps(scope.namespaces),)
    )
    return [file for file, filepath in found if passes(unpacked(filepath))]


def total(connection: sqlite3.Connection) -> int:
    """How many chunks are alive."""
    return int(connection.execute("SELECT coalesce(sum(chunks), 0) FROM realms").fetchone()[0])


def files(connection: sqlite3.Connection, namespace: str) -> dict[str, FileRecord]:
    """The namespace's file records by path."""
    records = map(rows.record_of, connection.execute(f"{rows.FILE} WHERE namespace = ? ORDER BY filepath", (namespace,)))
    return {record.filepath: record for record in records}


def files_at(connection: sqlite3.Connection, namespace: str, paths: Iterable[str]) -> dict[str, FileRecord]:
    """The records of some files by path."""
    query = f"{rows.FILE} WHERE namespace = ? AND filepath = ?"
    found = (connection.execute(query, (namespace, packed(path))).fetchone() for path in paths)
    return {record.filepath: record for record in map(rows.record_of, filter(None, found))}


def facts(connection: sqlite3.Connection, namespace: str) -> dict[str, str]:
    """The namespace's facts."""
    found = connection.execute("SELECT key, value FROM facts WHERE namespace = ? ORDER BY key", (namespace,))
    return {key: unpacked(value) for key, value in found}


def namespaces(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Every namespace that has a fact, a file or a chunk, in order."""
    found = connection.execute("SELECT namespace FROM facts UNION SELECT namespace FROM files ORDER BY 1")
    return tuple(name for (name,) in found)


def spaces(connection: sqlite3.Connection, namespace: str) -> tuple[Space, ...]:
    """The namespace's spaces, the first one first."""
    found = connection.execute(
        "SELECT fingerprint, model, dims FROM spaces JOIN homes USING (space) WHERE namespace = ? ORDER BY homes.rowid", (namespace,)
    )
    return tuple(Space(*row) for row in found)


def missing(connection: sqlite3.Connection, space: Space, checksums: Collection[str], embeddings: Embeddings) -> set[str]:
    """Checksums without an embedding in the space."""
    number = known_number(connection, space)
    if not number:
        return set(checksums)
    by_digest = {digest(checksum): checksum for checksum in checksums}
    known = embeddings.known(number, by_digest.keys())
    return {checksum for raw, checksum in by_digest.items() if raw not in known}


def table_names(connection: sqlite3.Connection) -> list[str]:
    """The tables of all spaces."""
    return [name for (name,) in connection.execute("SELECT name FROM spaces")]


def unembedded(connection: sqlite3.Connection, namespace: str, space: Space, limit: int, after: str) -> list[Chunk]:
    """Chunks without an embedding in the space, in order of id."""
    found = connection.execute(
        f"{rows.WHOLE} WHERE c.namespace = ? AND c.id > ? AND NOT EXISTS (SELECT 1 FROM embedded e WHERE e.space = ? AND e.chunk = c.chunk) "
        "ORDER BY c.id LIMIT ?",
        (namespace, after, known_number(connection, space), limit),
    )
    return [rows.chunk_of(row) for row in found]


def lacking(connection: sqlite3.Connection, space: int, scope: Scope) -> int:
    """How many chunks of the scope's namespaces have no vector in the space."""
    if covers_everything(connection, scope):
        embedded = connection.execute("SELECT count(*) FROM embedded WHERE space = ?", (space,)).fetchone()[0]
        return total(connection) - int(embedded)
    within = "namespace IN (SELECT value FROM json_each(?))"
    names = json.dumps(scope.namespaces)
    alive = connection.execute(f"SELECT coalesce(sum(chunks), 0) FROM realms WHERE {within}", (names,)).fetchone()[0]
    having = f"SELECT count(*) FROM embedded JOIN chunks USING (chunk) WHERE space = ? AND {within}"
    return int(alive - connection.execute(having, (space, names)).fetchone()[0])


def counts(connection: sqlite3.Connection, namespace: str, space: Space | None) -> Counts:
    """What the namespace holds."""

    def number(query: str, *values: object) -> int:
        return int(connection.execute(query, values).fetchone()[0])

    alive = number("SELECT coalesce(sum(chunks), 0) FROM realms WHERE namespace = ?", namespace)
    embedded, unsynced = 0, 0
    if space:
        which = known_number(connection, space)
        having = "SELECT count(*) FROM embedded e JOIN chunks c USING (chunk) WHERE e.space = ? AND c.namespace = ?"
        embedded = number(having, which, namespace)
        unsynced = number(f"{having} AND c.revision > (SELECT synced FROM spaces WHERE space = e.space)", which, namespace)
    languages = connection.execute(
        "SELECT language, count(*), sum(parsed) FROM files WHERE namespace = ? AND skipped = '' GROUP BY language ORDER BY language",
        (namespace,),
    )
    return Counts(
        files=number("SELECT count(*) FROM files WHERE namespace = ? AND skipped = ''", namespace),
        skipped=number("SELECT count(*) FROM files WHERE namespace = ? AND skipped != ''", namespace),
        chunks=alive,
        unembedded=alive - embedded if space else 0,
        unsynced=unsynced,
        generation=meta(connection, "generation"),
        languages={unpacked(name): (files, parsed) for name, files, parsed in languages},
    )


def whole_chunks(connection: sqlite3.Connection, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Chunk]:
    """The chunks under these (namespace, id) keys."""
    wanted: dict[str, list[str]] = {}
    for namespace, name in keys:
        wanted.setdefault(namespace, []).append(name)
    query = f"{rows.WHOLE} WHERE c.namespace = ? AND c.id IN (SELECT value FROM json_each(?))"
    chunks = [
        rows.chunk_of(row) for namespace, names in wanted.items() for row in connection.execute(query, (namespace, json.dumps(names)))
    ]
    return {(chunk.namespace, chunk.id): chunk for chunk in chunks}


def named(connection: sqlite3.Connection, scope: Scope, names: Collection[str], filters: Filters, limit: int) -> tuple[Hit, ...]:
    """Definitions by name or qualified name."""
    exact, folded = set(names), {name.casefold() for name in names}
    condition, values = restriction(connection, scope, filters)
    found = []
    for bare in sorted({bare_name(name) for name in folded}):
        query = f"{rows.HIT} WHERE c.bare = ? {'AND ' + condition if condition else ''}"
        for row in connection.execute(query, (packed(bare), *values)):
            fields = rows.hit_fields(row)
            known = {fields[3], bare_name(fields[3])}
            if folded & {name.casefold() for name in known}:
                found.append(rows.hit_of(fields, 1.0 if known & exact else 0.5))
    return tuple(sorted(set(found), key=lambda hit: (-hit.score, hit.key))[:limit])


def names(connection: sqlite3.Connection, scope: Scope) -> tuple[str, ...]:
    """The last parts of all definitions' names, case folded, in order."""
    condition, values = restriction(connection, scope, Filters())
    query = f"SELECT DISTINCT c.bare FROM chunks c WHERE c.bare IS NOT NULL {'AND ' + condition if condition else ''}"
    return tuple(sorted(unpacked(name) for (name,) in connection.execute(query, values)))


def at(connection: sqlite3.Connection, scope: Scope, filepaths: Iterable[str], line: int, filters: Filters) -> tuple[Hit, ...]:
    """The chunks of these files that hold a line; the first one for lines before it."""
    condition, values = restriction(connection, scope, filters)
    query = f"{rows.HIT} WHERE c.file = ? AND ? BETWEEN c.line_start AND c.line_end {'AND ' + condition if condition else ''}"
    begins = "SELECT file, min(line_start) FROM files JOIN chunks USING (file) WHERE files.namespace = ? AND filepath = ? GROUP BY file"
    found = [
        rows.hit_of(rows.hit_fields(row), 1.0)
        for filepath in filepaths
        for namespace in scope.namespaces
        for file, first in connection.execute(begins, (namespace, packed(filepath)))
        for row in connection.execute(query, (file, max(line, first), *values))
    ]
    return tuple(sorted(found, key=lambda hit: (hit.filepath, hit.line_start, hit.key)))


def outline(connection: sqlite3.Connection, scope: Scope, filepath: str) -> tuple[tuple[Definition, ...], tuple[Reference, ...]]:
    """Definitions and references of the file, of the first namespace in scope that shows it."""
    for namespace in scope.namespaces:
        row = connection.execute("SELECT file FROM files WHERE namespace = ? AND filepath = ?", (namespace, packed(filepath))).fetchone()
        if row and _shown(connection, row[0], scope.visibilities):
            content = connection.execute("SELECT content FROM outlines WHERE file = ?", row).fetchone()
            return unpacked_outline(content[0]) if content else ((), ())
    return (), ()


def outlines(connection: sqlite3.Connection, scope: Scope) -> list[tuple[str, tuple[Definition, ...], tuple[Reference, ...]]]:
    """The outline of every file that is shown and has one, in order of path; of a path in several namespaces, what the first one has."""
    hidden = "SELECT 1 FROM chunks c WHERE c.file = f.file AND c.visibility NOT IN (SELECT value FROM json_each(?))"
    whole = "" if covers_everything(connection, scope) else f"AND NOT EXISTS ({hidden})"
    query = f"SELECT f.filepath, o.content FROM files f LEFT JOIN outlines o USING (file) WHERE f.namespace = ? {whole}"
    seen: dict[str, bytes | None] = {}
    for namespace in scope.namespaces:
        values = (namespace, json.dumps(scope.visibilities)) if whole else (namespace,)
        for filepath, content in connection.execute(query, values):
            seen.setdefault(unpacked(filepath), content)
    return [(filepath, *unpacked_outline(content)) for filepath, content in sorted(seen.items()) if content is not None]


def _shown(connection: sqlite3.Connection, file: int, visibilities: Sequence[str]) -> bool:
    found = connection.execute("SELECT DISTINCT visibility FROM chunks WHERE file = ?", (file,))
    return all(visibility in visibilities for (visibility,) in found)
