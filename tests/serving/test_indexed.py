"""Does a namespace whose project is elsewhere answer from the index as the project itself does?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.serving.conftest import BOB, ROOT, Served

from clew.assembly import embedder, open_service
from clew.core.answer import Question
from clew.core.chunk import Chunk
from clew.core.graph import ProjectMap
from clew.errors import UsageError
from clew.search.searcher import Searcher
from clew.serving import Home, Lines, Look, Service
from clew.serving.indexed import joined
from clew.settings import load_settings
from clew.stores.embedded import EmbeddedStore

LOOKS = (
    Look("symbol", "total_price"),
    Look("callers", "total_price"),
    Look("callees", "pay"),
    Look("impact", "Basket"),
    Look("importers", "src/basket.py"),
    Look("related", "src/checkout.py", line_start=6),
    Look("outline", "src/basket.py"),
    Look("read", "src/basket.py", line_start=3, line_end=9),
    Look("map"),
)


@pytest.fixture(scope="module")
def both(served: Served) -> Iterator[tuple[Service, Service]]:
    """The project itself, and its index alone."""
    store = EmbeddedStore.open(served.open / ".clew", read_only=True)
    home = Home(store, Searcher(store, lambda: embedder(load_settings(served.open))))
    with open_service([served.open]) as here, Service([home]) as elsewhere:
        yield here, elsewhere


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.what)
def test_a_look_shows_the_same(both: tuple[Service, Service], look: Look) -> None:
    here, elsewhere = (service.look(BOB, look) for service in both)
    if isinstance(here, Lines):
        here = replace(here, from_index=True)
    if isinstance(here, ProjectMap) and isinstance(elsewhere, ProjectMap):
        here = replace(here, name=elsewhere.name)  # the folder's name there, the namespace's here
    assert elsewhere == here


def test_a_question_finds_the_same(both: tuple[Service, Service]) -> None:
    for text in ("what does the customer have to pay", "total_price", "no such thing at all zzz"):
        here, elsewhere = (service.search(BOB, Question(text)) for service in both)
        assert [(one.chunk.id, one.score) for one in elsewhere.results] == [
            (one.chunk.id, one.score) for one in here.results if one.chunk.symbol_type != "table"
        ]
        assert elsewhere.results or elsewhere.hint
        assert not any(one.absolute_path for one in elsewhere.results)


def test_a_status_says_the_same_of_what_is_indexed(both: tuple[Service, Service]) -> None:
    (here,), (elsewhere,) = (service.status(ROOT) for service in both)
    assert (elsewhere.files, elsewhere.chunks, elsewhere.languages) == (here.files, here.chunks, here.languages)
    assert (elsewhere.embedder, elsewhere.complete, elsewhere.root) == (here.embedder, True, "")


@pytest.mark.parametrize("target", ["src/none.py", ".env", "../x"])
def test_a_file_that_is_not_indexed_is_not_read(both: tuple[Service, Service], target: str) -> None:
    for service in both:
        with pytest.raises(UsageError, match="not in the index"):
            service.look(BOB, Look("read", target))


def test_a_line_in_pieces_and_one_in_two_chunks_are_put_together() -> None:
    def chunk(first: int, last: int, code: str) -> Chunk:
        return Chunk("", "f", "", "block", "text", first, last, "", code)

    assert joined(
        [chunk(1, 1, "aaa"), chunk(1, 1, "bbb"), chunk(3, 4, "x = 1; def f(): pass\ny"), chunk(3, 3, "x = 1; def f(): pass")]
    ) == [
        "aaabbb",
        "",
        "x = 1; def f(): pass",
        "y",
    ]
