"""How does the catalog take in a change? Within one transaction: files, chunks, words, vectors, counters."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from clew.core.catalog import Applied, Changes, FileUpdate, Space
from clew.core.chunk import Chunk
from clew.core.words import Words, words
from clew.stores.embedded import rows
from clew.stores.embedded.catalog import meta, set_meta
from clew.stores.embedded.embeddings import Embeddings, Recall, packed_vector, space_number
from clew.stores.embedded.encoding import digest, packed, packed_outline

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping

    from clew.core.catalog import Vector

DELETE_WORDS = "INSERT INTO postings(postings, rowid, name, parent, docs, body, stem, folder) VALUES ('delete', ?, ?, ?, ?, ?, ?, ?)"
_INSERT_WORDS = "INSERT INTO postings(rowid, name, parent, docs, body, stem, folder) VALUES (?, ?, ?, ?, ?, ?, ?)"


_but_when: Callable[[Chunk], tuple[object, ...]] = attrgetter(*(field.name for field in fields(Chunk) if field.name != "indexed_at"))
"""All of a chunk but when it was indexed: several times as fast to compare as two chunks."""


class Old(NamedTuple):
    """A chunk as the catalog holds it."""

    number: int
    chunk: Chunk
    raw_checksum: bytes


@dataclass(slots=True)
class Work:
    """What one transaction has gathered so far."""

    generation: int
    settled: int
    first_new: int
    next_number: int
    realms: Counter[tuple[str, str]] = field(default_factory=Counter)
    words: int = 0
    indexed: list[tuple[int, Words]] = field(default_factory=list)
    doomed: list[Old] = field(default_factory=list)
    emptied: list[int] = field(default_factory=list)
    fresh: list[tuple[int, int, Chunk, bytes]] = field(default_factory=list)
    moved: list[tuple[Old, Chunk]] = field(default_factory=list)
    given: dict[bytes, bytes] = field(default_factory=dict)
    wanting: list[tuple[int, bytes]] = field(default_factory=list)
    added: int = 0
    kept: int = 0
    deleted: int = 0


def begin(connection: sqlite3.Connection) -> Work:
    """The state that a change starts from."""
    last = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunks'").fetchone()[0]
    return Work(meta(connection, "generation") + 1, meta(connection, "settled"), last + 1, last + 1)


def apply(connection: sqlite3.Connection, changes: Changes, recall: Recall) -> tuple[Applied, Work]:
    """Carry out the changes; `recall` is what the snapshot holds."""
    work = begin(connection)
    space = space_number(connection, changes.namespace, changes.space) if changes.space else 0
    embeddings = Embeddings(connection, recall)
    for record in changes.touched:
        connection.execute(
            "UPDATE files SET size = ?, mtime_ns = ?, checksum = ?, language = ?, parsed = ?, skipped = ?, note = ? "
            "WHERE namespace = ? AND filepath = ?",
            (*rows.record_values(record), changes.namespace, packed(record.filepath)),
        )
    replaced = {update.record.filepath for update in changes.updates}
    for filepath in dict.fromkeys(changes.deleted):
        if filepath not in replaced:
            _drop_file(connection, work, changes.namespace, filepath)
    for update in {update.record.filepath: update for update in changes.updates}.values():
        _match(connection, work, changes, update)
    found = embeddings.find(work.wanting, work.given, space, work.first_new)
    _delete(connection, work)
    _move_chunks(connection, work)
    _insert_chunks(connection, work)
    embeddings.store(found)
    _revise(connection, work, (chunk for _, chunk, _ in found if chunk < work.first_new))
    for key, value in changes.facts.items():
        connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (changes.namespace, key, packed(value)))
    finish(connection, work)
    return Applied(work.added, work.kept, work.deleted, work.generation), work


def add_vectors(connection: sqlite3.Connection, namespace: str, space: Space, vectors: Mapping[str, Vector]) -> int:
    """Give vectors to chunks of the namespace that have none in the space."""
    work = begin(connection)
    number = space_number(connection, namespace, space)
    found = []
    for checksum, vector in vectors.items():
        lacking = connection.execute(
            "SELECT chunk FROM chunks c WHERE checksum = ? AND namespace = ? "
            "AND NOT EXISTS (SELECT 1 FROM embedded e WHERE e.space = ? AND e.chunk = c.chunk)",
            (digest(checksum), namespace, number),
        ).fetchall()
        raw = packed_vector(vector, space.dims)
        found += [(number, chunk, raw) for (chunk,) in lacking]
    Embeddings(connection, None).store(found)
    _revise(connection, work, (chunk for _, chunk, _ in found))
    if found:
        finish(connection, work)
    return len(found)


def finish(connection: sqlite3.Connection, work: Work) -> None:
    """Bring the counters up to what was done."""
    for (namespace, visibility), more in work.realms.items():
        connection.execute(
            "INSERT INTO realms VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET chunks = chunks + excluded.chunks", (namespace, visibility, more)
        )
    connection.execute("DELETE FROM realms WHERE chunks = 0")
    set_meta(connection, "words", meta(connection, "words") + work.words)
    set_meta(connection, "generation", work.generation)


def old_chunks(connection: sqlite3.Connection, file: int) -> list[Old]:
    """The chunks that the catalog holds of a file, in order of line."""
    found = connection.execute(f"{rows.WHOLE} WHERE c.file = ? ORDER BY c.line_start, c.chunk", (file,)).fetchall()
    return [Old(row[0], rows.chunk_of(row), row[18]) for row in found]


def reindex_words(connection: sqlite3.Connection) -> None:
    """Make all postings again, where the analysis of text has changed since they were made."""
    connection.execute("INSERT INTO postings(postings) VALUES ('delete-all')")
    total = 0
    for row in connection.execute(rows.WHOLE):
        found = words(rows.chunk_of(row))
        connection.execute(_INSERT_WORDS, (row[0], *found))
        total += word_count(found)
    set_meta(connection, "words", total)
    set_meta(connection, "generation", meta(connection, "generation") + 1)


def word_count(found: Words) -> int:
    """A chunk's length as BM25 sees it: its words in all fields."""
    return sum(text.count(" ") + 1 if text.isascii() else len(text.split()) for text in found if text)


