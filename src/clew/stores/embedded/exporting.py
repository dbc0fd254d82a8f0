"""What does the catalog hold of some files, all of it? Records, chunks, outlines and vectors, for another store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.core.catalog import FileUpdate
from clew.stores.copying import Stored
from clew.stores.embedded import reading
from clew.stores.embedded.embeddings import Embeddings, Recall, known_number
from clew.stores.embedded.encoding import checksum_of, packed, unpacked_outline
from clew.stores.embedded.writing import old_chunks

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Mapping

    from clew.core.catalog import Vector


def stored(connection: sqlite3.Connection, recall: Recall, namespace: str, paths: Collection[str]) -> dict[str, Stored]:
    """Files as they are, by path."""
    embeddings = Embeddings(connection, recall)
    numbers = {space: known_number(connection, space) for space in reading.spaces(connection, namespace)}
    found = {}
    for path, record in reading.files_at(connection, namespace, paths).items():
        file = connection.execute("SELECT file FROM files WHERE namespace = ? AND filepath = ?", (namespace, packed(path))).fetchone()[0]
        old = old_chunks(connection, file)
        content = connection.execute("SELECT content FROM outlines WHERE file = ?", (file,)).fetchone()
        definitions, references = unpacked_outline(content[0]) if content else ((), ())
        texts = {one.number: checksum_of(one.raw_checksum) for one in old}
        vectors = {space.fingerprint: _vectors(connection, embeddings, number, texts) for space, number in numbers.items()}
        found[path] = Stored(FileUpdate(record, tuple(one.chunk for one in old), definitions, references), vectors)
    return found


def _vectors(connection: sqlite3.Connection, embeddings: Embeddings, space: int, texts: Mapping[int, str]) -> dict[str, Vector]:
    import numpy as np

    found: dict[str, Vector] = {}
    for chunk, checksum in texts.items():
        embedded = connection.execute("SELECT 1 FROM embedded WHERE space = ? AND chunk = ?", (space, chunk)).fetchone()
        raw = embeddings.of_chunk(space, chunk) if embedded and checksum not in found else None
        if raw is not None:
            found[checksum] = np.frombuffer(raw, "<f4")
    return found
