"""What is said, and what is never shown, while search indexes have not taken in what was written?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.mongo.proxy import mongodb

from clew.core.query import Filters, Scope
from clew.errors import IndexUnusable
from clew.stores.mongodb import MongoStore
from clew.stores.mongodb.address import place
from clew.testing import HashingEmbedder, a_change, a_chunk, a_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stores.mongodb.conftest import Server

EMBEDDER = HashingEmbedder(16)
SEEN = Scope(("home",))
ONE, TWO = (a_chunk(f"{name}.py", name, f"def {name}(): return needle") for name in ("one", "two"))


def legs(store: MongoStore, scope: Scope = SEEN) -> Any:
    return (
        store.keywords(scope, ["needl"], Filters(), 9),
        store.nearest(scope, EMBEDDER.space, EMBEDDER.embed_query("needle"), Filters(), 9),
    )


def names(leg: Any) -> list[str]:
    return [hit.symbol_name for hit in leg.hits]


def test_what_the_indexes_do_not_show_yet_is_said(server: Server, opened: Callable[..., MongoStore]) -> None:
    store = opened()
    store.apply(a_change("home", a_file("one.py", ONE, embedder=EMBEDDER), embedder=EMBEDDER))
    assert [leg.warnings for leg in legs(store)] == [(), ()] and store.counts("home", EMBEDDER.space).unsynced == 0
    server.search.freeze()
    store.apply(a_change("home", a_file("two.py", TWO, embedder=EMBEDDER), embedder=EMBEDDER))
    for leg in legs(store):
        assert names(leg) == ["one"]
        assert leg.warnings == ("the search index has not taken in 1 chunk yet: ask again in some seconds",)
    assert store.counts("home", EMBEDDER.space).unsynced == 1
    assert [hit.symbol_name for hit in store.named(SEEN, ["two"], Filters(), 9)] == ["two"]
    store.settle()
    server.search.thaw()
    store.settle()
    assert [sorted(names(leg)) for leg in legs(opened())] == [["one", "two"]] * 2 and [leg.warnings for leg in legs(store)] == [(), ()]


def test_a_change_of_as_many_chunks_is_noticed_too(server: Server, opened: Callable[..., MongoStore]) -> None:
    store = opened()
    store.apply(a_change("home", a_file("one.py", ONE, embedder=EMBEDDER), embedder=EMBEDDER))
    server.search.freeze()
    store.apply(a_change("home", a_file("one.py", replace(ONE, code="def one(): return changed"), embedder=EMBEDDER), embedder=EMBEDDER))
    assert store.counts("home", EMBEDDER.space).unsynced == 1


def test_what_was_deleted_or_made_private_is_not_shown_by_an_index_that_has_not_noticed(
    server: Server, opened: Callable[..., MongoStore]
) -> None:
    store = opened(grace_s=0)
    public = replace(TWO, visibility="public")
    store.apply(a_change("home", a_file("one.py", ONE, embedder=EMBEDDER), a_file("two.py", public, embedder=EMBEDDER), embedder=EMBEDDER))
    everyone = Scope(("home",), ("public",))
    assert [names(leg) for leg in legs(store, everyone)] == [["two"], ["two"]]
    server.search.freeze()
    store.apply(a_change("home", a_file("two.py", TWO, embedder=EMBEDDER), embedder=EMBEDDER, deleted=("one.py",)))
    assert [names(leg) for leg in legs(store, everyone)] == [[], []] and store.holding(everyone, "needle") == ()
    assert [names(leg) for leg in legs(store)] == [[], []] and store.holding(SEEN, "needle") == ()


def test_a_chunk_without_a_direction_is_waited_for_by_nobody(opened: Callable[..., MongoStore]) -> None:
    store = opened()
    flat = replace(a_file("one.py", ONE), vectors=(np.zeros(16, np.float32),))
    store.apply(a_change("home", flat, embedder=EMBEDDER))
    assert store.unembedded("home", EMBEDDER.space, 9) == [] and store.counts("home", EMBEDDER.space).unsynced == 0
    assert store.missing("home", EMBEDDER.space, {ONE.checksum}) == set()


def test_a_chunk_that_was_deleted_is_waited_for_by_nobody(opened: Callable[..., MongoStore]) -> None:
    store = opened(grace_s=0)
    store.apply(a_change("home", a_file("two.py", TWO, embedder=EMBEDDER), embedder=EMBEDDER))
    for deleted in ("one.py", "nothing.py", "nothing.py"):  # later builds sweep what died in earlier ones
        if deleted == "one.py":
            store.apply(a_change("home", a_file("one.py", ONE, embedder=EMBEDDER), embedder=EMBEDDER))
        store.apply(a_change("home", embedder=EMBEDDER, deleted=(deleted,)))
    assert store.counts("home", EMBEDDER.space).unsynced == 0
    with store.at_once():
        store.apply(a_change("home", a_file("one.py", ONE, embedder=EMBEDDER), embedder=EMBEDDER))
        store.apply(a_change("home", embedder=EMBEDDER, deleted=("one.py",)))
    assert [leg.warnings for leg in legs(store)] == [(), ()]


def test_an_index_that_is_being_built_is_waited_for_and_one_that_failed_is_named(server: Server, opened: Callable[..., MongoStore]) -> None:
    store = opened()
    store.apply(a_change("home", a_file("one.py", ONE, embedder=EMBEDDER), embedder=EMBEDDER))
    server.search.status = "BUILDING"
    assert "has not taken in 1 chunk" in legs(store)[0].warnings[0]
    said: list[str] = []

    def ready(state: str) -> None:
        said.append(state)
        server.search.status = "READY"

    assert {one.status for one in store.setup(ready)} == {"READY"} and "BUILDING" in said[0]
    server.search.status = "FAILED"
    with pytest.raises(IndexUnusable, match="failed"):
        store.setup()


def test_setup_brings_indexes_to_the_form_that_their_size_wants(server: Server, opened: Callable[..., MongoStore], database: Any) -> None:
    store = opened()
    store.apply(a_change("home", a_file("one.py", ONE, embedder=EMBEDDER), embedder=EMBEDDER))
    (there,) = [one for one in database["chunks"].list_search_indexes() if one["type"] == "vectorSearch"]
    old = {"fields": [{**there["latestDefinition"]["fields"][0], "hnswOptions": {"maxEdges": 64, "numEdgeCandidates": 3200}}]}
    database["chunks"].update_search_index("vector_search_index", old)
    assert [(one.name, one.queryable) for one in store.setup()] == [("keyword_search_index", True), ("vector_search_index", True)]
    (now,) = [one for one in database["chunks"].list_search_indexes() if one["type"] == "vectorSearch"]
    assert now["latestDefinition"]["fields"] == there["latestDefinition"]["fields"]
    assert there["latestDefinition"]["fields"][0]["hnswOptions"] == {"maxEdges": 16, "numEdgeCandidates": 100}
    before = len(server.proxy.commands)
    store.setup()
    assert "updateSearchIndex" not in server.proxy.commands[before:] and "createSearchIndexes" not in server.proxy.commands[before:]


def test_a_server_without_search_finds_names_and_says_what_it_cannot(tmp_path: Path) -> None:
    with mongodb(tmp_path / "mongo", search=False) as (address, _, _):
        for store in (MongoStore(place(address, {}.get), tmp_path), MongoStore(place(address, {}.get), tmp_path)):
            if not store.files("home"):
                store.apply(a_change("home", a_file("one.py", ONE, embedder=EMBEDDER), embedder=EMBEDDER))
            store.settle()
            for leg in legs(store):
                assert leg.hits == () and leg.warnings[-1].startswith("this MongoDB has no search")
            assert [hit.symbol_name for hit in store.named(SEEN, ["one"], Filters(), 9)] == ["one"]
            assert store.statistics(SEEN, ["needl"]).total == 1 and store.holding(SEEN, "needle") == ()
            with pytest.raises(IndexUnusable, match="no search"):
                store.setup()
            store.close()