def _drop_file(connection: sqlite3.Connection, work: Work, namespace: str, filepath: str | bytes) -> None:
    name = packed(filepath) if isinstance(filepath, str) else filepath
    row = connection.execute("SELECT file FROM files WHERE namespace = ? AND filepath = ?", (namespace, name)).fetchone()
    if row is None:
        return
    old = old_chunks(connection, row[0])
    work.doomed += old
    work.deleted += len(old)
    connection.execute("DELETE FROM outlines WHERE file = ?", row)
    work.emptied.append(row[0])


def _match(connection: sqlite3.Connection, work: Work, changes: Changes, update: FileUpdate) -> None:
    """Find out which chunks of the file stay, move, come and go."""
    file, known = _file_number(connection, changes.namespace, update)
    old = old_chunks(connection, file) if known else []
    spare: defaultdict[tuple[object, ...], list[Old]] = defaultdict(list)
    for one in reversed(old):
        spare[_identity(one.chunk, one.raw_checksum)].append(one)
    new_texts: Counter[bytes] = Counter()
    vectors = update.vectors or (None,) * len(update.chunks)
    for bare, vector in zip(update.chunks, vectors, strict=True):
        chunk = bare if bare.namespace == changes.namespace else replace(bare, namespace=changes.namespace)
        raw = digest(chunk.checksum)
        new_texts[raw] += 1
        if vector is not None and changes.space:
            work.given.setdefault(raw, packed_vector(vector, changes.space.dims))
        same = spare[_identity(chunk, raw)] if old else None
        number = same[-1].number if same else work.next_number
        if same:
            _keep(work, same.pop(), chunk)
        else:
            work.next_number += 1
            work.fresh.append((number, file, chunk, raw))
        work.wanting.append((number, raw))
    work.doomed += [one for left in spare.values() for one in left]
    old_texts = Counter(one.raw_checksum for one in old)
    kept = (old_texts & new_texts).total()
    work.kept += kept
    work.added += len(update.chunks) - kept
    work.deleted += len(old) - kept


