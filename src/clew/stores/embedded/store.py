"""What is the embedded store? A `ChunkStore` in one folder: the catalog decides, snapshot and vector table follow."""

from __future__ import annotations

import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from clew.core.query import Filters, Hit, Leg, Scope, TermStatistics
from clew.core.words import terms
from clew.errors import IndexUnusable, NoIndex, WriterBusy
from clew.stores.bm25 import single
from clew.stores.embedded import exporting, forgetting, keywords, reading, searching, thinning, writing
from clew.stores.embedded.catalog import Catalog, meta
from clew.stores.embedded.embeddings import Embeddings, Recall
from clew.stores.embedded.faults import faults
from clew.stores.embedded.lock import WriterLock
from clew.stores.embedded.opening import made, opened
from clew.stores.embedded.places import size_of
from clew.stores.embedded.sealing import break_seal, seal
from clew.stores.embedded.settling import Limits, Settling
from clew.stores.embedded.table import LanceHome
from clew.stores.embedded.view import View

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from clew.core.catalog import Applied, Changes, Counts, FileRecord, Space, Vector
    from clew.core.chunk import Chunk
    from clew.core.document import Definition, Reference
    from clew.stores.copying import Stored
    from clew.stores.vector_homes import VectorHome

_MOST_TERMS = 1_000
"""Terms of one question that are looked up: a pasted log is not a question."""

_FEW = 20_000
"""Chunks up to which FTS5 (under 15 ms) is cheaper than importing numpy (190 ms) for one more question."""

_MANY = 200_000
"""Chunks from which even a first question is answered sooner by importing numpy."""

_LONG = 96
"""Terms, each as often as it counts, from which that is so in any index: FTS5 takes a millisecond and more for each of a pasted log."""


def _unobserved(_: str) -> None:
    """Nobody wants to know."""


