"""Is a change seen whole or not at all, whatever happens to whoever makes it?"""

from __future__ import annotations

from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from clew.core.query import Filters, Scope
from clew.core.words import query_terms
from clew.errors import ClewError, WriterBusy
from clew.testing import HashingEmbedder, a_change, a_chunk, a_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.stores.mongodb.conftest import Server

    from clew.core.catalog import Changes
    from clew.stores.mongodb import MongoStore

EMBEDDER, OTHER = HashingEmbedder(16), HashingEmbedder(24, name="other")
SEEN = Scope(("home",))
ONE, TWO, THREE = (a_chunk(f"{name}.py", name, f"def {name}(): return needle") for name in ("one", "two", "three"))


def before() -> Changes:
    return a_change(
        "home",
        a_file("one.py", ONE, embedder=EMBEDDER),
        a_file("two.py", TWO, embedder=EMBEDDER),
        embedder=EMBEDDER,
        facts={"state": "before"},
    )


def after() -> Changes:
    changed = a_chunk("one.py", "changed", "def changed(): return needle")
    return a_change(
        "home",
        a_file("one.py", changed, embedder=EMBEDDER),
        a_file("three.py", THREE, embedder=EMBEDDER),
        embedder=EMBEDDER,
        deleted=("two.py",),
        facts={"state": "after"},
    )


def shown(store: MongoStore) -> Any:
    """All that a reader sees."""
    paths = store.files("home")
    hits = store.keywords(SEEN, query_terms("needle"), Filters(), 9).hits
    near = store.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query("needle"), Filters(), 9).hits
    counted = store.counts("home", EMBEDDER.space)
    return {
        "files": sorted(paths),
        "facts": store.facts("home"),
        "words": [hit.symbol_name for hit in hits],
        "near": sorted(hit.symbol_name for hit in near),
        "names": store.names(SEEN),
        "outlines": [path for path, *_ in store.outlines(SEEN)],
        "chunks": sorted(store.chunks(SEEN, [hit.key for hit in hits])),
        "counts": (counted.files, counted.chunks, counted.unembedded),
        "statistics": store.statistics(SEEN, ["needl", "chang"]),
    }


def test_a_writer_that_loses_the_server_at_any_write_leaves_what_was_or_what_is_to_be(
    server: Server, opened: Callable[..., MongoStore], database: Any
) -> None:
    first = opened()
    first.apply(before())
    was = shown(first)
    model = opened()
    model.forget("home")
    model.apply(before())
    model.apply(after())
    is_to_be = shown(model)
    assert was != is_to_be
    seen = []
    for writes in range(60):
        reset, writer, reader = opened(), opened(grace_s=0), opened()
        reset.forget("home")
        reset.apply(before())
        assert shown(reset) == was
        server.proxy.gone_after(writes)
        try:
            writer.apply(after())
        except ClewError as fault:
            assert "127.0.0.1" in fault.message
        lost = server.proxy.is_gone
        server.proxy.back()
        found = shown(reader)
        assert found in (was, is_to_be), writes
        seen.append(found == is_to_be)
        database["namespaces"].update_many({}, {"$unset": {"lease": ""}})  # as time does
        reader.apply(a_change("home", facts={"again": "yes"}))  # whoever writes next cleans up
        assert {**shown(reader), "facts": 0} == {**found, "facts": 0}
        leftovers = {
            "namespace_id": "home",
            "died": {"$gt": database["namespaces"].find_one({"_id": "home"})["generation"], "$lt": 2**53 - 1},
        }
        assert database["chunks"].count_documents(leftovers) == 0
        reader.apply(after())
        assert {**shown(reader), "facts": 0} == {**is_to_be, "facts": 0}
        if not lost:
            break
    assert seen == sorted(seen) and seen[0] is False and seen[-1] is True and len(seen) > 5


def test_a_change_that_fails_is_taken_back(opened: Callable[..., MongoStore]) -> None:
    store = opened()
    store.apply(before())
    was = shown(store)

    class Stop(Exception):
        pass

    with pytest.raises(Stop), store.at_once():
        store.forget("home")
        store.apply(after())
        store.add_vectors("home", OTHER.space, {THREE.checksum: OTHER.embed_documents([THREE.text])[0]})
        assert store.facts("home") == {"state": "after"}
        raise Stop
    assert shown(store) == was and store.spaces("home") == (EMBEDDER.space,)


