"""Does the mongodb store agree with the store in memory after any history, others writing in between?"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.mongo.proxy import mongodb
from tests.properties.test_store_histories import EMBEDDER, FILTERS, SEEN, STEPS, TERMS, WORDS, level

from clew.core.catalog import Changes
from clew.stores.mongodb import MongoStore
from clew.stores.mongodb.address import place
from clew.stores.mongodb.limits import Limits
from clew.testing import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.core.query import Filters


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with mongodb(tmp_path_factory.mktemp("mongo")) as (found, _, _):
        yield found


DATABASES = itertools.count()
"""Each history has a database of its own: one that failed leaves nothing behind that the next one would answer from."""


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS, asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), at_once=st.booleans())
def test_after_any_history_the_mongodb_store_answers_as_the_store_in_memory(
    address: str, steps: Sequence[Changes | str], asked: list[str], at_once: bool
) -> None:
    home = place(address.replace("/clew?", f"/histories{next(DATABASES)}?"), {}.get)
    stores = [MongoStore(home, Path(), limits=Limits(grace_s=grace, files=1)) for grace in (0.0, 60.0)]
    memory, mongo = MemoryStore(), stores[0]
    if at_once:
        with mongo.at_once():
            for step in steps:
                if step not in ("settle", "another settles"):
                    do(memory, mongo, step)
    else:
        for step in steps:
            mongo = stores[step == "reopen"]
            do(memory, mongo, step)
    level(memory, mongo)  # type: ignore[arg-type] # any store of ours
    for filters in FILTERS:
        compare(memory, mongo, asked, filters)
    for store in stores:
        store.close()


def do(memory: MemoryStore, mongo: MongoStore, step: Changes | str) -> None:
    if step == "forget":
        memory.forget("other")
        mongo.forget("other")
    elif step == "embed":
        for store in (memory, mongo):
            waiting = store.unembedded("home", EMBEDDER.space, 100)
            store.add_vectors("home", EMBEDDER.space, {chunk.checksum: EMBEDDER.embed_query(chunk.text) for chunk in waiting})
    elif isinstance(step, Changes):
        assert memory.apply(step)[:3] == mongo.apply(step)[:3]
    elif step != "reopen":
        mongo.settle()


def compare(memory: MemoryStore, mongo: MongoStore, asked: list[str], filters: Filters) -> None:
    question = EMBEDDER.embed_query(" ".join(asked))
    terms = [term for word in asked for term in TERMS[word]]
    for limit in (2, 50):
        ours, theirs = mongo.keywords(SEEN, terms, filters, limit), memory.keywords(SEEN, terms, filters, limit)
        assert [hit._replace(score=0.0) for hit in ours.hits] == [hit._replace(score=0.0) for hit in theirs.hits]
        assert [hit.score for hit in ours.hits] == pytest.approx([hit.score for hit in theirs.hits], abs=1e-6)
        near, expected = (store.nearest(SEEN, EMBEDDER.space, question, filters, limit) for store in (mongo, memory))
        assert scores(near.hits) == pytest.approx(scores(hit for hit in expected.hits), abs=1e-6)
        assert near.warnings == expected.warnings and near.baseline == pytest.approx(expected.baseline, abs=1e-6)
    assert mongo.named(SEEN, asked, filters, 50) == memory.named(SEEN, asked, filters, 50)
    assert mongo.statistics(SEEN, set(terms)) == memory.statistics(SEEN, set(terms))
    assert mongo.names(SEEN) == memory.names(SEEN) and list(mongo.outlines(SEEN)) == list(memory.outlines(SEEN))
    for namespace in SEEN.namespaces:
        assert mongo.unembedded(namespace, EMBEDDER.space, 99) == memory.unembedded(namespace, EMBEDDER.space, 99)
        assert mongo.files(namespace) == memory.files(namespace)
        ours, theirs = (store.counts(namespace, EMBEDDER.space) for store in (mongo, memory))
        assert (ours.files, ours.chunks, ours.unembedded, ours.languages) == (
            theirs.files,
            theirs.chunks,
            theirs.unembedded,
            theirs.languages,
        )


def scores(hits: Any) -> list[float]:
    """What hits score; which of two that differ in the eighth decimal comes first depends on who computes it."""
    return [hit.score for hit in hits]
