"""Does anything that a store answers reveal a namespace to who may not see it? Random principals, random operations, checked against rules written anew.

python bench/isolation.py --operations 100000 --store memory --seed 1        (memory, embedded or mongodb)
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from clew.access import Door
from clew.core.access import PERMISSIONS, ROLES, Permission, Principal
from clew.core.chunk import VISIBILITIES
from clew.core.query import Filters
from clew.errors import ClewError, Forbidden, NoSuchNamespace
from clew.testing import HashingEmbedder, MemoryStore, a_change, a_chunk, a_file

EMBEDDER = HashingEmbedder(8)
PEOPLE, TEAMS = ("ann", "bob", "eve", "root"), ("red", "blue")
NAMES = ("alpha", "birch", "cedar", "drift", "ember", "frost")
NOBODYS = "zebra"
"""A name as long as the others that nothing ever has."""
LEAST = {"search": 0, "read": 0, "samples": 1, "index": 1, "delete": 2, "manage": 3}
"""The least role for each permission, by its place among the roles: docs/teams.md, not the product's own table."""


@dataclass
class Owned:
    """What the model knows of a namespace."""

    owner: str
    team: str = ""
    visibility: str = "private"
    grants: dict[str, str] = field(default_factory=dict)
    chunks: int = 0


class World:
    """A store with its door, and beside it the model: who may what is computed here from the words of the documents alone."""

    def __init__(self, store: Any, seed: int) -> None:
        self.store, self.door, self.chance = store, Door(store), random.Random(seed)
        self.model: dict[str, Owned] = {}
        self.done: Counter[str] = Counter()
        self.violations: list[str] = []

    def step(self) -> None:
        """One operation of somebody."""
        who, name = self.somebody(), self.chance.choice(NAMES)
        kinds: tuple[Callable[[Principal, str], None], ...] = (self.create, self.change, self.grant, self.delete)
        asks = (self.list, self.search, self.search_named, self.twin)
        kind = self.chance.choice(kinds if self.chance.random() < 0.2 else asks)
        self.done[kind.__name__] += 1
        kind(who, name)

    def somebody(self) -> Principal:
        """A principal, now and then with a token that holds less than its bearer may."""
        pick = self.chance
        narrow = frozenset(pick.sample(NAMES, pick.randint(0, 4))) if pick.random() < 0.3 else None
        less = frozenset(pick.sample(PERMISSIONS, pick.randint(0, 5))) if pick.random() < 0.3 else None
        teams = frozenset(pick.sample(TEAMS, pick.randint(0, 2)))
        return Principal(pick.choice(PEOPLE), pick.choice(ROLES[:3] if pick.random() < 0.9 else ROLES), teams, narrow, less)

    def rank(self, who: Principal, name: str) -> int:
        """The place of the principal's role in a namespace; -1 for who may not know of it."""
        one = self.model.get(name)
        if one is None or (who.namespaces is not None and name not in who.namespaces):
            return -1
        ranks = [-1]
        if one.owner == who.name:
            ranks.append(3)
        if one.visibility == "public" or who.role == "admin" or (one.visibility == "team" and one.team in who.teams):
            ranks.append(ROLES.index(who.role))
        if who.name in one.grants:
            ranks.append(ROLES.index(one.grants[who.name]))  # type: ignore[arg-type] # written from ROLES
        return max(ranks)

    def may(self, who: Principal, permission: Permission, name: str) -> bool:
        """Whether the model lets the principal do this."""
        return self.rank(who, name) >= LEAST[permission] and (who.permissions is None or permission in who.permissions)

    # -- changing --

    def create(self, who: Principal, name: str) -> None:
        visibility = self.chance.choice(VISIBILITIES)
        facts = self.allowed(lambda: self.door.claimed(who, name, self.chance.choice(TEAMS), visibility))
        if facts is None:
            return
        self.expect(name not in self.model, f"{name} was taken twice")
        many = self.chance.randint(0, 3)
        chunks = [a_chunk(f"{name}.py", f"f_{name}_{at}", f"common {name}", line=1 + at) for at in range(many)]
        self.store.apply(a_change(name, a_file(f"{name}.py", *chunks, embedder=EMBEDDER), embedder=EMBEDDER, facts=facts))
        self.model[name] = Owned(who.name, facts["team"], visibility, {}, many)

    def change(self, who: Principal, name: str) -> None:
        visibility, team = self.chance.choice(VISIBILITIES), self.chance.choice(TEAMS)
        facts = self.allowed(lambda: self.door.changed(who, name, visibility=visibility, team=team))
        self.expect((facts is not None) == self.may(who, "manage", name), f"{who} changes {name}")
        if facts is not None:
            self.store.apply(a_change(name, embedder=EMBEDDER, facts=facts))
            self.model[name].visibility, self.model[name].team = visibility, team

    def grant(self, who: Principal, name: str) -> None:
        to, role = self.chance.choice(PEOPLE), self.chance.choice((*ROLES, None))
        facts = self.allowed(lambda: self.door.granted(who, name, to, role))
        self.expect(facts is None or self.may(who, "manage", name), f"{who} grants in {name}")
        if facts is not None:
            self.store.apply(a_change(name, embedder=EMBEDDER, facts=facts))
            self.model[name].grants.pop(to, None)
            self.model[name].grants.update({to: role} if role else {})

    def delete(self, who: Principal, name: str) -> None:
        gone = self.allowed(lambda: self.door.open(who, "delete", name))
        self.expect((gone is not None) == self.may(who, "delete", name), f"{who} deletes {name}")
        if gone is not None:
            self.store.forget(name)
            del self.model[name]

    # -- asking --

    def list(self, who: Principal, _: str) -> None:
        found = [record.name for record in self.door.records(who)]
        self.expect(found == sorted(name for name in self.model if self.rank(who, name) >= 0), f"{who} lists {found}")

    def search(self, who: Principal, _: str) -> None:
        self.seen(who, (), {name for name in self.model if self.may(who, "search", name)})

    def search_named(self, who: Principal, name: str) -> None:
        names = (name, self.chance.choice(NAMES))
        allowed = all(self.may(who, "search", one) for one in names)
        self.seen(who, names, set(names) if allowed else None)

    def seen(self, who: Principal, names: tuple[str, ...], expected: set[str] | None) -> None:
        """Everything that a scope shows is what the model says, down to counts and names."""
        scope = self.allowed(lambda: self.door.scope(who, "search", names))
        self.expect((scope is None) == (expected is None), f"{who} searches {names}")
        if scope is None or expected is None:
            return
        here = [name for name in expected if self.model[name].chunks]
        total = sum(self.model[name].chunks for name in here)
        hits = self.store.keywords(scope, ["common"], Filters(), 50).hits
        near = self.store.nearest(scope, EMBEDDER.space, EMBEDDER.embed_query("common"), Filters(), 50)
        for found in (hits, near.hits):
            self.expect(Counter(hit.namespace for hit in found) == {name: self.model[name].chunks for name in here}, f"{who} finds {found}")
        self.expect(not near.warnings, f"{who} is warned: {near.warnings}")
        asked = ["common", *NAMES]
        counts = {"common": total, **{name: self.model[name].chunks for name in here}}
        told = self.store.statistics(scope, asked)
        self.expect(
            told.total == total and dict(told.frequency) == {term: many for term, many in counts.items() if many}, f"{who} counts {told}"
        )
        names_there = sorted(f"f_{name}_{at}" for name in here for at in range(self.model[name].chunks))
        self.expect(list(self.store.names(scope)) == names_there, f"{who} reads names")

    def twin(self, who: Principal, name: str) -> None:
        """What may not be seen answers as what there is not: the same bytes, raised at the same place."""
        calls: tuple[Callable[[str], Any], ...] = (
            lambda one: self.door.scope(who, "search", (one,)),
            lambda one: self.door.open(who, self.chance.choice(PERMISSIONS), one),
            lambda one: self.door.role(who, one),
            lambda one: self.door.granted(who, one, "bob", "viewer"),
            lambda one: self.door.changed(who, one, visibility="public"),
        )
        call = self.chance.choice(calls)
        if self.rank(who, name) < 0:
            hidden, none = fault_of(lambda: call(name)), fault_of(lambda: call(NOBODYS))
            self.expect(hidden is not None and none is not None, f"{who} is let in: {name}")
            self.expect(str(hidden).replace(name, NOBODYS) == str(none), f"{hidden} is not {none}")

    # -- inside --

    def allowed(self, call: Callable[[], Any]) -> Any:
        """What the door gives, None where it refuses."""
        try:
            return call()
        except (Forbidden, NoSuchNamespace):
            return None

    def expect(self, holds: bool, said: str) -> None:
        if not holds:
            self.violations.append(said)