def test_what_is_written_at_once_is_seen_by_others_when_all_of_it_is(opened: Callable[..., MongoStore]) -> None:
    store, reader = opened(), opened()
    store.apply(before())
    was = shown(reader)
    with store.at_once():
        store.forget("home")
        assert store.files("home") == {} and store.names(SEEN) == ()
        store.apply(before())
        store.apply(after())
        store.apply(a_change("home", a_file("one.py", ONE, embedder=EMBEDDER), embedder=EMBEDDER))
        assert sorted(store.files("home")) == ["one.py", "three.py"]
        assert shown(reader) == was
        elsewhere: list[Any] = []
        thread = Thread(target=lambda: elsewhere.append(sorted(store.files("home"))))
        thread.start()
        thread.join()
        assert elsewhere == [["one.py", "two.py"]]
    assert shown(reader)["words"] == ["one", "three"] and shown(reader) == shown(store)


def test_a_moment_shows_one_state_while_others_write(opened: Callable[..., MongoStore]) -> None:
    store, writer = opened(), opened(grace_s=60)
    store.apply(before())
    was = shown(store)
    with store.moment():
        assert shown(store) == was
        writer.apply(after())
        writer.apply(a_change("home", deleted=("one.py",)))
        assert shown(store)["files"] == was["files"] and shown(store)["near"] == was["near"] and shown(store)["words"] == was["words"]
    assert shown(store)["files"] == ["three.py"]


def test_the_same_change_again_writes_nothing_that_others_would_have_to_index(opened: Callable[..., MongoStore], database: Any) -> None:
    store = opened(grace_s=0)
    store.apply(before())
    documents = sorted(one["_id"] for one in database["chunks"].find())
    applied = store.apply(before())
    assert (applied.added, applied.kept, applied.deleted) == (0, 2, 0)
    assert sorted(one["_id"] for one in database["chunks"].find()) == documents
    later = replace(ONE, indexed_at=99)
    store.apply(a_change("home", a_file("one.py", later)))
    assert sorted(one["_id"] for one in database["chunks"].find()) == documents


def test_the_dead_are_swept_and_what_is_forgotten_leaves_nothing(opened: Callable[..., MongoStore], database: Any) -> None:
    store = opened(grace_s=0)
    store.apply(before())
    store.apply(a_change("other", a_file("two.py", TWO, embedder=EMBEDDER), embedder=EMBEDDER))
    for _ in range(3):
        store.apply(after())
        store.apply(before())
    store.thin("home", {EMBEDDER.space.fingerprint})
    assert database["chunks"].count_documents({"namespace_id": "home"}) == 3
    store.forget("home")
    for name in database.list_collection_names():
        assert database[name].count_documents({"$or": [{"namespace_id": "home"}, {"_id": "home"}]}) == 0, name
    assert store.namespaces() == ("other",)


def test_a_writer_is_named_to_the_second_one_and_gone_with_the_block(opened: Callable[..., MongoStore]) -> None:
    first, second = opened(), opened()
    first.apply(before())
    with first.writer():
        first.apply(after())
        assert second.owner().startswith("process ")
        with pytest.raises(WriterBusy, match=r"process .* is writing home"):
            second.apply(before())
        second.apply(a_change("other", a_file("two.py", TWO)))
    assert second.owner() == ""
    second.apply(before())


def test_the_dead_are_taken_over_from_and_cannot_come_back(opened: Callable[..., MongoStore], database: Any) -> None:
    first, second = opened(), opened()
    first.apply(before())
    with first.writer():
        first.apply(a_change("home", facts={"by": "first"}))
        database["namespaces"].update_one({"_id": "home"}, {"$set": {"lease.until": 1}})  # as time does
        second.apply(after())
        with pytest.raises(WriterBusy, match="taken over"):
            first.apply(before())
    assert shown(second)["facts"] == {"state": "after", "by": "first"} and shown(second)["files"] == ["one.py", "three.py"]


def test_a_lease_is_renewed_as_long_as_its_holder_lives(opened: Callable[..., MongoStore], database: Any) -> None:
    first, second = opened(lease_s=0.4), opened()
    with first.writer():
        first.apply(before())
        began = database["namespaces"].find_one({"_id": "home"})["lease"]["until"]
        for _ in range(1_000):
            if database["namespaces"].find_one({"_id": "home"})["lease"]["until"] > began:
                break
        else:
            pytest.fail("never renewed")
        with pytest.raises(WriterBusy):
            second.apply(after())
