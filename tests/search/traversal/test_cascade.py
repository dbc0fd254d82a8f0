"""Does mode auto ask a language model only where it is allowed to and not sure, within one budget, and say which gate let it stop?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.language_server import HANGS, Conversation, language_server, text_of

from clew.assembly import open_engine
from clew.core.answer import Answer, Question
from clew.search.confidence import Confidence, Signs
from clew.search.gate import settled
from clew.search.searcher import Found

SURE = "Refunds_7"
UNSURE = "how is a customer given money back"


def answer_of(root: Path, server: Conversation, text: str, **settings: Any) -> Answer:
    with open_engine(root, {"llm": "any:small", "llm_url": server.address, **settings}) as engine:
        return engine.search(Question(text))


def plain(root: Path, text: str) -> list[str]:
    with open_engine(root) as engine:
        return [result.chunk.id for result in engine.search(Question(text)).results]


def ids(answer: Answer) -> list[str]:
    return [result.chunk.id for result in answer.results]


def test_a_sure_answer_asks_nothing_and_explains_which_gate_let_it_stop(shop: Path) -> None:
    with language_server() as server:
        answer = answer_of(shop, server, SURE)
    assert server.requests == [] and ids(answer) == plain(shop, SURE)
    assert any(line == "gate: stopped, an exact definition" for line in answer.route)


def test_an_unsure_answer_is_checked_in_one_call_and_what_is_confirmed_comes_first(shop: Path) -> None:
    with language_server({"numbers": [3, 2]}) as server:
        answer = answer_of(shop, server, UNSURE)
    before = plain(shop, UNSURE)
    assert len(server.requests) == 1 and UNSURE in text_of(server.requests[0])
    assert ids(answer)[:2] == [before[2], before[1]] and set(ids(answer)) == set(before)
    assert any(line.startswith("gate: confidence") and "1 calls" in line for line in answer.route)


def test_where_nothing_is_confirmed_the_model_walks_the_tree_in_four_calls_at_most_in_all(shop: Path) -> None:
    def choose(asked: Mapping[str, Any]) -> dict[str, Any]:
        return {"numbers": [] if "numbered results" in text_of(asked) else [1]}

    with language_server(always=choose) as server:
        answer = answer_of(shop, server, UNSURE)
    assert 3 <= len(server.requests) <= 4 and answer.mode == "standard"
    assert any("nothing that was found was confirmed" in line for line in answer.route)
    assert "chosen by the language model" in answer.results[0].reasons


@pytest.mark.parametrize(
    "reply", [HANGS, 500, 401, "I can't say.", {"numbers": [77]}], ids=["hangs", "broken", "no right", "talks", "invents"]
)
def test_a_bad_model_costs_auto_neither_its_answer_nor_more_than_its_budget(shop: Path, reply: Any) -> None:
    with language_server(always=reply) as server:
        answer = answer_of(shop, server, UNSURE, llm_seconds=2 if reply is HANGS else 30)
    assert set(plain(shop, UNSURE)) <= set(ids(answer)) and len(server.requests) <= 4


def test_auto_asks_nothing_where_that_is_not_wanted(shop: Path) -> None:
    with language_server() as server:
        answer = answer_of(shop, server, UNSURE, auto_llm="never")
    assert server.requests == [] and ids(answer) == plain(shop, UNSURE) and not any("gate" in line for line in answer.route)


def test_a_projects_own_file_does_not_spend_its_readers_money(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("def refund():\n    return 1\n")
    with language_server() as server:
        (tmp_path / "clew.toml").write_text(f'llm = "any:small"\nllm_url = "{server.address}"\nauto_llm = "standard"\n')
        with open_engine(tmp_path) as engine:
            answer = engine.search(Question("where would somebody get money back"))
    assert server.requests == [] and not any("language model" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (Found(mode="structural"), "the graph answers"),
        (Found(mode="fast", confidence=Confidence(0.3, Signs(named=1.0))), "an exact definition"),
        (Found(mode="hybrid", confidence=Confidence(0.6, agrees=True)), "words and vectors agree on the best file"),
        (Found(mode="hybrid", confidence=Confidence(0.6, margin=0.2)), "the best file leads by 20%"),
        (Found(mode="hybrid", confidence=Confidence(0.4, agrees=True, margin=0.9)), ""),
        (Found(mode="hybrid", confidence=Confidence(0.99, margin=0.1)), ""),
        (Found(mode="hybrid"), ""),
    ],
)
def test_the_gate_passes_what_is_exact_agreed_or_clearly_ahead(found: Found, why: str) -> None:
    assert settled(found) == why
