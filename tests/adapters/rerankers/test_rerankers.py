"""Does every reranker give each text its relevance, and fail within its time in words that help? By the official clients, over real sockets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests import rerank_server
from tests.provider_server import Answer, ProviderServer, provider_server

from clew.adapters.language_models import AgentModel
from clew.adapters.rerankers import cohere, onnx, voyage
from clew.adapters.rerankers.llm import LanguageReranker
from clew.core.embedding import Access
from clew.core.protocols import Reranker
from clew.errors import ClewError, Unreachable, UsageError
from clew.testing.scripted_model import Script

QUESTION = "retry upload"
TEXTS = ["render a page", "retry the upload", "upload a file", "parse \ud800"]
PLACES = {"voyage": (voyage.load, "/voyage/v1", "rerank-2.5"), "cohere": (cohere.load, "/cohere", "rerank-v3.5")}
Load = Callable[..., Reranker]


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    assert rerank_server.SERVED
    with provider_server() as running:
        yield running


@pytest.fixture(params=sorted(PLACES))
def made(request: pytest.FixtureRequest, server: ProviderServer) -> Load:
    load, path, default = PLACES[request.param]
    return lambda key=server.key, model="": load(model or default, Access(key, server.address + path))


def test_each_text_gets_its_relevance_in_the_order_of_the_texts(made: Load, server: ProviderServer) -> None:
    scores = made().relevance(QUESTION, TEXTS, 5.0)
    assert [float(one) for one in scores] == [0.0, 1.0, 0.5, 0.0]
    assert len(server.seen) == 1


@pytest.mark.parametrize("fault", [500, 503, 429, Answer(cut=True)])
def test_a_passing_fault_is_asked_again(made: Load, server: ProviderServer, fault: Answer | int) -> None:
    server.plan = [Answer(429, {"Retry-After": "0"}) if fault == 429 else fault]
    assert made().relevance(QUESTION, TEXTS, 10.0)[1] == 1.0
    assert len(server.seen) == 2


@pytest.mark.parametrize("always", [503, Answer(hangs=True), Answer(cut=True), Answer(body=b"<html>"), Answer(429, {"Retry-After": "60"})])
def test_a_lasting_fault_ends_in_time_and_without_the_key(made: Load, server: ProviderServer, always: Answer | int) -> None:
    server.always = always
    with pytest.raises(Unreachable) as caught:
        made().relevance(QUESTION, TEXTS, 1.0)
    assert server.key not in str(caught.value) + caught.value.hint


def test_a_wrong_key_and_an_unknown_model_are_said_and_not_asked_again(made: Load, server: ProviderServer) -> None:
    with pytest.raises(UsageError, match="key"):
        made(key="sk-wrong").relevance(QUESTION, TEXTS, 5.0)
    with pytest.raises(UsageError):
        made(model="rerank-none").relevance(QUESTION, TEXTS, 5.0)
    assert len(server.seen) == 2


def test_an_answer_that_leaves_a_text_out_is_none(made: Load, server: ProviderServer) -> None:
    server.always = Answer(missing=1)
    with pytest.raises(ValueError, match="every text"):
        made().relevance(QUESTION, TEXTS, 5.0)


def test_after_five_failures_nothing_is_asked_for_a_while(made: Load, server: ProviderServer) -> None:
    reranker = made()
    server.always = Answer(hangs=True)
    for _ in range(5):
        with pytest.raises(Unreachable):
            reranker.relevance(QUESTION, TEXTS, 0.2)
    asked = len(server.seen)
    with pytest.raises(Unreachable, match="times in a row"):
        reranker.relevance(QUESTION, TEXTS, 0.2)
    assert len(server.seen) == asked


@pytest.mark.parametrize("load", [voyage.load, cohere.load])
def test_without_a_key_the_provider_is_not_asked(load: Load) -> None:
    with pytest.raises(UsageError, match="key"):
        load("", Access())


def test_a_language_model_names_the_best_and_what_it_makes_up_does_not_count() -> None:
    script = Script([{"best": [2, 99, 3, 2, -1]}])
    reranker = LanguageReranker(lambda: AgentModel("scripted:model", script.model()))
    scores = reranker.relevance(QUESTION, TEXTS, 5.0)
    assert sorted(range(4), key=lambda place: (-scores[place], place)) == [1, 2, 0, 3]
    assert "retry the upload" in script.evidence[0]
    assert reranker.name == "llm:scripted:model"


def cross_encoder(folder: Path) -> None:
    """A cross-encoder of one product: the more often tokens of the text are the word upload, the more relevant it is."""
    import onnx as builder
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers

    weights = np.zeros((8, 1), np.float32)
    weights[3], weights[4] = 1.0, 0.5
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["each"]),
        helper.make_node("ReduceSum", ["each", "axes"], ["logits"], keepdims=0),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in ("input_ids",)]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", 1])]
    axes = numpy_helper.from_array(np.array([1], np.int64), "axes")
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, [numpy_helper.from_array(weights, "weights"), axes])
    folder.mkdir()
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    builder.save(model, str(folder / "model.onnx"))
    words = {"[UNK]": 0, "retry": 1, "the": 2, "upload": 3, "file": 4}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"max_position_embeddings": 16}))


def test_a_cross_encoder_on_this_machine_reads_question_and_text_together(tmp_path: Path) -> None:
    cross_encoder(tmp_path / "tiny")
    reranker = onnx.load(str(tmp_path / "tiny"))
    texts = [*TEXTS[:3], *(f"file {number}" for number in range(20)), "upload " * 1_000]
    scores = reranker.relevance("retry", texts, 30.0)
    assert scores[:3] == [0.0, 1.0, 1.5]
    assert scores[-1] == max(scores)
    assert scores[-1] <= 16
    assert reranker.name == "onnx:tiny"


def test_a_cross_encoder_that_is_too_slow_stops(tmp_path: Path) -> None:
    cross_encoder(tmp_path / "tiny")
    reranker = onnx.load(str(tmp_path / "tiny"))
    with pytest.raises(Unreachable, match="was not done"):
        reranker.relevance("retry", ["a file"] * 40, 0.0)


@pytest.mark.parametrize("damage", ["no folder", "no weights", "damaged"])
def test_a_cross_encoder_that_is_none_is_said(tmp_path: Path, damage: str) -> None:
    if damage != "no folder":
        cross_encoder(tmp_path / "tiny")
        weights = tmp_path / "tiny" / "model.onnx"
        weights.unlink() if damage == "no weights" else weights.write_bytes(b"none")
    with pytest.raises(ClewError) as caught:
        onnx.load(str(tmp_path / "tiny"))
    assert caught.value.hint
