"""How is a whole namespace forgotten? By statements over all of its rows: chunk by chunk it took four times as long."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clew.core.words import words
from clew.stores.embedded import rows
from clew.stores.embedded.catalog import set_meta
from clew.stores.embedded.encoding import SPACE_STEP
from clew.stores.embedded.writing import DELETE_WORDS, Work, begin, finish, word_count

if TYPE_CHECKING:
    import sqlite3

_BATCH = 2_000
"""Chunks whose words are in memory at once, some 10 MB."""
_ITS_CHUNKS = "SELECT chunk FROM chunks WHERE namespace = :namespace"


def forget(connection: sqlite3.Connection, namespace: str) -> None:
    """Delete everything under the namespace."""
    work = begin(connection)
    if connection.execute("SELECT 1 FROM files WHERE namespace != ? LIMIT 1", (namespace,)).fetchone() is None:
        _empty(connection, work)
    else:
        _empty_namespace(connection, work, namespace)
    for table in ("facts", "homes"):
        connection.execute(f"DELETE FROM {table} WHERE namespace = ?", (namespace,))
    finish(connection, work)


def _empty(connection: sqlite3.Connection, work: Work) -> None:
    """Delete all files and chunks, without a look at what stands there: it may be damaged."""
    connection.execute("INSERT OR IGNORE INTO gone SELECT chunk, checksum FROM chunks WHERE chunk <= ?", (work.settled,))
    connection.execute("INSERT OR IGNORE INTO stale SELECT namespace, id, chunk FROM chunks")
    connection.execute("INSERT INTO postings(postings) VALUES ('delete-all')")
    for table in ("embedded", "vectors", "texts", "chunks", "outlines", "files", "realms"):
        connection.execute(f"DELETE FROM {table}")
    set_meta(connection, "words", 0)


def _empty_namespace(connection: sqlite3.Connection, work: Work, namespace: str) -> None:
    """Delete the namespace's files and chunks. The words of each have to be read again: the postings do not hold them."""
    _forget_words(connection, work, namespace)
    its = {"namespace": namespace, "settled": work.settled}
    connection.execute("INSERT INTO gone SELECT chunk, checksum FROM chunks WHERE namespace = :namespace AND chunk <= :settled", its)
    connection.execute("INSERT OR IGNORE INTO stale SELECT namespace, id, chunk FROM chunks WHERE namespace = :namespace", its)
    for (space,) in connection.execute("SELECT space FROM spaces").fetchall():
        of_space = its | {"space": space, "first": space * SPACE_STEP}
        connection.execute(f"DELETE FROM embedded WHERE space = :space AND chunk IN ({_ITS_CHUNKS})", of_space)
        connection.execute(f"DELETE FROM vectors WHERE number IN (SELECT :first + chunk FROM ({_ITS_CHUNKS}))", of_space)
    connection.execute(f"DELETE FROM texts WHERE chunk IN ({_ITS_CHUNKS})", its)
    connection.execute("DELETE FROM outlines WHERE file IN (SELECT file FROM files WHERE namespace = :namespace)", its)
    connection.execute("DELETE FROM chunks WHERE namespace = :namespace", its)
    connection.execute("DELETE FROM files WHERE namespace = :namespace", its)


def _forget_words(connection: sqlite3.Connection, work: Work, namespace: str) -> None:
    realms: Counter[tuple[str, str]] = Counter()
    reading = connection.execute(f"{rows.WHOLE} WHERE c.namespace = ? ORDER BY c.chunk", (namespace,))
    while batch := reading.fetchmany(_BATCH):
        found = [(row[0], words(rows.chunk_of(row))) for row in batch]
        connection.executemany(DELETE_WORDS, ((number, *each) for number, each in found))
        work.words -= sum(word_count(each) for _, each in found)
        realms.update((row[1], row[2]) for row in batch)
    work.realms.subtract(realms)