def _file_number(connection: sqlite3.Connection, namespace: str, update: FileUpdate) -> tuple[int, bool]:
    """The file's number, and whether it was there; its record and outline are brought up to date."""
    path = packed(update.record.filepath)
    row = connection.execute("SELECT file FROM files WHERE namespace = ? AND filepath = ?", (namespace, path)).fetchone()
    file: int = connection.execute(
        "INSERT INTO files(namespace, filepath, size, mtime_ns, checksum, language, parsed, skipped, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns, checksum = excluded.checksum, "
        "language = excluded.language, parsed = excluded.parsed, skipped = excluded.skipped, note = excluded.note RETURNING file",
        (namespace, path, *rows.record_values(update.record)),
    ).fetchone()[0]
    if update.definitions or update.references:
        content = packed_outline(update.definitions, update.references)
        connection.execute("INSERT OR REPLACE INTO outlines VALUES (?, ?)", (file, content))
    elif row:
        connection.execute("DELETE FROM outlines WHERE file = ?", (file,))
    return file, row is not None


def _identity(chunk: Chunk, raw_checksum: bytes) -> tuple[object, ...]:
    """What must be equal for a chunk to keep its number: all that its words, vectors and filters depend on."""
    name = "" if chunk.symbol_type == "block" else chunk.symbol_name
    return (raw_checksum, name, chunk.parent, chunk.docstring, chunk.code, chunk.symbol_type, chunk.language, chunk.visibility)


def _keep(work: Work, old: Old, chunk: Chunk) -> None:
    if _but_when(old.chunk) != _but_when(chunk):
        work.moved.append((old, chunk))


def _delete(connection: sqlite3.Connection, work: Work) -> None:
    """Delete the doomed chunks, then the files that were dropped."""
    for number, chunk, raw_checksum in work.doomed:
        found = words(chunk)
        connection.execute(DELETE_WORDS, (number, *found))
        work.words -= word_count(found)
        work.realms[(chunk.namespace, chunk.visibility)] -= 1
        if number <= work.settled:
            connection.execute("INSERT INTO gone VALUES (?, ?)", (number, raw_checksum))
        _log_stale(connection, chunk, number)
        _delete_rows(connection, number)
    connection.executemany("DELETE FROM files WHERE file = ?", ((file,) for file in work.emptied))
    work.doomed.clear()
    work.emptied.clear()


def _revise(connection: sqlite3.Connection, work: Work, chunks: Iterable[int]) -> None:
    """Note that rows of the vector table are out of date."""
    connection.executemany("UPDATE chunks SET revision = ? WHERE chunk = ?", ((work.generation, chunk) for chunk in chunks))


def _delete_rows(connection: sqlite3.Connection, number: int) -> None:
    for table in ("chunks", "texts"):
        connection.execute(f"DELETE FROM {table} WHERE chunk = ?", (number,))
    Embeddings.drop(connection, number)


def _log_stale(connection: sqlite3.Connection, chunk: Chunk, number: int) -> None:
    """The vector table may know the chunk under this key; the first meaning of a key since then counts."""
    connection.execute("INSERT OR IGNORE INTO stale VALUES (?, ?, ?)", (chunk.namespace, chunk.id, number))


def _move_chunks(connection: sqlite3.Connection, work: Work) -> None:
    """Ids may change places among the moved, so each first gives up its own."""
    for old, chunk in work.moved:
        if old.chunk.id != chunk.id:
            _log_stale(connection, old.chunk, old.number)
            connection.execute("UPDATE chunks SET id = ? WHERE chunk = ?", (f"~{old.number}", old.number))
    for old, chunk in work.moved:
        connection.execute(
            "UPDATE chunks SET id = ?, symbol_name = ?, line_start = ?, line_end = ?, bare = ?, revision = ? WHERE chunk = ?",
            (chunk.id, packed(chunk.symbol_name), chunk.line_start, chunk.line_end, rows.folded_name(chunk), work.generation, old.number),
        )
        connection.execute("DELETE FROM texts WHERE chunk = ?", (old.number,))
        connection.execute(rows.INSERT_TEXT, rows.text_row(old.number, chunk))


def _insert_chunks(connection: sqlite3.Connection, work: Work) -> None:
    for number, _, chunk, _ in work.fresh:
        found = words(chunk)
        work.indexed.append((number, found))
        work.words += word_count(found)
        work.realms[(chunk.namespace, chunk.visibility)] += 1
    connection.executemany(rows.INSERT_CHUNK, (rows.light_row(n, file, chunk, raw, work.generation) for n, file, chunk, raw in work.fresh))
    connection.executemany(rows.INSERT_TEXT, (rows.text_row(number, chunk) for number, _, chunk, _ in work.fresh))
    connection.executemany(_INSERT_WORDS, ((number, *found) for number, found in work.indexed))
