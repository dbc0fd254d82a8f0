"""What does the catalog of a namespace know? Files, chunks, names, outlines, as a sight shows them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from clew.core.catalog import Counts, FileRecord, Space
from clew.core.chunk import Chunk
from clew.stores.filtering import labels_pass, paths_pass
from clew.stores.mongodb.documents import HIT, WHOLE, best, chunk_of, hit_of, projection, record_of
from clew.stores.mongodb.encoding import packed, unpacked, unpacked_outline
from clew.stores.mongodb.indexes import FILES, OUTLINES
from clew.stores.mongodb.state import PRIMARY, State
from clew.stores.symbols import bare_name

if TYPE_CHECKING:
    from clew.core.document import Definition, Reference
    from clew.core.query import Filters, Hit
    from clew.stores.mongodb.connection import Connection
    from clew.stores.mongodb.sight import Sight

AT_ONCE = 1_000
"""Keys, names or paths that are looked up with one command."""
_RECORD = ("file_path", "size", "mtime_ns", "checksum", "language", "parsed", "skipped", "note")
_OUTLINE = ("file_path", "content", "namespace_id")


def alive(state: State) -> dict[str, Any]:
    """What a namespace's state shows of its documents, to who keeps it, not to who asks."""
    return {"namespace_id": state.namespace, "born": {"$lte": state.generation}, "died": {"$gt": state.generation}}


def files(connection: Connection, state: State, paths: Collection[str] | None) -> dict[str, FileRecord]:
    """The namespace's file records by path, in order, all or those of `paths`."""
    home, found = connection.database[FILES], []
    if paths is None:
        found = list(home.find(alive(state), projection(_RECORD)).sort("file_path", 1))
    else:
        for some in _some(map(packed, paths)):
            found += home.find({**alive(state), "file_path": {"$in": some}}, projection(_RECORD))
    return {record.filepath: record for record in map(record_of, found)}


def paths(connection: Connection, state: State) -> list[str]:
    """The paths of the namespace's files that have chunks."""
    query = {**alive(state), "visibilities.0": {"$exists": True}}
    return [unpacked(one["file_path"]) for one in connection.database[FILES].find(query, {"_id": 0, "file_path": 1})]


def unembedded(connection: Connection, state: State, space: Space, limit: int, after: str) -> list[Chunk]:
    """Living chunks without an embedding in the space, in order of id."""
    query = {**alive(state), "spaces": {"$ne": space.fingerprint}, **({"id": {"$gt": after}} if after else {})}
    return list(map(chunk_of, connection.database[PRIMARY].find(query, projection(WHOLE)).sort("id", 1).limit(limit))) if limit > 0 else []


def missing(connection: Connection, collection: str, space: Space, checksums: Collection[str]) -> set[str]:
    """Checksums for which no embedding is known in the space."""
    known: set[str] = set()
    having = {"spaces": space.fingerprint} if collection == PRIMARY else {}
    for some in _some(checksums) if collection else ():
        found = connection.database[collection].find({"checksum": {"$in": some}, **having}, {"_id": 0, "checksum": 1})
        known.update(one["checksum"] for one in found)
    return set(checksums) - known


def counts(connection: Connection, state: State, space: Space | None, unsynced: int) -> Counts:
    """What the namespace holds."""
    labels = {"language": "$language", "parsed": "$parsed", "skipped": {"$ne": ["$skipped", ""]}}
    grouped = connection.database[FILES].aggregate([{"$match": alive(state)}, {"$group": {"_id": labels, "files": {"$sum": 1}}}])
    total: Counter[str] = Counter()
    parsed: Counter[str] = Counter()
    skipped = 0
    for one in grouped:
        language, number = unpacked(one["_id"]["language"]), one["files"]
        skipped += number if one["_id"]["skipped"] else 0
        if not one["_id"]["skipped"]:
            total[language] += number
            parsed[language] += number if one["_id"]["parsed"] else 0
    return Counts(
        files=total.total(),
        skipped=skipped,
        chunks=state.chunks,
        unembedded=state.chunks - state.embedded.get(space.fingerprint, 0) if space else 0,
        unsynced=unsynced if space else 0,
        generation=state.generation,
        languages={name: (total[name], parsed[name]) for name in sorted(total)},
    )


def named(sight: Sight, names: Collection[str], filters: Filters, limit: int) -> tuple[Hit, ...]:
    """Definitions by name or qualified name."""
    exact, folded = set(names), {name.casefold() for name in names}
    passes = _passes(filters)
    found = []
    for some in _some(sorted({packed(bare_name(name)) for name in folded})):
        for hit in (hit_of(one, 0.0) for one in sight.find(PRIMARY, {"bare": {"$in": some}}, HIT)):
            known = {hit.symbol_name, bare_name(hit.symbol_name)}
            if folded & {name.casefold() for name in known} and passes(hit):
                found.append(hit._replace(score=1.0 if known & exact else 0.5))
    return best(found, limit)


