"""Do two very different stores agree after any history, and do both ways of scoring keywords?"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.core.catalog import Changes
from clew.core.query import Filters, Leg, PathFilter, Scope
from clew.core.words import query_terms
from clew.stores.bm25 import single
from clew.stores.embedded import EmbeddedStore, Limits, searching
from clew.testing import HashingEmbedder, MemoryStore, a_change, a_chunk, a_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.core.chunk import Chunk

EMBEDDER = HashingEmbedder(8)
WORDS = ("user", "socket", "parse", "größe", "getUser", "a_b", "x1", "東京", "\ufdfa", "ж\u037a")
PATHS = ("a.py", "src/a.py", "src/b.rs", "src/deep/c.py", "src-2/d.py")
SEEN = Scope(("home", "other"))
FILTERS = (
    Filters(),
    Filters(languages=("rust",)),
    Filters(paths=(PathFilter("src"),)),
    Filters(symbol_types=("method",), paths=(PathFilter("**/*.py", is_glob=True),)),
)


@st.composite
def chunks(draw: st.DrawFn, filepath: str) -> tuple[Chunk, ...]:
    bodies = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), max_size=4))
    step = draw(st.integers(1, 3))
    return tuple(
        a_chunk(
            filepath,
            draw(st.sampled_from(("f", "Class.g", "getUser"))),
            " ".join(body),
            line=1 + place * step,
            symbol_type=draw(st.sampled_from(("function", "method", "block"))),
            language="rust" if filepath.endswith("rs") else "python",
            header=draw(st.sampled_from(("", "h"))),
            docstring=draw(st.sampled_from(("", "user user"))),
        )
        for place, body in enumerate(bodies)
    )


@st.composite
def changes(draw: st.DrawFn) -> Changes:
    paths = draw(st.lists(st.sampled_from(PATHS), unique=True, max_size=3))
    embedder = EMBEDDER if draw(st.booleans()) else None
    updates = [a_file(path, *draw(chunks(path)), embedder=embedder) for path in paths]
    deleted = tuple(draw(st.lists(st.sampled_from(PATHS), max_size=2)))
    return a_change(draw(st.sampled_from(("home", "home", "other"))), *updates, embedder=EMBEDDER, deleted=deleted)


STEPS = st.lists(st.one_of(changes(), st.sampled_from(("settle", "another settles", "reopen", "forget", "embed"))), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS, asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_after_any_history_the_embedded_store_answers_as_the_store_in_memory(steps: Sequence[Changes | str], asked: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        memory, embedded = MemoryStore(), EmbeddedStore.open(folder, limits=Limits(rows=2))
        for step in steps:
            if step == "settle":
                embedded.settle()
            elif step == "another settles":
                with EmbeddedStore.open(folder, limits=Limits(rows=1)) as another:
                    another.settle()
            elif step == "reopen":
                embedded.close()
                embedded = EmbeddedStore.open(folder, limits=Limits(rows=2))
            elif step == "forget":
                memory.forget("other")
                embedded.forget("other")
            elif step == "embed":
                embed_all(memory)
                embed_all(embedded)
            elif isinstance(step, Changes):
                assert memory.apply(step)[:3] == embedded.apply(step)[:3]
        level(memory, embedded)
        for filters in FILTERS:
            compare(memory, embedded, asked, filters)
        embedded.close()


def level(memory: MemoryStore, embedded: EmbeddedStore) -> None:
    """Give the store in memory the vectors that the other one still had of texts that were gone meanwhile."""
    for namespace in SEEN.namespaces:
        lacking = {chunk.checksum for chunk in embedded.unembedded(namespace, EMBEDDER.space, 100)}
        waiting = {chunk.checksum: chunk.text for chunk in memory.unembedded(namespace, EMBEDDER.space, 100)}
        assert lacking <= waiting.keys()
        known = {checksum: EMBEDDER.embed_query(waiting[checksum]) for checksum in waiting.keys() - lacking}
        memory.add_vectors(namespace, EMBEDDER.space, known)


def embed_all(store: MemoryStore | EmbeddedStore) -> None:
    waiting = store.unembedded("home", EMBEDDER.space, 100)
    store.add_vectors("home", EMBEDDER.space, {chunk.checksum: EMBEDDER.embed_query(chunk.text) for chunk in waiting})


def compare(memory: MemoryStore, embedded: EmbeddedStore, asked: list[str], filters: Filters) -> None:
    question = EMBEDDER.embed_query(" ".join(asked))
    terms = [term for word in asked for term in TERMS[word]]
    for limit in (2, 50):
        expected = memory.keywords(SEEN, terms, filters, limit)
        for arrays in (False, True):
            with embedded._moment() as (connection, view):
                ours = searching.by_keywords(view, connection, SEEN, single(terms), filters, limit, arrays=arrays)
            agree(ours, expected)
        agree(
            embedded.nearest(SEEN, EMBEDDER.space, question, filters, limit), memory.nearest(SEEN, EMBEDDER.space, question, filters, limit)
        )
    assert embedded.named(SEEN, asked, filters, 50) == memory.named(SEEN, asked, filters, 50)
    assert embedded.names(SEEN) == memory.names(SEEN) and list(embedded.outlines(SEEN)) == list(memory.outlines(SEEN))
    for arrays in (False, True):
        with embedded._moment() as (connection, view):
            assert searching.term_statistics(view, connection, SEEN, set(terms), arrays=arrays) == memory.statistics(SEEN, set(terms))
    for namespace in SEEN.namespaces:
        assert embedded.unembedded(namespace, EMBEDDER.space, 99) == memory.unembedded(namespace, EMBEDDER.space, 99)
        assert embedded.files(namespace) == memory.files(namespace)
        ours, theirs = (store.counts(namespace, EMBEDDER.space) for store in (embedded, memory))
        assert (ours.files, ours.chunks, ours.unembedded, ours.languages) == (
            theirs.files,
            theirs.chunks,
            theirs.unembedded,
            theirs.languages,
        )


def agree(ours: Leg, theirs: Leg) -> None:
    """The same hits in the same order, scores equal to 1e-6."""
    assert [hit._replace(score=0.0) for hit in ours.hits] == [hit._replace(score=0.0) for hit in theirs.hits]
    assert np.allclose([hit.score for hit in ours.hits], [hit.score for hit in theirs.hits], atol=1e-6)
    assert ours.baseline == pytest.approx(theirs.baseline, abs=1e-6)
    assert ours.warnings == theirs.warnings


TERMS = {word: query_terms(word) for word in WORDS}
