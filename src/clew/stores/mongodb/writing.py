"""How does a build take in a change? Files, chunks, outlines, vectors; what has not changed is not written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from clew.core.catalog import Applied, Changes, FileUpdate, Space
from clew.core.chunk import Chunk
from clew.stores.mongodb.build import Build
from clew.stores.mongodb.documents import Document, chunk_document, digest, file_document, file_key, light, record_of
from clew.stores.mongodb.encoding import packed, packed_outline, packed_vector, unpacked, unpacked_vector
from clew.stores.mongodb.indexes import FILES, OUTLINES
from clew.stores.mongodb.state import PRIMARY, Last

if TYPE_CHECKING:
    from clew.core.catalog import Vector

AT_ONCE = 500
"""Files, or texts, that are looked up with one command."""
_OLD = ("id", "file_path", "checksum", "digest", "spaces", "visibility", "length")
_LIGHT = (
    "namespace_id", "id", "file_path", "path_nfc", "start_line", "end_line", "symbol_name", "language", "symbol_type", "written",
    "parent", "visibility", "checksum", "born", "died",
)  # fmt: skip

Known = dict[str, dict[str, "Vector"]]
"""Vectors by fingerprint and checksum."""


class Fresh(NamedTuple):
    """A chunk that is to be written, with its checksum."""

    chunk: Chunk
    checksum: str


@dataclass(slots=True)
class Work:
    """What is to be done with the chunks of some files."""

    fresh: dict[str, list[Fresh]] = field(default_factory=lambda: defaultdict(list))
    doomed: dict[str, list[Document]] = field(default_factory=lambda: defaultdict(list))
    staying: list[Document] = field(default_factory=list)
    given: dict[str, Vector] = field(default_factory=dict)


def check(changes: Changes) -> None:
    """Raise ValueError for two chunks of one key or a vector of a wrong size, before anything is written."""
    for update in changes.updates:
        if len({chunk.id for chunk in update.chunks}) < len(update.chunks):
            raise ValueError(f"two chunks of {update.record.filepath} have one id")
        for vector in update.vectors:
            if vector is not None and changes.space is not None and len(vector) != changes.space.dims:
                raise ValueError(f"a vector of {len(vector)} numbers in a space of {changes.space.dims}")


def apply(build: Build, changes: Changes) -> Applied:
    """Carry out changes within a build."""
    build.touch()
    if changes.space:
        use_space(build, changes.space)
    updates = {update.record.filepath: update for update in changes.updates}
    replaced = list(dict.fromkeys((*changes.deleted, *updates)))
    old = _old_chunks(build, replaced)
    work = Work()
    for path in replaced:
        _compare(work, build.namespace, updates.get(path), path, old.get(path, {}))
    _write_chunks(build, work, changes.space)
    _write_files(build, changes, updates)
    build.state = replace(build.state, facts={**build.state.facts, **changes.facts})
    before = Counter((path, one["checksum"]) for path, ones in old.items() for one in ones.values())
    after = Counter((path, chunk.checksum) for path, update in updates.items() for chunk in update.chunks)
    kept = (before & after).total()
    return Applied(after.total() - kept, kept, before.total() - kept, build.number)


def forget(build: Build) -> None:
    """Let everything of the namespace die."""
    build.touch()
    for collection in build.collections:
        build.end(collection, {})
    build.empty()


def use_space(build: Build, space: Space) -> str:
    """Make a space one of the namespace's; returns its collection."""
    collection = build.parts.homes.made(space)
    build.parts.indexes.make_vectors(collection, space, build.before.chunks)
    if space not in build.state.spaces:
        build.state = replace(build.state, spaces=(*build.state.spaces, space))
    return collection


def add_vectors(build: Build, space: Space, vectors: Mapping[str, Vector]) -> int:
    """Give vectors, by checksum, to living chunks that have none in the space; returns to how many."""
    for vector in vectors.values():
        if len(vector) != space.dims:
            raise ValueError(f"a vector of {len(vector)} numbers in a space of {space.dims}")
    chunks = build.parts.connection.database[PRIMARY]
    lacking: list[Document] = []
    with build.parts.connection.faults():
        for some in _some(vectors):
            query = {**build.alive, "checksum": {"$in": some}, "spaces": {"$ne": space.fingerprint}}
            lacking += chunks.find(query, dict.fromkeys(_LIGHT, 1))
    if lacking:
        build.touch()
        use_space(build, space)
        _give(build, lacking, {space.fingerprint: dict(vectors)})
    return len(lacking)


def forget_space(build: Build, space: Space) -> None:
    """Take the namespace's vectors in a space away."""
    build.touch()
    collection = build.parts.homes.of(space.fingerprint)
    with build.parts.connection.faults():
        if collection and collection != PRIMARY:
            build.parts.connection.database[collection].delete_many({"namespace_id": build.namespace})
        gone = {"$unset": {build.parts.vector_path: "", "model": ""}} if collection == PRIMARY else {}
        build.parts.connection.database[PRIMARY].update_many(
            {"namespace_id": build.namespace, "spaces": space.fingerprint}, {**gone, "$pull": {"spaces": space.fingerprint}}
        )
    build.forget_space(space)