def fault_of(call: Callable[[], Any]) -> tuple[str, ...] | None:
    """A refusal as everybody sees it, with the lines of code that it came through."""
    try:
        call()
    except ClewError as fault:
        places = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(fault.__traceback__)[2:]]
        return (type(fault).__name__, fault.message, fault.hint, *places)
    return None


@contextmanager
def opened(kind: str) -> Iterator[Any]:
    """An empty store of a kind."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "memory":
            yield MemoryStore()
        elif kind == "embedded":
            from clew.stores.embedded import EmbeddedStore

            with EmbeddedStore.open(Path(folder)) as store:
                yield store
        else:
            from tests.mongo.proxy import mongodb

            from clew.stores.mongodb import MongoStore
            from clew.stores.mongodb.address import place
            from clew.stores.mongodb.limits import Limits

            with mongodb(Path(folder)) as (address, _, _):
                mongo = MongoStore(place(address, {}.get), Path(folder), limits=Limits(grace_s=0))
                yield mongo
                mongo.close()


def run(kind: str, operations: int, seed: int) -> World:
    """So many operations on a new store."""
    with opened(kind) as store:
        world = World(store, seed)
        for _ in range(operations):
            world.step()
    return world


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=1000)
    parser.add_argument("--store", choices=("memory", "embedded", "mongodb"), default="memory")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    world = run(asked.store, asked.operations, asked.seed)
    print(f"{asked.store}, seed {asked.seed}: {world.done.total()} operations {dict(sorted(world.done.items()))}")
    print(f"{len(world.violations)} violations", *world.violations[:20], sep="\n")
    return 1 if world.violations else 0


if __name__ == "__main__":
    sys.exit(main())
