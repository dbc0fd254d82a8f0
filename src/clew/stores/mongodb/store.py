"""What is the mongodb store? A `ChunkStore` in a database of MongoDB that many processes share: states decide, builds write, sights read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from clew.core.query import Filters, Hit, Leg, Scope, TermStatistics
from clew.core.words import terms as terms_of
from clew.errors import IndexUnusable
from clew.stores.bm25 import single
from clew.stores.filtering import expression, paths_pass
from clew.stores.mongodb import exporting, reading, searching, writing
from clew.stores.mongodb.build import Parts
from clew.stores.mongodb.connection import Connection
from clew.stores.mongodb.encoding import packed
from clew.stores.mongodb.homes import Homes
from clew.stores.mongodb.indexes import NO_SEARCH_HERE, Found, Indexes, without_search
from clew.stores.mongodb.lag import Lag, behind
from clew.stores.mongodb.limits import Limits
from clew.stores.mongodb.sampling import Samples
from clew.stores.mongodb.sight import Names, Paths, Sight, path_pattern
from clew.stores.mongodb.state import HOLDERS, PRIMARY, State, state_of
from clew.stores.mongodb.turns import Turns

if TYPE_CHECKING:
    from clew.core.catalog import Applied, Changes, Counts, FileRecord, Space, Vector
    from clew.core.chunk import Chunk
    from clew.core.document import Definition, Reference
    from clew.stores.copying import Stored
    from clew.stores.mongodb.address import Address

_MOST_TERMS = 1_000
"""Terms of one question that are counted: a pasted log is not a question."""
_KEPT = 8
"""Sights whose counts of terms, or lists of paths, are kept."""
_Made = TypeVar("_Made")


class MongoStore:
    """Everything of many projects in one database. Use from several threads is safe; one at a time writes.

    `home` is the namespace that this process keeps: `writer` takes the right to write it, any other is taken when it is first written.
    `folder` is where the project keeps on this machine what is not in the store.
    """

    def __init__(
        self,
        address: Address,
        folder: Path,
        *,
        names: Names | None = None,
        home: str = "",
        limits: Limits | None = None,
    ) -> None:
        self.folder = folder
        self.home = home
        self._names = names or Names()
        self._limits = limits or Limits()
        self._connection = Connection(address)
        homes, indexes = Homes(self._connection), Indexes(self._connection, self._names)
        parts = self._parts = Parts(self._connection, homes, indexes, self._names.path, self._limits.grace_s)
        self._homes = homes
        self._indexes = indexes
        self._turns = Turns(parts, home, self._limits.lease_s)
        self._lag = Lag(self._connection, self._names, homes)
        self._samples = Samples(self._names.path)
        self._here = threading.local()
        self._counts: searching.Counts = {}
        self._paths: dict[tuple[str, int], tuple[str, ...]] = {}

    # -- writing --

    def writer(self) -> AbstractContextManager[None]:
        """Be the one writer until the block ends; raises WriterBusy naming who is. May be nested."""
        return self._turns.writer()

    def owner(self) -> str:
        """Who writes the home namespace, or any, in words; empty when nobody does."""
        return self._turns.owner()

    def apply(self, changes: Changes) -> Applied:
        """Carry out changes as one build."""
        writing.check(changes)
        with self._turns.build(changes.namespace) as build:
            return writing.apply(build, changes)

    def forget(self, namespace: str) -> None:
        """Delete everything under the namespace."""
        with self._turns.build(namespace) as build:
            writing.forget(build)

    def add_vectors(self, namespace: str, space: Space, vectors: Mapping[str, Vector]) -> int:
        """Give embeddings, by checksum, to chunks without one in the space."""
        with self._turns.build(namespace) as build:
            return writing.add_vectors(build, space, vectors)

    def at_once(self) -> AbstractContextManager[None]:
        """What is written inside is seen whole, namespace by namespace, when the block ends, or not at all. Not to be settled in."""
        return self._turns.at_once()

    def settle(self) -> None:
        """Wait until the search indexes show what this process wrote, and note that they do; what takes too long is said by status and answers."""
        with self.writer():
            for namespace, state in list(self._turns.unsettled.items()):
                if self._indexes.fault or not self._lag.awaited(state, self._limits.settle_s):
                    continue
                with self._connection.faults():
                    ours = {"_id": namespace, "generation": state.generation}
                    self._connection.database[HOLDERS].update_one(ours, {"$set": {"settled": state.generation}})
                self._turns.settled(namespace)

    def setup(self, said: Callable[[str], None] = lambda _: None) -> tuple[Found, ...]:
        """Make the indexes that are not there, bring those that are to their present form, and wait until all can be asked; `said` is told what is waited for.

        Raises IndexUnusable where the server has no search, or an index failed.
        """
        self._indexes.make_catalog()
        spaces = self._homes.all()
        for space, collection in spaces:
            self._indexes.make_vectors(collection, space, self._estimated(collection))
        if self._indexes.fault:
            raise IndexUnusable(self._indexes.fault, "connect to Atlas, or to a MongoDB with search (docs/mongodb.md)")
        for space, collection in spaces:
            self._indexes.migrate(collection, space, self._estimated(collection))
        collections = dict.fromkeys((PRIMARY, *(collection for _, collection in spaces)))
        self._indexes.await_ready(collections, said=said)
        return self._indexes.all(collections)

    def _estimated(self, collection: str) -> int:
        with self._connection.faults():
            return self._connection.database[collection].estimated_document_count()

    def thin(self, namespace: str, kept: Collection[str]) -> tuple[str, ...]:
        """Forget the namespace's vectors of all models but those with a `kept` fingerprint, and delete what is dead. Returns the models' names."""
        with self._turns.build(namespace) as build:
            former = [space for space in build.state.spaces if space.fingerprint not in kept]
            for space in former:
                writing.forget_space(build, space)
            build.sweep()
            return tuple(space.model for space in former)

    # -- knowing --

    @property
    def read_only(self) -> bool:
        """Never by itself; a user who may not write is told so by the server."""
        return False

    @property
    def is_shared(self) -> bool:
        """Others keep their projects here, of whose names and roots nothing is to be concluded."""
        return True

    def renewed(self) -> bool:
        """There is nothing to be opened anew: each call asks the server."""
        return False

    def size_bytes(self) -> int:
        """What the database takes, with all that others keep in it."""
        with self._connection.faults():
            found = self._connection.database.command("dbStats")
        return int(found.get("storageSize", 0) + found.get("indexSize", 0))

    def namespaces(self) -> tuple[str, ...]:
        """Every namespace that the store holds, in order."""
        return tuple(self.all_facts())

    def all_facts(self) -> dict[str, dict[str, str]]:
        """The facts of every namespace, in order of name, by one question: a server asks it before each of its own."""
        with self._connection.faults():
            found = self._connection.database[HOLDERS].find({"generation": {"$exists": True}}, {"lease": 0}).sort("_id", 1)
            states = [state_of(one, one["_id"]) for one in found]
        return {state.namespace: dict(state.facts) for state in states if state.is_there}

    def files(self, namespace: str, paths: Collection[str] | None = None) -> dict[str, FileRecord]:
        """The namespace's file records by path, all or those of `paths`."""
        with self._connection.faults():
            return reading.files(self._connection, self._state(namespace), paths)

    def facts(self, namespace: str) -> dict[str, str]:
        """The namespace's facts."""
        return dict(self._state(namespace).facts)

    def spaces(self, namespace: str) -> tuple[Space, ...]:
        """The namespace's spaces, the primary one first."""
        return self._state(namespace).spaces

    def missing(self, namespace: str, space: Space, checksums: Collection[str]) -> set[str]:
        """Checksums for which no embedding is known in the space, wherever in the store."""
        with self._connection.faults():
            return reading.missing(self._connection, self._homes.of(space.fingerprint), space, checksums)

    def unembedded(self, namespace: str, space: Space, limit: int, after: str = "") -> list[Chunk]:
        """Chunks without an embedding in the space, in order of id."""
        state = self._state(namespace)
        if state.embedded.get(space.fingerprint, 0) >= state.chunks:
            return []
        with self._connection.faults():
            return reading.unembedded(self._connection, state, space, limit, after)

    def counts(self, namespace: str, space: Space | None = None) -> Counts:
        """What the namespace holds; `unsynced` is what the search indexes do not show yet."""
        state = self._state(namespace)
        unsynced = self._lag.of(state) if space and not self._indexes.fault else 0
        with self._connection.faults():
            return reading.counts(self._connection, state, space, unsynced)

    def stored(self, namespace: str, paths: Collection[str]) -> dict[str, Stored]:
        """Files with their chunks, outlines and vectors, by path."""
        with self._connection.faults():
            return exporting.stored(self._parts, self._state(namespace), paths)

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Everything that this thread reads inside belongs to the states that it met first."""
        if getattr(self._here, "held", None) is not None:
            yield
            return
        self._here.held = {}
        try:
            yield
        finally:
            self._here.held = None

    # -- searching --

    def keywords(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Leg:
        """Chunks by BM25F over what the scope shows."""
        sight = self._sight(scope)
        asked = single(list(islice(terms, _MOST_TERMS)))
        if not asked or limit <= 0 or not sight.size.chunks:
            return Leg((), 0.0, sight.generation)
        paths = self._restricted(sight, filters)
        return self._leg(sight, lambda: searching.by_keywords(sight, self._counted(), asked, filters, paths, limit))

    def nearest(self, scope: Scope, space: Space, vector: Vector, filters: Filters, limit: int) -> Leg:
        """Chunks by cosine, exact below a size. Warns when chunks are missing from the answer."""
        sight = self._sight(scope)
        if limit <= 0 or not vector.any():
            return Leg((), 0.0, sight.generation)
        if len(vector) != space.dims:
            raise ValueError(f"a question of {len(vector)} numbers in a space of {space.dims}")
        unit = vector / float((vector.astype("float64") ** 2).sum() ** 0.5)
        collection, paths = self._homes.of(space.fingerprint), self._restricted(sight, filters)

        def sampled() -> float:
            kept = Samples(self._names.path) if self._turns.is_pending else self._samples
            return kept.level(sight, collection, self._all_paths(sight), unit)

        return self._leg(sight, lambda: searching.by_vector(sight, collection, space, unit, filters, paths, limit, self._limits, sampled))

    def named(self, scope: Scope, names: Collection[str], filters: Filters, limit: int) -> tuple[Hit, ...]:
        """Chunks of definitions by name or qualified name."""
        with self._connection.faults():
            return reading.named(self._sight(scope), names, filters, limit)

    def at(self, scope: Scope, filepath: str, line: int, filters: Filters) -> tuple[Hit, ...]:
        """The chunks that hold a line of a file."""
        sight = self._sight(scope)
        with self._connection.faults():
            return reading.at(sight, reading.ending_in(self._all_paths(sight), filepath), line, filters)

    def holding(self, scope: Scope, word: str) -> tuple[str, ...]:
        """The files that hold a word, or one that is analysed alike."""
        words, sight = list(single(terms_of(word))), self._sight(scope)
        if not words or not sight.size.chunks:
            return ()
        return self._asked(lambda: searching.holding(sight, words), ())

    def names(self, scope: Scope) -> tuple[str, ...]:
        """The last parts of all definitions' names, case folded."""
        with self._connection.faults():
            return reading.names(self._sight(scope))

    def statistics(self, scope: Scope, terms: Collection[str]) -> TermStatistics:
        """How many chunks in scope there are and how many hold each term."""
        sight, asked = self._sight(scope), list(islice(terms, _MOST_TERMS))
        none = TermStatistics(sight.size.chunks)
        return self._asked(lambda: searching.term_statistics(sight, self._counted(), asked), none)

    def chunks(self, scope: Scope, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Chunk]:
        """Whole chunks by key, those that the scope shows."""
        with self._connection.faults():
            return reading.chunks(self._sight(scope), keys)

    def outline(self, scope: Scope, filepath: str) -> tuple[Definition, ...]:
        """The definitions of a file."""
        with self._connection.faults():
            return reading.outline(self._sight(scope), filepath)[0]

    def references(self, scope: Scope, filepath: str) -> tuple[Reference, ...]:
        """What a file mentions."""
        with self._connection.faults():
            return reading.outline(self._sight(scope), filepath)[1]

    def outlines(self, scope: Scope) -> Iterator[tuple[str, tuple[Definition, ...], tuple[Reference, ...]]]:
        """What every file defines and mentions."""
        with self._connection.faults():
            return reading.outlines(self._sight(scope))

    def close(self) -> None:
        """Give back the sockets."""
        self._connection.close()

    # -- inside --

    def _states(self, namespaces: Iterable[str]) -> list[State]:
        """The states of these namespaces, those that this thread has met in its moment, or is writing, as it knows them."""
        names = list(dict.fromkeys(namespaces))
        held: dict[str, State] = getattr(self._here, "held", None) or {}
        known = {name: state for name in names if (state := self._turns.pending(name) or held.get(name))}
        if asked := [name for name in names if name not in known]:
            with self._connection.faults():
                found = {one["_id"]: one for one in self._connection.database[HOLDERS].find({"_id": {"$in": asked}}, {"lease": 0})}
            known.update({name: state_of(found.get(name), name) for name in asked})
        if getattr(self._here, "held", None) is not None:
            self._here.held = {**known, **held}
        return [known[name] for name in names]

    def _state(self, namespace: str) -> State:
        return self._states([namespace])[0]

    def _sight(self, scope: Scope) -> Sight:
        return Sight(self._connection, self._names, scope, self._states(scope.namespaces))

    def _restricted(self, sight: Sight, filters: Filters) -> Paths:
        """The files that path filters let through: named where they are few."""
        if not filters.paths:
            return Paths()
        passes = paths_pass(filters.paths)
        few = [path for path in reading.every_path(self._all_paths(sight)) if passes(path)]
        if len(few) <= self._limits.files:
            return Paths(few=tuple(map(packed, few)))
        return Paths(pattern=path_pattern(map(expression, filters.paths)))

    def _all_paths(self, sight: Sight) -> dict[str, tuple[str, ...]]:
        """The paths of the namespaces in scope, kept while nothing changes."""
        while len(self._paths) > _KEPT:
            self._paths.pop(next(iter(self._paths)))
        found = {}
        for state in sight.states:
            key = (state.namespace, state.generation)
            is_pending = self._turns.pending(state.namespace) is not None  # its number may yet be another build's
            known = None if is_pending else self._paths.get(key)
            if known is None:
                with self._connection.faults():
                    known = tuple(reading.paths(self._connection, state))
                if not is_pending:
                    self._paths[key] = known
            found[state.namespace] = known
        return found

    def _counted(self) -> searching.Counts:
        """What was counted, for some sights; of what is being written nothing is kept."""
        if self._turns.is_pending:
            return {}
        if len(self._counts) > _KEPT:
            self._counts = {}
        return self._counts

    def _asked(self, question: Callable[[], _Made], none: _Made) -> _Made:
        """The answer of the search indexes, or `none` where the server has no search."""
        from pymongo.errors import OperationFailure

        if self._indexes.fault:
            return none
        with self._connection.faults():
            try:
                return question()
            except OperationFailure as fault:
                if not without_search(fault):
                    raise
                self._indexes.fault = NO_SEARCH_HERE
                return none

    def _leg(self, sight: Sight, question: Callable[[], Leg]) -> Leg:
        """A leg's answer, and how far the search indexes are behind; without search, that."""
        leg = self._asked(question, Leg((), 0.0, sight.generation))
        if self._indexes.fault:
            return replace(leg, warnings=(*leg.warnings, self._indexes.fault))
        late = 0 if self._turns.is_pending else sum(self._lag.of(state) for state in sight.states)
        return replace(leg, warnings=(*leg.warnings, behind(late))) if late else leg
