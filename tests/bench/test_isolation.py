"""Does nothing that a store answers reveal a namespace to who may not see it? The benchmark at a small size, and a door that leaks."""

from __future__ import annotations

import pytest
from bench.isolation import World, run

from clew.access.door import Door
from clew.core.access import NamespaceRecord, Principal
from clew.testing import MemoryStore


@pytest.mark.parametrize(("store", "operations"), [("memory", 1500), ("embedded", 200), ("mongodb", 60)])
def test_random_operations_of_random_principals_reveal_nothing(store: str, operations: int) -> None:
    world = run(store, operations, 7)
    assert world.violations == [] and world.done.total() == operations


class LeakyDoor(Door):
    """Forgets to ask who may see what."""

    def records(self, who: Principal) -> tuple[NamespaceRecord, ...]:
        return super().records(Principal(who.name, "admin"))


def test_a_door_that_leaks_is_noticed() -> None:
    world = World(MemoryStore(), 7)
    world.door = LeakyDoor(world.store)
    for _ in range(300):
        world.step()
    assert world.violations