def _old_chunks(build: Build, paths: Iterable[str]) -> dict[str, dict[str, Document]]:
    """What stands under these paths, by path and id."""
    found: dict[str, dict[str, Document]] = {}
    by_name = {packed(path): path for path in paths}
    with build.parts.connection.faults():
        for some in _some(by_name):
            for one in build.parts.connection.database[PRIMARY].find({**build.alive, "file_path": {"$in": some}}, dict.fromkeys(_OLD, 1)):
                found.setdefault(by_name[one["file_path"]], {})[one["id"]] = one
    return found


def _compare(work: Work, namespace: str, update: FileUpdate | None, path: str, old: Mapping[str, Document]) -> None:
    """Which chunks of a file stay, come and go."""
    chunks = update.chunks if update else ()
    vectors = (update.vectors if update else ()) or (None,) * len(chunks)
    stays = set()
    for bare, vector in zip(chunks, vectors, strict=True):
        chunk = bare if bare.namespace == namespace else replace(bare, namespace=namespace)
        checksum = chunk.checksum
        if vector is not None:
            work.given[checksum] = vector
        same = old.get(chunk.id)
        if same is not None and same["digest"] == digest(chunk):
            work.staying.append(same)
            stays.add(chunk.id)
        else:
            work.fresh[path].append(Fresh(chunk, checksum))
    work.doomed[path] = [one for name, one in old.items() if name not in stays]


def _write_chunks(build: Build, work: Work, space: Space | None) -> None:
    known = _known(build, work, space)
    beside: dict[str, list[Document]] = defaultdict(list)
    build.write(PRIMARY, _chunk_writes(build, work, known, beside))
    doomed = [one["_id"] for ones in work.doomed.values() for one in ones]
    for collection in build.parts.homes.beside() if doomed else ():
        for some in _some(doomed):
            build.end(collection, {"_id": {"$in": some}})
    for collection, documents in beside.items():
        build.write(collection, map(_put, documents))
    _give(build, work.staying, known)


def _chunk_writes(build: Build, work: Work, known: Known, beside: dict[str, list[Document]]) -> Iterator[Any]:
    """The writes of each file together: its old chunks go, its new ones come."""
    from pymongo import DeleteMany, UpdateMany

    for path in work.doomed:
        doomed = work.doomed[path]
        own = f"/{build.number}"
        mine = [one["_id"] for one in doomed if one["_id"].endswith(own)]
        others = [one["_id"] for one in doomed if not one["_id"].endswith(own)]
        if mine:
            yield DeleteMany({"_id": {"$in": mine}})
        if others:
            yield UpdateMany({"_id": {"$in": others}}, {"$set": {"died": build.number}})
        for one in doomed:
            if build.state.last is not None and build.state.last.id == one["id"]:
                build.state = replace(build.state, last=None)  # it will not be shown any more: counts alone tell how far the indexes are
            build.count(one["visibility"], -1, -one["length"])
            for fingerprint in one["spaces"]:
                build.count_embedded(fingerprint, -1)
        for chunk, checksum in work.fresh.get(path, ()):
            document = chunk_document(chunk, build.number)
            _embed(build, document, chunk, checksum, known, beside)
            build.count(chunk.visibility, 1, document["length"])
            build.state = replace(build.state, last=Last(build.namespace, chunk.id, path, build.number, _near_something(checksum, known)))
            yield _put(document)


def _near_something(checksum: str, known: Known) -> tuple[str, ...]:
    """The spaces in which a text has a vector with a direction."""
    return tuple(fingerprint for fingerprint, vectors in known.items() if (vector := vectors.get(checksum)) is not None and vector.any())


def _embed(build: Build, document: Document, chunk: Chunk, checksum: str, known: Known, beside: dict[str, list[Document]]) -> None:
    """Put the vectors that are known of a text into its document, or beside it."""
    for fingerprint, vectors in known.items():
        vector = vectors.get(checksum)
        if vector is None:
            continue
        collection = build.parts.homes.of(fingerprint)
        where = {build.parts.vector_path: packed_vector(vector)} if vector.any() else {}  # one without a direction is near nothing
        document["spaces"].append(fingerprint)
        build.count_embedded(fingerprint, 1)
        if collection == PRIMARY:
            document.update(where, model=fingerprint)
        else:
            beside[collection].append({**light(chunk, build.number), **where, "model": fingerprint})


