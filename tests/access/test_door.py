"""Does the one door give each caller a scope of theirs, and refuse in words that tell nothing?"""

from __future__ import annotations

import pytest

from clew.access import Door, Entry, to_facts
from clew.core.access import NamespaceRecord, Principal
from clew.core.catalog import Changes
from clew.errors import Forbidden, NoSuchNamespace
from clew.testing import MemoryStore

ANN = Principal("ann", "developer", frozenset({"red"}))
BOB = Principal("bob", "viewer")
ROOT = Principal("root", "admin")


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    for record in (
        NamespaceRecord("anns", owner="ann"),
        NamespaceRecord("bobs", owner="bob"),
        NamespaceRecord("open", owner="root", visibility="public"),
        NamespaceRecord("reds", owner="root", team="red", visibility="team"),
    ):
        store.apply(Changes(record.name, facts=to_facts(record)))
    return store


def names(door: Door, who: Principal) -> list[str]:
    return [record.name for record in door.records(who)]


def test_each_sees_what_is_theirs_their_teams_and_everybodys(store: MemoryStore) -> None:
    door = Door(store)
    assert names(door, ANN) == ["anns", "open", "reds"]
    assert names(door, BOB) == ["bobs", "open"]
    assert names(door, ROOT) == ["anns", "bobs", "open", "reds"]
    assert door.scope(ANN).namespaces == ("anns", "open", "reds")
    assert door.scope(ANN, names=("open",)).namespaces == ("open",)


def test_a_namespace_that_there_is_not_and_one_that_is_not_theirs_are_refused_with_the_same_words(store: MemoryStore) -> None:
    def refusal(name: str) -> tuple[str, str, str]:
        with pytest.raises(NoSuchNamespace) as refused:
            Door(store).scope(ANN, names=(name,))
        return refused.value.code, refused.value.message.replace(name, "…"), refused.value.hint

    assert refusal("bobs") == refusal("none")


def test_a_role_that_does_not_reach_is_refused_with_what_it_does_not_reach_for(store: MemoryStore) -> None:
    with pytest.raises(Forbidden, match="bob may not delete from open"):
        Door(store).open(BOB, "delete", "open")
    assert Door(store).open(BOB, "delete", "bobs").owner == "bob"
    assert Door(store).scope(BOB, "index").namespaces == ("bobs",)


def test_what_was_taken_from_somebody_is_gone_with_their_next_question(store: MemoryStore) -> None:
    door = Door(store)
    store.apply(Changes("open", facts=door.changed(ROOT, "open", visibility="private")))
    assert names(door, BOB) == ["bobs"]


def test_a_grant_reaches_one_namespace_and_can_be_taken_back(store: MemoryStore) -> None:
    door = Door(store)
    store.apply(Changes("anns", facts=door.granted(ANN, "anns", "bob", "operator")))
    assert door.role(BOB, "anns") == "operator"
    assert names(door, BOB) == ["anns", "bobs", "open"]
    with pytest.raises(Forbidden):
        door.granted(BOB, "anns", "cem", "viewer")
    store.apply(Changes("anns", facts=door.granted(ANN, "anns", "bob", None)))
    assert names(door, BOB) == ["bobs", "open"]


def test_a_name_is_taken_once_by_who_may_index(store: MemoryStore) -> None:
    door = Door(store)
    store.apply(Changes("new", facts=door.claimed(ANN, "new", team="red", visibility="team")))
    assert door.role(ANN, "new") == "admin"
    refusals = set()
    for taken in ("new", "bobs"):
        with pytest.raises(Forbidden) as refused:
            door.claimed(ANN, taken)
        refusals.add((refused.value.message.replace(taken, "…"), refused.value.hint))
    assert len(refusals) == 1, "whose the name is makes no difference"
    with pytest.raises(Forbidden, match="may not index"):
        door.claimed(BOB, "another")


def test_refusals_are_written_down(store: MemoryStore) -> None:
    seen: list[Entry] = []
    door = Door(store, seen.append)
    with pytest.raises(NoSuchNamespace):
        door.scope(BOB, names=("anns",))
    with pytest.raises(Forbidden):
        door.open(BOB, "delete", "open")
    assert [(entry.who, entry.what, entry.namespaces, entry.allowed) for entry in seen] == [
        ("bob", "search", ("anns",), False),
        ("bob", "delete", ("open",), False),
    ]
