"""Whose turn is it to write? Leases are taken when a namespace is first written, builds seen when a block ends."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clew.errors import ClewError
from clew.stores.mongodb.build import Build, Parts, recovered
from clew.stores.mongodb.lease import NOW, Lease
from clew.stores.mongodb.state import HOLDERS, State

if TYPE_CHECKING:
    from collections.abc import Iterator


class Turns:
    """The writing side of one store. One thread writes at a time, others wait; other processes are told who does."""

    def __init__(self, parts: Parts, home: str, lease_s: float) -> None:
        self._parts = parts
        self._home = home
        self._lease_s = lease_s
        self._turn = threading.RLock()
        self._depth = 0
        self._leases: dict[str, Lease] = {}
        self._kept: dict[str, State] = {}
        self._pending: dict[str, Build] | None = None
        self._writes_in = 0
        self.unsettled: dict[str, State] = {}

    @contextmanager
    def writer(self) -> Iterator[None]:
        """Be the one who writes until the block ends. Raises WriterBusy where another process writes the home namespace."""
        with self._turn:
            self._depth += 1
            try:
                if self._home:
                    self._lease(self._home)
                yield
            finally:
                self._depth -= 1
                if not self._depth:
                    self._give_back()

    @contextmanager
    def build(self, namespace: str) -> Iterator[Build]:
        """A build that is seen when the block ends; inside of `at_once`, the one that is seen when that ends. Where nothing was changed, nothing is seen."""
        with self.writer():
            if self._pending is not None:
                if namespace not in self._pending:
                    self._pending[namespace] = self._begun(namespace)
                yield self._pending[namespace]
                return
            build = self._begun(namespace)
            try:
                yield build
                self._end(build)
            except BaseException:
                self._undo(build)
                raise

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What is built inside is seen when the block ends, or undone."""
        with self.writer():
            if self._pending is not None:
                yield
                return
            self._pending, self._writes_in = {}, threading.get_ident()
            builds = self._pending
            try:
                yield
                while builds:
                    name = next(iter(builds))
                    self._end(builds[name])
                    del builds[name]
            except BaseException:
                for build in builds.values():
                    self._undo(build)
                raise
            finally:
                self._pending, self._writes_in = None, 0

    def pending(self, namespace: str) -> State | None:
        """What this thread has written of a namespace and nobody else sees yet."""
        pending = self._pending
        if pending is None or namespace not in pending or self._writes_in != threading.get_ident():
            return None
        return pending[namespace].pending()

    @property
    def is_pending(self) -> bool:
        """Whether this thread writes what nobody else sees yet."""
        return self._pending is not None and self._writes_in == threading.get_ident()

    def settled(self, namespace: str) -> None:
        """The indexes show what was written of a namespace."""
        state = self.unsettled.pop(namespace)
        if namespace in self._kept:
            self._kept[namespace] = replace(self._kept[namespace], settled=state.generation)

    def owner(self) -> str:
        """Who writes the home namespace, or any where there is none, in words; empty when nobody does."""
        ours = {"_id": self._home} if self._home else {}
        looks: list[dict[str, Any]] = [
            {"$match": {"lease": {"$exists": True}, **ours}},
            {"$project": {"owner": "$lease.owner", "lasts": {"$gte": ["$lease.until", NOW]}}},
            {"$match": {"lasts": True}},
            {"$sort": {"_id": 1}},
        ]
        with self._parts.connection.faults():
            found = next(iter(self._parts.connection.database[HOLDERS].aggregate(looks)), None)
        return str(found.get("owner", "")) if found else ""

    def _begun(self, namespace: str) -> Build:
        lease = self._lease(namespace)
        build = Build(self._parts, lease, self._kept[namespace])
        build.begin()
        return build

    def _lease(self, namespace: str) -> Lease:
        held = self._leases.get(namespace)
        if held is None:
            held = Lease(self._parts.connection, namespace, self._lease_s)
            found = held.take()
            self._leases[namespace] = held
            self._kept[namespace] = recovered(self._parts, held, found)
        return held

    def _end(self, build: Build) -> None:
        if not build.is_changed:
            build.leave()
            return
        state = build.commit()
        self._kept[build.namespace] = state if state.is_there else State(build.namespace)
        self.unsettled[build.namespace] = state

    def _undo(self, build: Build) -> None:
        """Take back a build; where the server is gone, whoever writes next does."""
        with suppress(ClewError):
            self._kept[build.namespace] = build.undo()

    def _give_back(self) -> None:
        leases, self._leases = self._leases, {}
        self._kept.clear()
        for lease in leases.values():
            lease.give_back()
