"""How does a change come about? As a build: written beside what is seen, then seen at once, or undone.

Every document says with which build it was `born` and with which it `died`. A build writes new documents and marks old ones; readers look
at the state of their namespace, which names the build that is seen, and see nothing of a later one. Replacing that state is one write.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from clew.errors import WriterBusy
from clew.stores.mongodb.documents import ALIVE, Document
from clew.stores.mongodb.indexes import FILES, OUTLINES
from clew.stores.mongodb.state import HOLDERS, PRIMARY, Size, State, document_of, state_of

if TYPE_CHECKING:
    from clew.core.catalog import Space
    from clew.stores.mongodb.connection import Connection
    from clew.stores.mongodb.homes import Homes
    from clew.stores.mongodb.indexes import Indexes
    from clew.stores.mongodb.lease import Lease

BULK = 500
"""Writes in one command; a server takes 100,000, and a few megabytes at a time keep both sides busy."""


class Parts(NamedTuple):
    """What a build is made with."""

    connection: Connection
    homes: Homes
    indexes: Indexes
    vector_path: str
    grace_s: float


class Build:
    """One build of one namespace, from `begin` to `commit` or `undo`. `state` is what will be seen."""

    def __init__(self, parts: Parts, lease: Lease, state: State) -> None:
        self.parts = parts
        self.lease = lease
        self.before = state
        first = state.generation + 1 if state.generation else int(time.time() * 1000)  # so that no life of a namespace repeats another's
        self.state = replace(state, generation=first)
        self._sizes = {name: list(size) for name, size in state.sizes.items()}
        self._embedded = dict(state.embedded)
        self._operations = 0

    @property
    def number(self) -> int:
        """The build's own."""
        return self.state.generation

    @property
    def namespace(self) -> str:
        """Whose build it is."""
        return self.state.namespace

    @property
    def is_changed(self) -> bool:
        """Whether anything is to be seen of it."""
        return self._operations > 0

    def touch(self) -> None:
        """One more operation changes something, if only a fact."""
        self._operations += 1

    @property
    def alive(self) -> Document:
        """What the build sees: what was there, and what it has written itself."""
        return {"namespace_id": self.namespace, "born": {"$lte": self.number}, "died": {"$gt": self.number}}

    @property
    def collections(self) -> tuple[str, ...]:
        """Where the namespace may have documents."""
        return (PRIMARY, *self.parts.homes.beside(), FILES, OUTLINES)

    def begin(self) -> None:
        """Say that a build is on its way, so that whoever comes after a crash undoes it."""
        self.lease.check()
        self.parts.indexes.make_catalog()
        with self.parts.connection.faults():
            begun = self._holder().update_one(self._ours(), {"$set": {"building": self.number}})
        self._still_ours(begun.matched_count)

    def commit(self) -> State:
        """Let the build be seen, all of it at once."""
        now = int(time.time())
        state, sweep = self._state(), 0
        if now - state.swept[1] >= self.parts.grace_s:
            sweep, state = state.swept[0], replace(state, swept=(self.number, now))
        if sweep:
            self._sweep(sweep)
        self.lease.check()
        with self.parts.connection.faults():
            if state.is_there:
                change = {"$set": document_of(state), "$unset": {"building": ""}}
            else:
                change = {"$unset": dict.fromkeys((*document_of(state), "building"), "")}
            done = self._holder().update_one({**self._ours(), "building": self.number}, change)
        self._still_ours(done.matched_count)
        if not state.is_there:
            self._sweep(self.number)
        return state

    def undo(self) -> State:
        """Take back what was written; returns the state as it was."""
        return undo(self.parts, self.lease, self.before)

    def leave(self) -> None:
        """End without having written anything."""
        with self.parts.connection.faults():
            self._holder().update_one(self._ours(), {"$unset": {"building": ""}})

    # -- what operations do --

    def write(self, collection: str, operations: Iterable[Any]) -> None:
        """Carry out writes in order, many in one command."""
        self.lease.check()
        home = self.parts.connection.database[collection]
        with self.parts.connection.faults():
            for some in _slices(operations):
                home.bulk_write(some, ordered=True)
                self.lease.check()

    def end(self, collection: str, query: Document) -> int:
        """Let documents die; those of this build, which nobody saw, are deleted. Returns how many there were."""
        home = self.parts.connection.database[collection]
        with self.parts.connection.faults():
            own = 0
            if self._operations > 1:  # the first one has nothing of its own to replace
                own = home.delete_many({**query, "namespace_id": self.namespace, "born": self.number}).deleted_count
            older = {**query, "namespace_id": self.namespace, "born": {"$lt": self.number}, "died": ALIVE}
            died = home.update_many(older, {"$set": {"died": self.number}}).modified_count
        return int(own + died)

    def count(self, visibility: str, chunks: int, words: int) -> None:
        """Add to what the namespace holds of a visibility."""
        size = self._sizes.setdefault(visibility, [0, 0])
        size[0] += chunks
        size[1] += words

    def count_embedded(self, fingerprint: str, chunks: int) -> None:
        """Add to how many chunks have a vector in a space."""
        self._embedded[fingerprint] = self._embedded.get(fingerprint, 0) + chunks

    def empty(self) -> None:
        """Nothing is known of the namespace any more."""
        self.state = State(self.namespace, self.number, swept=self.state.swept, settled=self.state.settled)
        self._sizes, self._embedded = {}, {}

    def forget_space(self, space: Space) -> None:
        """The namespace has no vectors in a space any more."""
        self.state = replace(self.state, spaces=tuple(one for one in self.state.spaces if one != space))
        self._embedded.pop(space.fingerprint, None)

    def pending(self) -> State:
        """The state as it would be seen now."""
        return self._state()

    def sweep(self) -> None:
        """Delete all that is dead when the build is seen, without grace."""
        self._sweep(self.before.generation)

    def _state(self) -> State:
        sizes = {name: Size(*size) for name, size in self._sizes.items() if size[0]}
        embedded = {name: count for name, count in self._embedded.items() if count}
        return replace(self.state, sizes=sizes, embedded=embedded)

    def _sweep(self, build: int) -> None:
        sweep(self.parts, self.namespace, self.collections, build)

    def _ours(self) -> Document:
        return {"_id": self.namespace, "lease.token": self.lease.token}

    def _holder(self) -> Any:
        return self.parts.connection.database[HOLDERS]

    def _still_ours(self, matched: int) -> None:
        if not matched:
            raise WriterBusy(f"somebody else has taken over writing {self.namespace}", "run the command again")


