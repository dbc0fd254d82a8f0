"""How does a namespace come from one store into another? Streamed file by file, resumable, and compared with what was read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from clew.core.catalog import Changes, Counts, FileUpdate, Space
from clew.core.protocols import Store
from clew.errors import IndexUnusable, NoIndex, WriterBusy

if TYPE_CHECKING:
    from clew.core.catalog import Vector

AT_ONCE = 64
"""Files that are read, written and compared with one change: some thousand chunks at most."""


class Stored(NamedTuple):
    """A file as a store holds it: its update without vectors, and those of its texts by fingerprint and checksum."""

    update: FileUpdate
    vectors: Mapping[str, Mapping[str, Vector]]


class Portable(Store, Protocol):
    """A store out of which all can be read."""

    def stored(self, namespace: str, paths: Collection[str]) -> dict[str, Stored]:
        """Files with their chunks, outlines and vectors, by path; what is not there is left out."""
        ...


@dataclass(frozen=True, slots=True)
class Copied:
    """What was done for a namespace: `there` were files that the other store held already, as they are."""

    namespace: str
    files: int = 0
    there: int = 0
    deleted: int = 0
    chunks: int = 0
    vectors: int = 0
    counts: Counts = field(default_factory=Counts)


Report = Callable[[int, int], None]
"""Told how many files are done, of how many; what it raises ends the copy, which can be gone on with."""


def copy(source: Portable, target: Portable, namespace: str, report: Report = lambda done, total: None) -> Copied:
    """Make the target's namespace what the source's is. Begun again, it goes on where it was ended.

    Raises NoIndex where the source has no such namespace, WriterBusy where it changes meanwhile or somebody else writes the target, and
    IndexUnusable where what the target gives back is not what it was given.
    """
    facts, before = source.facts(namespace), source.counts(namespace)
    records = source.files(namespace)
    if not (facts or records):
        raise NoIndex(f"there is no namespace {namespace} in the source", "`clew status` says what a project's is called")
    spaces = source.spaces(namespace)
    with target.writer():
        _begin(target, namespace, spaces, facts)
        deleted = tuple(path for path in target.files(namespace) if path not in records)
        if deleted:
            target.apply(Changes(namespace, deleted=deleted))
        copied = Copied(namespace, deleted=len(deleted))
        for done, paths in _slices(sorted(records)):
            report(done, len(records))
            copied = _take_over(source, target, namespace, spaces, paths, copied)
        target.apply(Changes(namespace, facts=facts))
        if source.counts(namespace).generation != before.generation:
            raise WriterBusy(f"{namespace} changed while it was copied", "copy it again: what is there already is left as it is")
        report(len(records), len(records))
        target.settle()
    return replace(copied, counts=_same_counts(source, target, namespace, spaces))


def _begin(target: Portable, namespace: str, spaces: Sequence[Space], facts: Mapping[str, str]) -> None:
    """Name the spaces in their order, and call the namespace incomplete until all of it is there."""
    begun = {**facts, "complete": "no"} if "complete" in facts else dict(facts)
    target.apply(Changes(namespace, facts=begun))
    for space in spaces:
        if space not in target.spaces(namespace):
            target.apply(Changes(namespace, space=space))


def _take_over(source: Portable, target: Portable, namespace: str, spaces: Sequence[Space], paths: list[str], copied: Copied) -> Copied:
    wanted = source.stored(namespace, paths)
    there = target.stored(namespace, paths)
    lacking = {path: one for path, one in wanted.items() if path not in there or _difference(one, there[path])}
    if lacking:
        _write(target, namespace, spaces, lacking)
        again = target.stored(namespace, list(lacking))
        for path, one in lacking.items():
            if path not in again or (difference := _difference(one, again[path])):
                what = difference if path in again else "the file"
                raise IndexUnusable(f"{what} of {path} did not arrive as it was sent", "copy again; if it stays, tell us")
    return replace(
        copied,
        files=copied.files + len(lacking),
        there=copied.there + len(wanted) - len(lacking),
        chunks=copied.chunks + sum(len(one.update.chunks) for one in lacking.values()),
        vectors=copied.vectors + sum(len(some) for one in lacking.values() for some in one.vectors.values()),
    )


def _write(target: Portable, namespace: str, spaces: Sequence[Space], files: Mapping[str, Stored]) -> None:
    """Files with the vectors of their first space in one change, then what further spaces have."""
    first = spaces[0] if spaces else None
    updates = tuple(_with_vectors(one, first) for one in files.values())
    target.apply(Changes(namespace, updates, space=first))
    for space in spaces[1:]:
        vectors = {checksum: vector for one in files.values() for checksum, vector in one.vectors.get(space.fingerprint, {}).items()}
        if vectors:
            target.add_vectors(namespace, space, vectors)


def _with_vectors(one: Stored, space: Space | None) -> FileUpdate:
    known = one.vectors.get(space.fingerprint, {}) if space else {}
    return replace(one.update, vectors=tuple(known.get(chunk.checksum) for chunk in one.update.chunks))


def _difference(one: Stored, other: Stored) -> str:
    """What of a file is not the same in another store, in words; it may know more vectors."""
    for name, mine, theirs in zip(_NAMES, _sums(one.update), _sums(other.update), strict=True):
        if mine != theirs:
            return name
    for fingerprint, vectors in one.vectors.items():
        held = other.vectors.get(fingerprint, {})
        if any(checksum not in held or held[checksum].tobytes() != vector.tobytes() for checksum, vector in vectors.items()):
            return "a vector"
    return ""


_NAMES = ("the record", "a chunk", "the outline")


def _sums(update: FileUpdate) -> tuple[str, str, str]:
    """Checksums of a file's record, chunks (but when they were indexed, which an unchanged chunk keeps) and outline."""
    chunks = sorted(astuple(replace(chunk, indexed_at=0)) for chunk in update.chunks)
    outline = [[astuple(one) for one in update.definitions], [list(one) for one in update.references]]
    return _sum(astuple(update.record)), _sum(chunks), _sum(outline)


def _sum(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def _same_counts(source: Portable, target: Portable, namespace: str, spaces: Sequence[Space]) -> Counts:
    """What both hold. Raises IndexUnusable where that differs."""
    counts = target.counts(namespace)
    for space in (None, *spaces):
        mine, theirs = source.counts(namespace, space), target.counts(namespace, space)
        for name in ("files", "skipped", "chunks", "languages"):
            if getattr(mine, name) != getattr(theirs, name):
                raise IndexUnusable(
                    f"{name} of {namespace} are {getattr(mine, name)} in one store and {getattr(theirs, name)} in the other", "copy again"
                )
        if theirs.unembedded > mine.unembedded:
            raise IndexUnusable(f"{theirs.unembedded - mine.unembedded} vectors of {namespace} did not arrive", "copy again")
    return counts


def _slices(paths: list[str]) -> Iterator[tuple[int, list[str]]]:
    return ((start, paths[start : start + AT_ONCE]) for start in range(0, len(paths), AT_ONCE))
