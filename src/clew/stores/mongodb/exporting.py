"""What does a namespace's state show of some files, all of it? Records, chunks, outlines and vectors, for another store."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from clew.core.catalog import FileUpdate
from clew.stores.copying import Stored
from clew.stores.mongodb import reading
from clew.stores.mongodb.documents import WHOLE, chunk_of
from clew.stores.mongodb.encoding import packed, unpacked, unpacked_outline, unpacked_vector
from clew.stores.mongodb.indexes import OUTLINES
from clew.stores.mongodb.state import PRIMARY, State

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from clew.core.chunk import Chunk
    from clew.core.document import Definition, Reference
    from clew.stores.mongodb.build import Parts


def stored(parts: Parts, state: State, paths: Collection[str]) -> dict[str, Stored]:
    """Files as they are, by path."""
    names = [packed(path) for path in paths]
    database, seen = parts.connection.database, {**reading.alive(state), "file_path": {"$in": names}}
    fields = dict.fromkeys((*WHOLE, "checksum", "spaces", parts.vector_path), 1)
    chunks: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in database[PRIMARY].find(seen, fields):
        chunks[unpacked(one["file_path"])].append(one)
    beside = {space.fingerprint: _beside(parts, space.fingerprint, chunks) for space in state.spaces}
    outlines: dict[str, tuple[tuple[Definition, ...], tuple[Reference, ...]]] = {
        unpacked(one["file_path"]): unpacked_outline(one["content"]) for one in database[OUTLINES].find(seen)
    }
    found = {}
    for path, record in reading.files(parts.connection, state, paths).items():
        definitions, references = outlines.get(path, ((), ()))
        vectors = {
            space.fingerprint: {
                one["checksum"]: _vector(one, parts.vector_path, beside[space.fingerprint], space.dims)
                for one in chunks[path]
                if space.fingerprint in one["spaces"]
            }
            for space in state.spaces
        }
        found[path] = Stored(FileUpdate(record, _in_order(map(chunk_of, chunks[path])), definitions, references), vectors)
    return found


def _beside(parts: Parts, fingerprint: str, chunks: dict[str, list[dict[str, Any]]]) -> dict[str, Any] | None:
    """The vectors of a space that live in a collection of their own, by the chunk's `_id`; None for the space whose vectors the chunks hold."""
    collection = parts.homes.of(fingerprint)
    if collection == PRIMARY:
        return None
    keys = [one["_id"] for some in chunks.values() for one in some]
    return {one["_id"]: one for one in parts.connection.database[collection].find({"_id": {"$in": keys}}, {parts.vector_path: 1})}


def _vector(one: dict[str, Any], path: str, beside: dict[str, Any] | None, dims: int) -> Any:
    import numpy as np

    held = one if beside is None else beside.get(one["_id"], {})
    return unpacked_vector(held[path]) if path in held else np.zeros(dims, np.float32)


def _in_order(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    return tuple(sorted(chunks, key=lambda chunk: (chunk.line_start, chunk.id)))
