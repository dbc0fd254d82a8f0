"""Is what a reranker says the order of an answer, and is an answer as good as before where it says nothing?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import rerank_server
from tests.provider_server import KEY, Answer, ProviderServer, provider_server

from clew.assembly import open_engine
from clew.core.answer import Answer as Told
from clew.core.answer import Question

QUESTION = "where is the retry of an upload with value and number 8"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    assert rerank_server.SERVED
    monkeypatch.setenv("CO_API_KEY", KEY)
    with provider_server() as running:
        monkeypatch.setenv("CLEW_RERANKER_URL", f"{running.address}/cohere")
        monkeypatch.setenv("CLEW_RERANK_TIMEOUT", "2")
        yield running


def ask(project: Path, text: str = QUESTION, *, rerank: bool = True, origin: str = "option", limit: int = 5, **settings: object) -> Told:
    given = {"reranker": "cohere:rerank-v3.5", **settings}
    with open_engine(project, given if origin == "option" else settings) as engine:
        return engine.search(Question(text, limit=limit, rerank=rerank))


def places(answer: Told) -> list[tuple[str, str]]:
    return [(result.chunk.filepath, result.chunk.symbol_name) for result in answer.results]


def test_the_reranker_orders_and_neither_confidence_nor_length_changes(project: Path, server: ProviderServer) -> None:
    before, after = ask(project, rerank=False), ask(project)
    assert server.paid
    assert len(after.results) == len(before.results)
    assert [one.score for one in after.results] == [one.score for one in before.results]
    assert (after.confidence, after.confidence_score) == (before.confidence, before.confidence_score)
    assert all(any("reranked by cohere" in reason for reason in result.reasons) for result in after.results)
    assert after.warnings == before.warnings


def test_the_pool_is_as_large_as_set(project: Path, server: ProviderServer) -> None:
    assert len(ask(project, limit=1, rerank_pool=3).results) == 1
    assert len(server.seen[-1].texts) == 3


@pytest.mark.parametrize("fault", [503, Answer(hangs=True), Answer(missing=1), Answer(body=b"{}")])
def test_without_its_answer_the_order_is_as_before_and_that_is_said(project: Path, server: ProviderServer, fault: Answer | int) -> None:
    before = ask(project, rerank=False)
    server.always = fault
    after = ask(project)
    assert places(after) == places(before)
    assert any("not reranked" in warning for warning in after.warnings)


def test_questions_for_every_place_are_reranked_unasked_where_the_user_set_it(project: Path, server: ProviderServer) -> None:
    ask(project, "refactor the retry of an upload", rerank=False)
    assert len(server.seen) == 1
    ask(project, "where is the retry of an upload", rerank=False)
    assert len(server.seen) == 1


def test_a_projects_own_file_has_nothing_reranked_unasked_and_names_no_server(
    project: Path, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "clew.toml").write_text('reranker = "cohere:rerank-v3.5"\n')
    ask(project, "refactor the retry of an upload", rerank=False, origin="file")
    assert not server.seen
    monkeypatch.delenv("CLEW_RERANKER_URL")
    (project / "clew.toml").write_text('reranker = "cohere:rerank-v3.5"\nreranker_url = "https://elsewhere.example"\n')
    answer = ask(project, origin="file")
    assert any("another machine" in warning for warning in answer.warnings)


def test_the_key_is_in_no_answer(project: Path, server: ProviderServer) -> None:
    server.always = 401
    assert KEY not in str(ask(project).warnings)


def test_the_graphs_order_stays(project: Path, server: ProviderServer) -> None:
    answer = ask(project, "who calls retry_upload")
    assert answer.mode == "structural"
    assert not server.seen
    assert any("order of its own" in warning for warning in answer.warnings)
