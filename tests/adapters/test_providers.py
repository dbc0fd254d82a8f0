"""Each provider's embedder over a real socket, by its official client, against a server as strict as its documentation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import stamina
from tests.provider_server import KEY, Answer, ProviderServer, provider_server

from clew.adapters.access import access
from clew.adapters.embedders.remote import RemoteEmbedder
from clew.core.embedding import Access
from clew.errors import AllowanceSpent, InputRefused, Unreachable, UsageError
from clew.plugins import load_embedder
from clew.settings import load_settings

PATHS = {"voyage": "/voyage/v1", "openai": "/openai/v1", "gemini": "/gemini"}
MODELS = {"voyage": "voyage:voyage-code-3", "openai": "openai:text-embedding-3-small", "gemini": "gemini:gemini-embedding-2"}
ALL = tuple(MODELS)


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with provider_server() as running:
        yield running


@pytest.fixture(autouse=True)
def without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=3, cap=True):
        yield


Make = Callable[..., RemoteEmbedder]


@pytest.fixture
def make(server: ProviderServer) -> Make:
    def made(provider: str, spec: str = "", **more: object) -> RemoteEmbedder:
        given = Access(KEY, server.address + PATHS[provider])
        found = load_embedder(spec or MODELS[provider], None, lambda _: replace(given, **more))  # type: ignore[arg-type]
        assert isinstance(found, RemoteEmbedder)
        return found

    return made


def texts(count: int) -> list[str]:
    return [f"src/file{number}.py\nfunction f{number}\ndef f{number}(): return {number}" for number in range(count)]


@pytest.mark.parametrize("provider", ALL)
def test_documents_and_questions_become_unit_vectors(provider: str, make: Make) -> None:
    embedder = make(provider)
    vectors = embedder.embed_documents(texts(70))
    assert vectors.dtype == np.float32
    assert vectors.shape == (70, embedder.space.dims)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    question = embedder.embed_query("function f7 returns 7")
    assert question.shape == (embedder.space.dims,)
    assert int(np.argmax(vectors @ question)) == 7


@pytest.mark.parametrize("provider", ALL)
def test_batches_are_of_thirty_two(provider: str, make: Make, server: ProviderServer) -> None:
    make(provider).embed_documents(texts(70))
    assert sorted(len(seen.texts) for seen in server.seen) == [6, 32, 32]
    assert sorted(server.paid) == sorted(texts(70))


@pytest.mark.parametrize(("provider", "most"), [("voyage", 1_000), ("openai", 2_048), ("gemini", 100)])
def test_no_request_is_larger_than_the_provider_takes(provider: str, most: int, make: Make, server: ProviderServer) -> None:
    make(provider, batch=2_048).embed_documents(["word"] * (most + 1))
    assert sorted(len(seen.texts) for seen in server.seen) == [1, most]


def test_no_request_holds_more_tokens_than_the_provider_takes(make: Make, server: ProviderServer) -> None:
    long = "value " * 7_000
    make("voyage", batch=1_000).embed_documents([long] * 20)
    make("openai", batch=1_000).embed_documents([long] * 60)
    assert {seen.status for seen in server.seen} == {200}


def test_document_and_question_are_told_apart(make: Make, server: ProviderServer) -> None:
    for provider in ALL:
        made = make(provider)
        made.embed_documents(["a text"])
        made.embed_query("a question")
    old = make("gemini", "gemini:gemini-embedding-001")
    old.embed_documents(["a text"])
    old.embed_query("a question")
    sent = [seen.body for seen in server.seen]
    assert [body["input_type"] for body in sent[:2]] == ["document", "query"]
    assert [body["input"] for body in sent[2:4]] == [["a text"], ["a question"]]
    parts = [body["requests"][0]["content"]["parts"][0]["text"] for body in sent[4:6]]
    assert parts == ["title: none | text: a text", "task: code retrieval | query: a question"]
    assert [body["requests"][0]["taskType"] for body in sent[6:]] == ["RETRIEVAL_DOCUMENT", "CODE_RETRIEVAL_QUERY"]


@pytest.mark.parametrize(
    ("spec", "dims"),
    [
        ("voyage:voyage-4@512", 512),
        ("voyage:voyage-4", 1024),
        ("openai:text-embedding-3-large@256", 256),
        ("openai:text-embedding-ada-002", 1536),
        ("gemini:gemini-embedding-2@768", 768),
        ("gemini:", 3072),
    ],
)
def test_vectors_are_as_long_as_is_asked_for(spec: str, dims: int, make: Make) -> None:
    embedder = make(spec.partition(":")[0], spec)
    assert embedder.space.dims == dims
    assert embedder.embed_documents(["a"]).shape == (1, dims)


@pytest.mark.parametrize(
    "spec", ["voyage:voyage-4@500", "openai:text-embedding-3-small@2000", "openai:text-embedding-ada-002@3", "gemini:@9999", "openai:mine"]
)
def test_lengths_that_a_model_does_not_have_are_refused_before_anything_is_sent(spec: str, make: Make, server: ProviderServer) -> None:
    with pytest.raises(UsageError):
        make(spec.partition(":")[0], spec)
    assert server.seen == []


@pytest.mark.parametrize("provider", ALL)
def test_a_refused_key_is_told_without_the_key(provider: str, make: Make, server: ProviderServer) -> None:
    server.key = "another"
    with pytest.raises(UsageError, match="refuses the key") as caught:
        make(provider).embed_documents(["a"])
    told = f"{caught.value.message} {caught.value.hint} {caught.value!r}"
    assert KEY not in told
    assert caught.value.__suppress_context__
    assert len(server.seen) == 1


@pytest.mark.parametrize("spec", ["voyage:voyage-9", "openai:text-embedding-9@8", "gemini:gemini-embedding-9"])
def test_a_model_that_is_not_there_is_told(spec: str, make: Make, server: ProviderServer) -> None:
    with pytest.raises(UsageError, match="does not know the model"):
        make(spec.partition(":")[0], spec).embed_documents(texts(3))
    assert len(server.seen) == 1


@pytest.mark.parametrize("provider", ALL)
@pytest.mark.parametrize(
    "passing",
    [
        429,
        500,
        502,
        503,
        Answer(429, {"Retry-After": "0"}),
        Answer(cut=True),
        Answer(missing=1),
        Answer(body=b"<html>"),
        Answer(body=b"{}"),
    ],
    ids=str,
)
def test_what_passes_is_tried_again(provider: str, passing: Answer | int, make: Make, server: ProviderServer) -> None:
    server.plan = [passing]
    assert make(provider).embed_documents(texts(3)).shape[0] == 3
    assert len(server.seen) == 2


@pytest.mark.parametrize("provider", ALL)
@pytest.mark.parametrize("lasting", [429, 500, 503, Answer(cut=True), Answer(body=b"[]")], ids=str)
def test_what_does_not_pass_is_an_unreachable_provider(provider: str, lasting: Answer | int, make: Make, server: ProviderServer) -> None:
    server.always = lasting
    with pytest.raises(Unreachable):
        make(provider).embed_documents(texts(3))
    assert len(server.seen) == 3


@pytest.mark.parametrize("provider", ALL)
def test_a_server_that_is_not_there_or_hangs_is_unreachable(provider: str, server: ProviderServer) -> None:
    away = load_embedder(MODELS[provider], None, lambda _: Access(KEY, "http://127.0.0.1:9" + PATHS[provider]))
    with pytest.raises(Unreachable, match="no connection"):
        away.embed_query("a")
    server.always = Answer(hangs=True)
    hanging = load_embedder(MODELS[provider], None, lambda _: Access(KEY, server.address + PATHS[provider]))
    assert isinstance(hanging, RemoteEmbedder)
    hurried = replace(hanging.caller.terms, request_s=0.2, attempts=1)
    with pytest.raises(Unreachable, match="no answer in time"):
        hanging._asked(["a"], "query", hurried)


@pytest.mark.parametrize("provider", ALL)
def test_no_more_than_one_batch_is_under_way_unless_that_is_wished(provider: str, make: Make, server: ProviderServer) -> None:
    given: list[int] = []
    under_way: list[int] = []
    server.before = lambda seen: under_way.append(sum(bool(one.texts) for one in server.seen) - len(given))
    for done in make(provider).embed_each(texts(100)):  # killed here, all that was paid for has been given back
        given.append(len(done.places))
        assert sum(bool(one.texts) for one in server.seen) == len(given)
    assert given == [32, 32, 32, 4]
    assert under_way == [0] * len(given)


@pytest.mark.parametrize("provider", ALL)
def test_a_wrong_length_is_noticed_in_the_first_answer(provider: str, make: Make, server: ProviderServer) -> None:
    server.always = Answer(dims=8)
    with pytest.raises(UsageError, match="8 numbers a vector"):
        make(provider, at_once=1).embed_documents(texts(100))
    assert len(server.seen) == 1


@pytest.mark.parametrize("provider", ALL)
def test_one_refused_text_is_found_and_the_others_are_embedded(provider: str, make: Make, server: ProviderServer) -> None:
    server.refused = {"def f13("}
    done = list(make(provider).embed_each(texts(40)))
    refused = {place: reason for batch in done for place, reason in batch.refused.items()}
    assert list(refused) == [13]
    assert "refuses a text" in refused[13]
    assert sorted(place for batch in done for place in batch.places) == [place for place in range(40) if place != 13]
    assert sorted(server.paid) == sorted(text for place, text in enumerate(texts(40)) if place != 13)


@pytest.mark.parametrize("provider", ["voyage", "openai"])
def test_what_is_no_number_is_refused(provider: str, make: Make, server: ProviderServer) -> None:
    server.always = Answer(nan=True)
    with pytest.raises((InputRefused, UsageError)):
        make(provider).embed_documents(["a"])
    assert next(iter(make(provider).embed_each(["a"]))).refused


def test_a_provider_that_refuses_every_text_is_not_asked_for_each(make: Make, server: ProviderServer) -> None:
    server.refused = {"def"}
    with pytest.raises(UsageError, match="every text"):
        list(make("voyage", at_once=1).embed_each(texts(500)))
    assert len(server.seen) < 100


@pytest.mark.parametrize("provider", ALL)
def test_too_long_a_text_counts_by_its_beginning(provider: str, make: Make, server: ProviderServer) -> None:
    done = list(make(provider).embed_each(["value " * 50_000, "short"]))
    assert sum(batch.truncated for batch in done) == 1
    assert {place for batch in done for place in batch.places} == {0, 1}
    assert {seen.status for seen in server.seen} == {200}


def test_blank_texts_are_zeros_and_cost_nothing(make: Make, server: ProviderServer) -> None:
    embedder = make("openai")
    assert not embedder.embed_documents(["", " \n"]).any()
    assert not embedder.embed_query(" ").any()
    assert server.seen == []


def test_what_is_under_way_when_a_provider_goes_down_is_not_lost(make: Make, server: ProviderServer) -> None:
    server.plan = [None, None, None]
    server.always = 503
    got: list[int] = []
    with pytest.raises(Unreachable):
        for batch in make("voyage").embed_each(texts(320)):
            got += batch.places
    assert len(got) == 96 == len(server.paid)


def test_a_run_stays_under_its_bound_of_dollars(make: Make, server: ProviderServer) -> None:
    given = texts(320)
    whole = make("voyage").cost(given)
    assert whole.dollars is not None
    got: list[int] = []
    with pytest.raises(AllowanceSpent, match="bound"):
        for batch in make("voyage", max_cost=whole.dollars / 2).embed_each(given):
            got += batch.places
    assert 96 <= len(got) <= 160
    assert len(server.paid) == len(got)


def test_a_bound_without_a_known_price_is_refused(make: Make) -> None:
    with pytest.raises(UsageError, match="price"):
        make("openai", "openai:text-embedding-9@8", max_cost=1.0, url="").embed_documents(["a"])


def test_the_estimate_is_not_below_what_the_provider_counts(make: Make) -> None:
    given = texts(50)
    cost = make("voyage").cost(given)
    assert cost.texts == 50
    assert cost.dollars is not None
    assert math.isclose(cost.dollars, cost.tokens * 0.18 / 1e6)


# -- what is set, and by whom --


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VOYAGE_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_BASE_URL", "EMBEDDING_PROVIDER"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("provider", ALL)
def test_without_a_key_the_variable_is_named(provider: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_embedder(MODELS[provider], None, partial(access, load_settings_of()))
    assert "API_KEY" in caught.value.hint


def load_settings_of(**overrides: object):  # type: ignore[no-untyped-def]
    from pathlib import Path

    return load_settings(Path("/nowhere"), overrides)


@pytest.mark.usefixtures("keys")
def test_a_projects_own_file_gets_no_key_and_sends_nothing_away(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("CLEW_EMBEDDER_KEY", "another")
    (tmp_path / "clew.toml").write_text('embedder = "openai:x@8"\nembedder_url = "https://evil.example/v1"\n')
    with pytest.raises(UsageError, match="another machine"):
        access(load_settings(tmp_path), "openai")
    (tmp_path / "clew.toml").write_text('embedder = "openai:x@8"\nembedder_url = "http://localhost:11434/v1"\n')
    assert access(load_settings(tmp_path), "openai").key == ""
    monkeypatch.setenv("CLEW_EMBEDDER_URL", "https://mine.example/v1")
    assert access(load_settings(tmp_path), "openai").key == "another"


@pytest.mark.usefixtures("keys")
def test_a_projects_own_file_may_not_run_up_a_bill(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("VOYAGE_API_KEY", KEY)
    (tmp_path / "clew.toml").write_text('embedder = "voyage:voyage-code-3"\nmax_cost = "500"\n')
    assert access(load_settings(tmp_path), "voyage").max_cost == 1.0
    monkeypatch.setenv("CLEW_MAX_COST", "20")
    assert access(load_settings(tmp_path), "voyage").max_cost == 20.0
    assert "sk-test" not in repr(access(load_settings(tmp_path), "voyage"))


@pytest.mark.usefixtures("keys")
def test_the_usual_variables_choose_a_provider(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    for said, model, dims, expected in [
        ("local", "ignored", "9", "static:"),
        ("voyage", "", "", "voyage:"),
        ("OpenAI", "text-embedding-3-small", "512", "openai:text-embedding-3-small@512"),
    ]:
        monkeypatch.setenv("EMBEDDING_PROVIDER", said)
        monkeypatch.setenv("EMBEDDING_MODEL", model)
        monkeypatch.setenv("EMBEDDING_DIMENSIONS", dims)
        assert load_settings(tmp_path).embedder == expected
    monkeypatch.setenv("CLEW_EMBEDDER", "static:")
    assert load_settings(tmp_path).embedder == "static:"
    monkeypatch.setenv("EMBEDDING_PROVIDER", "somebody")
    assert "somebody" not in load_settings(tmp_path).embedder
    assert any("EMBEDDING_PROVIDER" in warning for warning in load_settings(tmp_path).warnings)
