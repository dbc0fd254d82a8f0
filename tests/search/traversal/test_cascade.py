"""Does mode auto ask a language model only where it is allowed to and not sure, within one budget, and say which gate let it stop?"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.language_server import HANGS, Conversation, language_server, shape_of, text_of

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


def naming(*titles: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """A model that names the lines that hold these texts, wherever they stand."""

    def choose(asked: Mapping[str, Any]) -> dict[str, Any]:
        lines = [match for line in text_of(asked).split("\n") if (match := re.match(r"(\d+) (.*)", line))]
        return {"numbers": [int(line[1]) for title in titles for line in lines if title in line[2]]}

    return choose


def place(answer_or_root: Path, text: str, number: int) -> str:
    with open_engine(answer_or_root) as engine:
        chunk = engine.search(Question(text)).results[number].chunk
    return f"{chunk.filepath}:{chunk.line_start}-{chunk.line_end} "


def test_what_the_model_names_of_two_orders_comes_first_after_two_calls(shop: Path) -> None:
    with language_server(always=naming(place(shop, UNSURE, 2), place(shop, UNSURE, 1))) as server:
        answer = answer_of(shop, server, UNSURE)
    before = plain(shop, UNSURE)
    assert len(server.requests) == 2 and UNSURE in text_of(server.requests[0])
    assert text_of(server.requests[0]) != text_of(server.requests[1]), "in another order"
    assert ids(answer)[:2] == [before[2], before[1]] and set(ids(answer)) == set(before)
    assert any("2 calls" in line and "confirms the same twice" in line for line in answer.route)


def test_what_is_first_already_is_confirmed_in_one_call(shop: Path) -> None:
    with language_server(always=naming(place(shop, UNSURE, 0))) as server:
        answer = answer_of(shop, server, UNSURE)
    assert len(server.requests) == 1 and ids(answer) == plain(shop, UNSURE)
    assert any("gate: stopped, the model confirms what is first" in line for line in answer.route)


def test_a_model_that_names_others_the_second_time_leaves_the_order_as_it_was(shop: Path) -> None:
    with language_server({"numbers": [1]}, {"numbers": [2]}) as server:
        answer = answer_of(shop, server, UNSURE)
    assert ids(answer) == plain(shop, UNSURE) and 1 <= len(server.requests) <= 2


def nothing_confirmed(**after: Any) -> Callable[[Mapping[str, Any]], Any]:
    """A model that confirms nothing, chooses what is drawn for each request, and makes moves."""
    draw = random.Random(4)

    def answer(asked: Mapping[str, Any]) -> Any:
        if "numbers" in shape_of(asked)["properties"]:
            return {"numbers": [] if "numbered results" in text_of(asked) else [draw.randint(1, 9)]}
        return after["move"](asked)

    return answer


def note_and_be_done(asked: Mapping[str, Any]) -> dict[str, Any]:
    if "[1] pay/refunds/f7.py" in text_of(asked):
        return {"action": "done", "text": "It is given back there [1]."}
    return {"action": "note", "target": "pay/refunds/f7.py", "line_start": 1, "line_end": 3, "text": "gives back"}


def test_auto_goes_on_to_deep_where_the_user_says_so_and_reading_begins_with_what_was_found_by_then(shop: Path) -> None:
    with language_server(always=nothing_confirmed(move=note_and_be_done)) as server:
        answer = answer_of(shop, server, UNSURE, auto_llm="deep")
        assert len(server.requests) <= 15
        again = answer_of(shop, server, UNSURE, auto_llm="standard")
    assert answer.mode == "deep" and answer.synthesis == "It is given back there [pay/refunds/f7.py:1-3]."
    assert answer.results[0].chunk.filepath == "pay/refunds/f7.py"
    said = ("gate: confidence", "nothing that was found was confirmed", "mode standard:", "gate: the model chose other", "mode deep:")
    places = [next(number for number, line in enumerate(answer.route) if one in line) for one in said]
    assert places == sorted(places)
    assert again.mode == "standard" and again.synthesis == ""


def test_the_whole_cascade_has_one_budget_of_calls_tokens_and_time(shop: Path) -> None:
    count = iter(range(1_000))
    endless = nothing_confirmed(move=lambda asked: {"action": "grep", "target": f"word{next(count)}"})
    with language_server(always=endless) as server:
        answer = answer_of(shop, server, UNSURE, auto_llm="deep", deep_rounds=7)
    assert len(server.requests) == 7 and any("not read to the end" in warning for warning in answer.warnings)
    with language_server(always=endless) as server:
        answer_of(shop, server, UNSURE, auto_llm="deep", deep_tokens=9_000)
    assert sum(len(text_of(asked)) // 6 for asked in server.requests) <= 9_000
    with language_server({"numbers": []}, always=HANGS) as server:
        answer = answer_of(shop, server, UNSURE, auto_llm="deep", llm_seconds=2)
        server.ended.set()
    assert len(server.requests) == 2 and set(plain(shop, UNSURE)) <= set(ids(answer))


def test_a_projects_own_file_does_not_send_auto_into_deep(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("def refund():\n    return 1\n\n\ndef charge():\n    return 2\n")
    (tmp_path / "two.py").write_text("def ship():\n    return 1\n")
    (tmp_path / "clew.toml").write_text('auto_llm = "deep"\n')
    with language_server(always=nothing_confirmed(move=note_and_be_done)) as server:
        answer = answer_of(tmp_path, server, "where would somebody get money back")
    assert answer.mode != "deep" and all("numbers" in shape_of(asked)["properties"] for asked in server.requests)


def test_where_nothing_is_confirmed_the_model_walks_the_tree_in_four_calls_at_most_in_all(shop: Path) -> None:
    def choose(asked: Mapping[str, Any]) -> dict[str, Any]:
        return {"numbers": [] if "numbered results" in text_of(asked) else [1]}

    with language_server(always=choose) as server:
        answer = answer_of(shop, server, UNSURE)
    assert 3 <= len(server.requests) <= 4 and answer.mode == "standard"
    assert any("nothing that was found was confirmed" in line for line in answer.route)


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


def test_a_projects_own_file_lowers_the_limits_and_raises_none(tmp_path: Path) -> None:
    count = iter(range(1_000))
    (tmp_path / "one.py").write_text("def refund():\n    return 1\n")
    for said, most in (("deep_rounds = 90\ndeep_tokens = 9000000\nllm_reply_tokens = 90000\n", 15), ("deep_rounds = 2\n", 2)):
        (tmp_path / "clew.toml").write_text(said)
        greps = language_server(always=lambda asked: {"action": "grep", "target": f"word{next(count)}"})
        with greps as server, open_engine(tmp_path, {"llm": "any:small", "llm_url": server.address}) as engine:
            engine.ask(UNSURE)
        assert len(server.requests) == most
        assert all(asked.get("max_completion_tokens", asked.get("max_tokens")) <= 4_000 for asked in server.requests)


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