def _give(build: Build, staying: Iterable[Document], known: Known) -> None:
    """Add vectors to documents that stay as they are."""
    from pymongo import UpdateOne

    writes: dict[str, list[Any]] = defaultdict(list)
    for one in staying:
        for fingerprint, vectors in known.items():
            vector = vectors.get(one["checksum"])
            if vector is None or fingerprint in one.get("spaces", ()):
                continue
            collection = build.parts.homes.of(fingerprint)
            where = {build.parts.vector_path: packed_vector(vector)} if vector.any() else {}
            if collection == PRIMARY:
                writes[PRIMARY].append(
                    UpdateOne({"_id": one["_id"]}, {"$set": {**where, "model": fingerprint}, "$addToSet": {"spaces": fingerprint}})
                )
            else:
                writes[collection].append(_put({**_light_of(build, one), **where, "model": fingerprint}))
                writes[PRIMARY].append(UpdateOne({"_id": one["_id"]}, {"$addToSet": {"spaces": fingerprint}}))
            build.count_embedded(fingerprint, 1)
            if "born" in one and vector.any():
                build.state = replace(
                    build.state, last=Last(build.namespace, one["id"], unpacked(one["file_path"]), one["born"], (fingerprint,))
                )
    for collection, operations in writes.items():
        build.write(collection, operations)


def _light_of(build: Build, one: Document) -> Document:
    """What a document beside needs of the chunk's own."""
    if "born" in one:
        return {name: one[name] for name in ("_id", *_LIGHT) if name in one}
    with build.parts.connection.faults():
        whole = build.parts.connection.database[PRIMARY].find_one({"_id": one["_id"]}, dict.fromkeys(_LIGHT, 1))
    return whole or {}


def _known(build: Build, work: Work, space: Space | None) -> Known:
    """Vectors of all texts that are written, in the namespace's spaces: those that came with them, and those that the store has anywhere."""
    known: Known = {one.fingerprint: {} for one in build.state.spaces}
    fresh = {one.checksum for ones in work.fresh.values() for one in ones}
    for fingerprint, vectors in known.items():
        lacking = {one["checksum"] for one in work.staying if fingerprint not in one["spaces"]}
        given = work.given if space is not None and fingerprint == space.fingerprint else {}
        vectors.update(donors(build, fingerprint, (fresh | lacking) - given.keys()))
        vectors.update(given)
    return known


def donors(build: Build, fingerprint: str, checksums: Collection[str]) -> dict[str, Vector]:
    """The vectors that some chunk of the store, alive or dead, has of these texts."""
    import numpy as np

    collection, path = build.parts.homes.of(fingerprint), build.parts.vector_path
    dims = next(space.dims for space in build.state.spaces if space.fingerprint == fingerprint)
    found: dict[str, Vector] = {}
    with build.parts.connection.faults():
        for some in _some(checksums) if collection else ():
            having = {"spaces": fingerprint} if collection == PRIMARY else {}
            for one in build.parts.connection.database[collection].find({"checksum": {"$in": some}, **having}, {"checksum": 1, path: 1}):
                found[one["checksum"]] = unpacked_vector(one[path]) if path in one else np.zeros(dims, np.float32)
    return found


def _write_files(build: Build, changes: Changes, updates: Mapping[str, FileUpdate]) -> None:
    """The records and outlines of files, each version a document of its own."""
    touched = {
        record.filepath: record for record in changes.touched if record.filepath not in updates and record.filepath not in changes.deleted
    }
    paths = [packed(path) for path in dict.fromkeys((*changes.deleted, *updates, *touched))]
    old: dict[str, Document] = {}
    with build.parts.connection.faults():
        for some in _some(paths):
            for one in build.parts.connection.database[FILES].find({**build.alive, "file_path": {"$in": some}}):
                old[record_of(one).filepath] = one
    records = [
        file_document(build.namespace, record, old[path]["visibilities"], build.number) for path, record in touched.items() if path in old
    ]
    records += [file_document(build.namespace, one.record, (c.visibility for c in one.chunks), build.number) for one in updates.values()]
    gone = 0
    for some in _some(paths):
        gone += build.end(FILES, {"file_path": {"$in": some}})
    for some in _some([packed(path) for path in dict.fromkeys((*changes.deleted, *updates))]):
        build.end(OUTLINES, {"file_path": {"$in": some}})
    build.write(FILES, map(_put, records))
    build.write(OUTLINES, (_put(_outline(build, one)) for one in updates.values() if one.definitions or one.references))
    build.state = replace(build.state, files=build.state.files + len(records) - gone)


def _outline(build: Build, update: FileUpdate) -> Document:
    path = update.record.filepath
    document = file_document(build.namespace, update.record, (chunk.visibility for chunk in update.chunks), build.number)
    kept = {name: document[name] for name in ("namespace_id", "file_path", "visibilities", "born", "died")}
    return {"_id": file_key(build.namespace, path, build.number), **kept, "content": packed_outline(update.definitions, update.references)}


def _put(document: Document) -> Any:
    from pymongo import ReplaceOne

    return ReplaceOne({"_id": document["_id"]}, document, upsert=True)


def _some(values: Iterable[str]) -> Iterator[list[str]]:
    some = list(values)
    return (some[start : start + AT_ONCE] for start in range(0, len(some), AT_ONCE))