def at(sight: Sight, filepaths: Iterable[str], line: int, filters: Filters) -> tuple[Hit, ...]:
    """The chunks of these files that hold a line; the first one for lines before it."""
    by_file: defaultdict[tuple[str, str], list[Hit]] = defaultdict(list)
    for some in _some(map(packed, filepaths)):
        for hit in (hit_of(one, 1.0) for one in sight.find(PRIMARY, {"file_path": {"$in": some}}, HIT)):
            by_file[hit.namespace, hit.filepath].append(hit)
    passes = _passes(filters)
    found = []
    for hits in by_file.values():
        wanted = max(line, min(hit.line_start for hit in hits))
        found += [hit for hit in hits if hit.line_start <= wanted <= hit.line_end and passes(hit)]
    return tuple(sorted(found, key=lambda hit: (hit.filepath, hit.line_start, hit.key)))


def names(sight: Sight) -> tuple[str, ...]:
    """The last parts of all definitions' names, case folded, in order."""
    return tuple(sorted(unpacked(name) for name in sight.grouped({"bare": {"$ne": None}}, "bare")))


def chunks(sight: Sight, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Chunk]:
    """Whole chunks by key, those that are seen."""
    wanted: defaultdict[str, list[str]] = defaultdict(list)
    for namespace, name in keys:
        wanted[namespace].append(name)
    found = {}
    for namespace, ids in wanted.items():
        for some in _some(ids):
            for chunk in map(chunk_of, sight.find(PRIMARY, {"namespace_id": namespace, "id": {"$in": some}}, WHOLE)):
                found[chunk.namespace, chunk.id] = chunk
    return found


Outlined = tuple[tuple["Definition", ...], tuple["Reference", ...]]


def outline(sight: Sight, filepath: str) -> Outlined:
    """Definitions and references of a file, of the first namespace that shows it."""
    more = {"file_path": packed(filepath)}
    shown = {found["namespace_id"] for found in sight.files(FILES, more, ("namespace_id",))}
    by_namespace = {found["namespace_id"]: found for found in sight.files(OUTLINES, more, _OUTLINE)}
    for state in sight.states:
        if state.namespace in shown:
            return unpacked_outline(by_namespace[state.namespace]["content"]) if state.namespace in by_namespace else ((), ())
    return (), ()


def outlines(sight: Sight) -> Iterator[tuple[str, tuple[Definition, ...], tuple[Reference, ...]]]:
    """The outline of every file that is shown and has one, in order of path; of a path in several namespaces, what the first one has."""
    first = _first(sight)
    shown = {}
    for found in sight.files(OUTLINES, {}, _OUTLINE):
        path = unpacked(found["file_path"])
        if first.get(path, found["namespace_id"]) == found["namespace_id"]:
            shown[path] = found["content"]
    return ((path, *unpacked_outline(content)) for path, content in sorted(shown.items()))


def _first(sight: Sight) -> dict[str, str]:
    """The first namespace that shows each path, with an outline or without; nothing where there is only one that could."""
    if len(sight.states) < 2:
        return {}
    rank = {state.namespace: place for place, state in enumerate(sight.states)}
    first: dict[str, str] = {}
    for found in sight.files(FILES, {}, ("file_path", "namespace_id")):
        path, namespace = unpacked(found["file_path"]), found["namespace_id"]
        if path not in first or rank[namespace] < rank[first[path]]:
            first[path] = namespace
    return first


def ending_in(known: Mapping[str, Collection[str]], filepath: str) -> list[str]:
    """Those of all namespaces' paths that are `filepath`, or end in it after a `/`."""
    return sorted({path for some in known.values() for path in some if f"/{path}".endswith(f"/{filepath}")})


def every_path(known: Mapping[str, Collection[str]]) -> list[str]:
    """All namespaces' paths, in order."""
    return sorted({path for some in known.values() for path in some})


def _passes(filters: Filters) -> Any:
    language, symbol_type, path = labels_pass(filters.languages), labels_pass(filters.symbol_types), paths_pass(filters.paths)
    return lambda hit: language(hit.language) and symbol_type(hit.symbol_type) and path(hit.filepath)


def _some(values: Iterable[str]) -> Iterator[list[str]]:
    some = list(values)
    return (some[start : start + AT_ONCE] for start in range(0, len(some), AT_ONCE))
