"""Which parts can be exchanged? The protocols that stores and embedders fulfil."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from clew.core.catalog import Applied, Changes, Counts, FileRecord, Space
from clew.core.chunk import Chunk
from clew.core.document import Definition, Reference
from clew.core.query import Filters, Hit, Leg, Scope, TermStatistics

if TYPE_CHECKING:
    from pathlib import Path

    from clew.core.catalog import Vector, Vectors


class Embedder(Protocol):
    """Turns text into unit vectors of one space. Document and query may be embedded differently.

    One that costs time or money to ask says so with an attribute `costly = True`: what it made is then kept for all projects of the user.
    """

    @property
    def space(self) -> Space:
        """The space its vectors live in; the fingerprint changes with anything that changes a vector."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """float32, shape (len(texts), space.dims), rows of length 1 (or 0 for a text without any known token)."""
        ...

    def embed_query(self, text: str) -> Vector:
        """float32, shape (space.dims,)."""
        ...


class Reranker(Protocol):
    """Reads a question and texts together, and says how far each answers it."""

    @property
    def name(self) -> str:
        """Provider and model, as they were set."""
        ...

    def relevance(self, question: str, texts: Sequence[str], seconds: float) -> Sequence[float]:
        """The relevance of each text, in the texts' order; more is better, and only the order counts.

        Raises ClewError where that cannot be had, Unreachable where it is not there within so many seconds.
        """
        ...


class ChunkStore(Protocol):
    """A home for namespaces: a transactional catalog with a keyword leg and a vector leg.

    `apply` happens entirely or not at all, as seen by every reader and after any crash. What can be searched is what the
    catalog says is alive; a leg may lag behind and then says so in its answer.
    """

    # -- writing (one writer at a time; raises WriterBusy) --
    def apply(self, changes: Changes) -> Applied:
        """Carry out changes, all of them or none. Raises ValueError for two chunks of one key or a vector of a wrong size."""
        ...

    def forget(self, namespace: str) -> None:
        """Delete everything under the namespace."""
        ...

    def add_vectors(self, namespace: str, space: Space, vectors: Mapping[str, Vector]) -> int:
        """Give embeddings, by chunk checksum, to chunks that are already there; returns how many chunks got one."""
        ...

    def settle(self) -> None:
        """Bring every leg up to the catalog (feed vector tables, rebuild lost derived parts, compact when due)."""
        ...

    # -- knowing --
    def namespaces(self) -> tuple[str, ...]:
        """Every namespace that the store holds, in order."""
        ...

    def files(self, namespace: str, paths: Collection[str] | None = None) -> dict[str, FileRecord]:
        """What is known of each file (of `paths` alone, where they are given), by path, those that are left out among them."""
        ...

    def facts(self, namespace: str) -> dict[str, str]:
        """Small strings kept with the namespace (root, mode, completeness…), as given in `Changes.facts`."""
        ...

    def spaces(self, namespace: str) -> tuple[Space, ...]:
        """The spaces in which the namespace has vectors, in the order in which they came; the first is the primary one."""
        ...

    def missing(self, namespace: str, space: Space, checksums: Collection[str]) -> set[str]:
        """Those chunk checksums for which the store has no embedding in the space."""
        ...

    def unembedded(self, namespace: str, space: Space, limit: int, after: str = "") -> list[Chunk]:
        """Living chunks without an embedding in the space, in order of id, those whose id comes `after` one: whoever goes through all pays once."""
        ...

    def counts(self, namespace: str, space: Space | None = None) -> Counts:
        """What the namespace holds; without a space, `unembedded` and `unsynced` are 0."""
        ...

    # -- searching --
    def keywords(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Leg:
        """Chunks by BM25F over the terms (as made by `core.words`); a repeated term counts as often as it stands there."""
        ...

    def nearest(self, scope: Scope, space: Space, vector: Vector, filters: Filters, limit: int) -> Leg:
        """Chunks by cosine; exact up to 100,000 chunks at least. A warning says how many in scope have no vector in the space."""
        ...

    def named(self, scope: Scope, names: Collection[str], filters: Filters, limit: int) -> tuple[Hit, ...]:
        """Chunks of definitions whose name or qualified name is one of `names`, whatever the case. Score 1 for equal case, else .5."""
        ...

    def at(self, scope: Scope, filepath: str, line: int, filters: Filters) -> tuple[Hit, ...]:
        """The chunks that hold a line (1-based) of the files whose path is `filepath` or ends in it after a `/`; of a file whose first chunk
        begins further down, that one for the lines before it. In order of path, score 1."""
        ...

    def holding(self, scope: Scope, word: str) -> tuple[str, ...]:
        """The files that hold a word as an index sees it (case and endings may differ), in order; empty for what is no word."""
        ...

    def names(self, scope: Scope) -> tuple[str, ...]:
        """The last parts of the names of all definitions, case folded, in order."""
        ...

    def statistics(self, scope: Scope, terms: Collection[str]) -> TermStatistics:
        """How many chunks the scope shows, and how many of them hold each term."""
        ...

    def chunks(self, scope: Scope, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Chunk]:
        """The whole chunks under these (namespace, id) keys; what is gone or out of scope is left out."""
        ...

    def outline(self, scope: Scope, filepath: str) -> tuple[Definition, ...]:
        """The definitions of a file, in order of lines, of the first namespace in scope that shows it; empty where none does."""
        ...

    def references(self, scope: Scope, filepath: str) -> tuple[Reference, ...]:
        """What a file mentions, of the first namespace in scope that shows it."""
        ...

    def outlines(self, scope: Scope) -> Iterator[tuple[str, tuple[Definition, ...], tuple[Reference, ...]]]:
        """Path, definitions and references of every file that the scope shows, in order of path; of a path in several namespaces, what `outline` says."""
        ...

    def close(self) -> None:
        """Give back files and locks. The store is not used after."""
        ...


class Store(ChunkStore, Protocol):
    """What an engine stands on: a ChunkStore with a writer's lock and a size on disk."""

    def renewed(self) -> bool:
        """Open anew what was deleted or replaced by someone else after it was opened; returns whether it was."""
        ...

    def writer(self) -> AbstractContextManager[object]:
        """Be the one writer until the block ends. Raises WriterBusy, naming who is."""
        ...

    def at_once(self) -> AbstractContextManager[object]:
        """Be the one writer; what is written inside is seen whole, when the block ends, or not at all. Not to be settled in."""
        ...

    def moment(self) -> AbstractContextManager[object]:
        """Everything read inside belongs to one generation, whatever is written meanwhile; nothing is written inside."""
        ...

    def thin(self, namespace: str, kept: Collection[str]) -> tuple[str, ...]:
        """Forget the namespace's vectors of all models but those with a `kept` fingerprint, and what else nobody asks any more.

        Returns the names of the models that were forgotten. Raises WriterBusy.
        """
        ...

    def owner(self) -> str:
        """Who is writing now, in words; empty when nobody is."""
        ...

    def size_bytes(self) -> int:
        """What the store takes on disk."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether it can only be searched."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether others keep projects of their own in it, of whose names and roots nothing is to be concluded."""
        ...

    @property
    def folder(self) -> Path:
        """Where on this machine the project keeps its index, or what is not in a store that is elsewhere."""
        ...