class EmbeddedStore:
    """Everything of one project in one folder. Use from several threads is safe; a lock lets one call in at a time."""

    def __init__(
        self,
        folder: Path,
        *,
        read_only: bool,
        limits: Limits,
        reached: Callable[[str], None],
        within: Path | None = None,
        home: Callable[[Path], VectorHome] = LanceHome,
    ) -> None:
        self.folder = folder
        self._read_only = read_only
        self._no_room: IndexUnusable | None = None
        self._within = within
        self._turn = RLock()
        self._wrote = False
        self._catalog = self._opened()
        self._lock = WriterLock(folder / "writer.lock")
        self._limits = limits
        self._reached = reached
        self._home = home(folder)
        self._settling = Settling(folder, self._catalog, self._home, limits, reached)
        self._view: View | None = None
        self._held: View | None = None
        self._questions = 0

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        read_only: bool = False,
        limits: Limits | None = None,
        reached: Callable[[str], None] = _unobserved,
        within: Path | None = None,
        home: Callable[[Path], VectorHome] = LanceHome,
    ) -> EmbeddedStore:
        """Open the store in a folder, which the first write makes; with `read_only` nothing is made or written.

        `limits` says when derived parts are renewed; `reached` is told each step of a write; a folder `within` is never made; `home` is where vectors live.
        Raises NoIndex (nothing there, and read-only or nothing to make it in) and IndexUnusable (damaged, or written by a newer clew).
        """
        return cls(folder, read_only=read_only, limits=limits or Limits(), reached=reached, within=within, home=home)

    def __enter__(self) -> EmbeddedStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def renewed(self) -> bool:
        """Open the index anew where it was deleted or replaced after it was opened; returns whether it was.

        Raises NoIndex and IndexUnusable as `open` does.
        """
        with self._turn:
            self._take_up()
            if self._catalog.is_there() and self._no_room is None:
                return False
            self._replace(self._opened())
            return True

    # -- writing --
    @contextmanager
    def writer(self) -> Iterator[None]:
        """Be the one writer until the block ends; raises WriterBusy naming who is. May be nested."""
        if self._read_only:
            raise NoIndex("this index was opened for reading only", "make its folder writable, or index into another one")
        self._begin()
        if self._no_room is not None:
            raise self._no_room
        with faults(self.folder):
            self._lock.take()
            try:
                break_seal(self.folder)  # each time: another process may have sealed meanwhile
                self._wrote = True
                yield
            finally:
                self._lock.give_back()

    def owner(self) -> str:
        """Who writes this index now, in words; empty when nobody does."""
        return self._lock.owner()

    def apply(self, changes: Changes) -> Applied:
        """Carry out changes: files, chunks, words and new vectors in one transaction."""
        with self._turn, self.writer():
            with self._catalog.writing() as connection:
                self._settling.check_analysis(connection)
                applied, work = writing.apply(connection, changes, self._recall(connection))
                self._reached("applied")
            self._reached("committed")
            self._settling.gather(work.indexed)
            return applied

    def forget(self, namespace: str) -> None:
        """Delete everything under the namespace."""
        with self._turn, self.writer(), self._catalog.writing() as connection:
            forgetting.forget(connection, namespace)

    def add_vectors(self, namespace: str, space: Space, vectors: Mapping[str, Vector]) -> int:
        """Give embeddings, by checksum, to chunks without one in the space."""
        with self._turn, self.writer(), self._catalog.writing() as connection:
            return writing.add_vectors(connection, namespace, space, vectors)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What is written inside is seen whole, when the block ends, or not at all. Not to be settled in; other threads wait."""
        with self._turn, self.writer():
            try:
                with self._catalog.writing():
                    yield
            except BaseException:
                self._settling.forget_gathered()
                self._view = None  # of a generation that never was
                raise

    def settle(self) -> None:
        """Bring vector table and snapshot up to date when that is due: first vectors, some thousand changes, or damage."""
        with self._turn, self.writer():
            self._settling.settle(self._now)

    def thin(self, namespace: str, kept: Collection[str]) -> tuple[str, ...]:
        """Forget the namespace's vectors of all models but those with a `kept` fingerprint, and write every derived part anew, as small as it gets.

        Returns the names of the models that were forgotten.
        """
        with self._turn, self.writer():
            with self._catalog.writing() as connection:
                former = thinning.forget_spaces(connection, namespace, kept)
            self._settling.renew_what_is_there(self._now)
            with self._catalog.writing() as connection:
                primary_went = thinning.forget_unused_spaces(connection)
            if primary_went:
                self._settling.settle(self._now)
            with self._catalog.reading() as connection:
                self._home.drop_others(reading.table_names(connection))
            return former

    # -- knowing --
    @property
    def read_only(self) -> bool:
        """Whether the store was opened for reading only, or cannot be written."""
        return self._read_only or self._no_room is not None

    @property
    def is_shared(self) -> bool:
        """All that is in a folder belongs to whoever works there."""
        return False

    def namespaces(self) -> tuple[str, ...]:
        """Every namespace that the store holds, in order."""
        with self._moment() as (connection, view):
            return view.once("namespaces", lambda: reading.namespaces(connection))

    def files(self, namespace: str, paths: Collection[str] | None = None) -> dict[str, FileRecord]:
        """The namespace's file records by path, all or those of `paths`."""
        with self._moment() as (connection, view):
            return dict(view.files(connection, namespace)) if paths is None else view.files_at(connection, namespace, paths)

    def facts(self, namespace: str) -> dict[str, str]:
        """The namespace's facts."""
        with self._moment() as (connection, view):
            return dict(view.once(("facts", namespace), lambda: reading.facts(connection, namespace)))

    def spaces(self, namespace: str) -> tuple[Space, ...]:
        """The namespace's spaces, the primary one first."""
        with self._moment() as (connection, view):
            return view.once(("spaces", namespace), lambda: reading.spaces(connection, namespace))

    def missing(self, namespace: str, space: Space, checksums: Collection[str]) -> set[str]:
        """Checksums for which no embedding is known in the space, wherever in the store."""
        with self._moment() as (connection, _):
            return reading.missing(connection, space, checksums, Embeddings(connection, self._recall(connection)))

    def unembedded(self, namespace: str, space: Space, limit: int, after: str = "") -> list[Chunk]:
        """Chunks without an embedding in the space, in order of id."""
        with self._moment() as (connection, _):
            return reading.unembedded(connection, namespace, space, limit, after)

    def counts(self, namespace: str, space: Space | None = None) -> Counts:
        """What the namespace holds."""
        with self._moment() as (connection, _):
            return reading.counts(connection, namespace, space)

    def size_bytes(self) -> int:
        """What the store takes on disk."""
        return sum(size_of(path) for path in self.folder.rglob("*"))

    def stored(self, namespace: str, paths: Collection[str]) -> dict[str, Stored]:
        """Files with their chunks, outlines and vectors, by path."""
        with self._moment() as (connection, _):
            return exporting.stored(connection, self._recall(connection), namespace, paths)

    # -- searching --
    @contextmanager
    def moment(self) -> Iterator[None]:
        """Everything read inside is of one generation, whatever is written meanwhile. Not to be nested, nor to be written in."""
        with self._turn:
            self._take_up()
            with self._catalog.reading() as connection:
                self._held = self._now(connection)
                try:
                    yield
                finally:
                    self._held = None

    def keywords(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Leg:
        """Chunks by BM25F. One question is answered by FTS5, many by the snapshot; scores are the same."""
        asked = single(list(islice(terms, _MOST_TERMS)))
        with self._moment() as (connection, view):
            if not asked or limit <= 0:
                return Leg((), 0.0, view.generation)
            self._questions += 1
            return searching.by_keywords(
                view, connection, scope, asked, filters, limit, arrays=self._arrays(connection, sum(asked.values()))
            )

    def nearest(self, scope: Scope, space: Space, vector: Vector, filters: Filters, limit: int) -> Leg:
        """Chunks by cosine, exact below the limit's size. Warns when chunks are missing from the answer."""
        with self._moment() as (connection, view):
            if limit <= 0:
                return Leg((), 0.0, view.generation)
            leg = searching.by_vector(view, connection, scope, space, vector, filters, limit, self._settling.approximate(connection))
            warnings = (*leg.warnings, *view.once("table", lambda: self._settling.table_warnings(connection)))
            return replace(leg, warnings=warnings)

    def named(self, scope: Scope, names: Collection[str], filters: Filters, limit: int) -> tuple[Hit, ...]:
        """Chunks of definitions by name or qualified name."""
        with self._moment() as (connection, _):
            return reading.named(connection, scope, names, filters, limit)

    def at(self, scope: Scope, filepath: str, line: int, filters: Filters) -> tuple[Hit, ...]:
        """The chunks that hold a line of a file."""
        with self._moment() as (connection, view):
            ends = f"/{filepath}"
            paths = {p for name in scope.namespaces for p in view.files(connection, name) if f"/{p}".endswith(ends)}
            return reading.at(connection, scope, sorted(paths), line, filters)

    def holding(self, scope: Scope, word: str) -> tuple[str, ...]:
        """The files that hold a word, or one that is analysed alike."""
        words = list(single(terms(word)))
        with self._moment() as (connection, _):
            return keywords.files_holding(connection, words, reading.restriction(connection, scope, Filters())) if words else ()

    def names(self, scope: Scope) -> tuple[str, ...]:
        """The last parts of all definitions' names, case folded."""
        with self._moment() as (connection, _):
            return reading.names(connection, scope)

    def statistics(self, scope: Scope, terms: Collection[str]) -> TermStatistics:
        """How many chunks in scope there are and how many hold each term."""
        with self._moment() as (connection, view):
            return searching.term_statistics(view, connection, scope, terms, arrays=self._arrays(connection, len(terms)))

    def chunks(self, scope: Scope, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Chunk]:
        """Whole chunks by key, those that the scope shows."""
        with self._moment() as (connection, view):
            return view.chunks(connection, scope, list(keys))

    def outline(self, scope: Scope, filepath: str) -> tuple[Definition, ...]:
        """The definitions of a file."""
        with self._moment() as (connection, _):
            return reading.outline(connection, scope, filepath)[0]

    def references(self, scope: Scope, filepath: str) -> tuple[Reference, ...]:
        """What a file mentions."""
        with self._moment() as (connection, _):
            return reading.outline(connection, scope, filepath)[1]

    def outlines(self, scope: Scope) -> Iterator[tuple[str, tuple[Definition, ...], tuple[Reference, ...]]]:
        """What every file defines and mentions."""
        with self._moment() as (connection, _):
            return iter(reading.outlines(connection, scope))

    def close(self) -> None:
        """Close the catalog, sealed where this store has written to it."""
        with self._turn:
            if self._wrote and self._catalog.is_there():
                with suppress(WriterBusy, OSError):
                    self._lock.take()
                    try:
                        seal(self.folder, self._catalog.connection)
                    finally:
                        self._lock.give_back()
                self._wrote = False
            self._settling.close()
            self._catalog.close()

    # -- inside --
    def _opened(self) -> Catalog:
        catalog, self._no_room = opened(self.folder, read_only=self._read_only, within=self._within)
        return catalog

    def _replace(self, catalog: Catalog) -> None:
        former, self._catalog = self._catalog, catalog
        former.close()
        self._settling = Settling(self.folder, self._catalog, self._home, self._limits, self._reached)
        self._view = None

    def _begin(self) -> None:
        """Put on disk what is only in memory as long as nothing is written."""
        with self._turn:
            if self._catalog.in_memory:
                catalog, self._no_room = made(self.folder, within=self._within)
                self._replace(catalog)

    def _take_up(self) -> None:
        """See the index that another process began since this one found none."""
        if self._catalog.in_memory and not self._catalog.is_there():
            self._replace(self._opened())

    @contextmanager
    def _moment(self) -> Iterator[tuple[sqlite3.Connection, View]]:
        with self._turn:
            self._take_up()
            with self._catalog.reading() as connection:
                yield connection, self._held or self._now(connection)

    def _now(self, connection: sqlite3.Connection) -> View:
        generation, snapshot = meta(connection, "generation"), meta(connection, "snapshot")
        if self._view is None or (self._view.generation, self._view.snapshot_name) != (generation, snapshot):
            self._view = View(self.folder, generation, snapshot, self._view)
            if self._view.is_without_its_snapshot() and self._catalog.begin_again() and meta(connection, "snapshot") != snapshot:
                return self._now(connection)  # a writer renewed it between our look at its name and at its file
        return self._view

    def _recall(self, connection: sqlite3.Connection) -> Recall:
        return Recall(meta(connection, "settled"), lambda: self._now(connection).snapshot())

    def _arrays(self, connection: sqlite3.Connection, terms: int) -> bool:
        """Whether so many terms are looked up in the snapshot, which needs numpy."""
        if terms > _LONG:
            return True
        if self._questions <= 1:
            return reading.total(connection) > _MANY
        return "numpy" in sys.modules or reading.total(connection) > _FEW
