"""What does an index know? Files, what changed, and what a store reports back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from clew.core.chunk import Chunk
from clew.core.document import Definition, Reference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as the index last saw it. `skipped` is empty for an indexed file, else the reason it has no chunks;
    `note` is a remark on an indexed one (`decoded as windows-1252`)."""

    filepath: str
    size: int
    mtime_ns: int
    checksum: str = ""
    language: str = "text"
    parsed: bool = False
    skipped: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class FileUpdate:
    """The whole new content of one file: it replaces whatever the store holds under that path.

    `vectors[i]` belongs to `chunks[i]`; None means that the store already has the embedding of that text
    (by checksum) or that there is none yet (it is then `pending`).
    """

    record: FileRecord
    chunks: tuple[Chunk, ...] = ()
    definitions: tuple[Definition, ...] = ()
    references: tuple[Reference, ...] = ()
    vectors: tuple[Vector | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Space:
    """One embedding model's vectors. Vectors of two spaces are never compared. `fingerprint` is 64 hex digits."""

    fingerprint: str
    model: str
    dims: int


@dataclass(frozen=True, slots=True)
class Changes:
    """What `ChunkStore.apply` carries out, all of it or nothing."""

    namespace: str
    updates: tuple[FileUpdate, ...] = ()
    touched: tuple[FileRecord, ...] = ()
    deleted: tuple[str, ...] = ()
    space: Space | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


class Applied(NamedTuple):
    """Chunk counts of one `apply`: `kept` had the same text before."""

    added: int
    kept: int
    deleted: int
    generation: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What a namespace holds now. `languages` maps a name to (files, files parsed by a grammar). `unembedded` chunks
    wait for a vector in the given space; `unsynced` chunks are not in the vector table yet (searched all the same)."""

    files: int = 0
    skipped: int = 0
    chunks: int = 0
    unembedded: int = 0
    unsynced: int = 0
    generation: int = 0
    languages: Mapping[str, tuple[int, int]] = field(default_factory=dict)