def sweep(parts: Parts, namespace: str, collections: Iterable[str], build: int) -> None:
    """Delete what died with a build or before."""
    with parts.connection.faults():
        for collection in collections:
            parts.connection.database[collection].delete_many({"namespace_id": namespace, "died": {"$lte": build}})


def undo(parts: Parts, lease: Lease, state: State) -> State:
    """Take back a build that was begun after a state and never seen, and count anew what it may have added to living documents."""
    seen = state.generation
    collections = (PRIMARY, *parts.homes.beside(), FILES, OUTLINES)
    with parts.connection.faults():
        for collection in collections:
            home = parts.connection.database[collection]
            home.delete_many({"namespace_id": state.namespace, "born": {"$gt": seen}})
            home.update_many({"namespace_id": state.namespace, "died": {"$gt": seen, "$lt": ALIVE}}, {"$set": {"died": ALIVE}})
        alive = {"namespace_id": state.namespace, "died": ALIVE}
        chunks = parts.connection.database[PRIMARY]
        embedded = {
            space.fingerprint: number
            for space in state.spaces
            if (number := chunks.count_documents({**alive, "spaces": space.fingerprint}))
        }
        parts.connection.database[HOLDERS].update_one(
            {"_id": state.namespace, "lease.token": lease.token},
            {"$unset": {"building": ""}, **({"$set": {"embedded": embedded}} if seen else {})},
        )
    return replace(state, embedded=embedded)


def recovered(parts: Parts, lease: Lease, found: Any) -> State:
    """The state of a namespace whose lease was just taken, what a dead writer left half-done undone."""
    state = state_of(found, lease.namespace)
    return undo(parts, lease, state) if "building" in found else state


def _slices(operations: Iterable[Any]) -> Iterator[list[Any]]:
    some: list[Any] = []
    for operation in operations:
        some.append(operation)
        if len(some) >= BULK:
            yield some
            some = []
    if some:
        yield some
