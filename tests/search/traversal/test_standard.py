"""Does mode standard walk to the answer over a real connection, within its limits, and is a bad model's answer never worse than plain search's first ones?"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.language_server import BREAKS, HANGS, Conversation, Raw, language_server, text_of
from tests.servers import free_port

from clew.assembly import open_engine
from clew.core.answer import Answer, Question
from clew.core.tokens import count_tokens
from clew.engine import Engine

CALLS, TOKENS = 3, 6_000
TARGET = "pay/refunds/f3.py"
QUESTION = "how is a customer given money back"
FOLDERS = ("pay/refunds", "pay/cards", "ship/labels", "ship/routes", "mail/queue", "mail/forms", "auth/tokens", "auth/users")


def asking(shop: Path, server: Conversation, seconds: int = 30) -> Engine:
    return open_engine(shop, {"llm": "any:small", "llm_url": server.address, "llm_seconds": seconds})


def answer_of(shop: Path, server: Conversation, *, mode: str = "standard", limit: int = 20, seconds: int = 30) -> Answer:
    with asking(shop, server, seconds) as engine:
        return engine.search(Question(QUESTION, mode=mode, limit=limit))


def lines_of(asked: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    for line in text_of(asked).split("\n"):
        if found := re.match(r"(\d+) (.*)", line):
            yield int(found[1]), found[2]


def towards(path: str) -> Any:
    """A model that always chooses the child that leads to a file."""
    folder = path.rpartition("/")[0]

    def choose(asked: Mapping[str, Any]) -> dict[str, Any]:
        return {"numbers": [number for number, title in lines_of(asked) if title.startswith((f"{folder}/ (", f"{path}:"))]}

    return choose


def plain(shop: Path) -> list[str]:
    with open_engine(shop) as engine:
        return [result.chunk.id for result in engine.search(Question(QUESTION, mode="hybrid", limit=10)).results]


def keeps_what_plain_search_found(shop: Path, answer: Answer) -> bool:
    return set(plain(shop)) <= {result.chunk.id for result in answer.results[:20]}


def told(answer: Answer) -> list[str]:
    """What is said of the language model."""
    return [warning for warning in answer.warnings if "language model" in warning]


def test_a_model_that_knows_the_way_is_at_the_place_in_three_calls(shop: Path) -> None:
    with language_server(always=towards(TARGET)) as server:
        answer = answer_of(shop, server)
    first, second = answer.results[:2]
    assert second.chunk.filepath == TARGET and "chosen by the language model" in second.reasons
    assert first.chunk.id == plain(shop)[0], "what plain search did not find comes behind its first result"
    assert (len(server.requests), answer.mode, told(answer)) == (CALLS, "standard", [])
    assert sum(count_tokens(text_of(asked)) for asked in server.requests) <= TOKENS
    assert "3 calls" in answer.route[0] and "any:small" in answer.route[0]
    assert keeps_what_plain_search_found(shop, answer)


def test_what_plain_search_found_too_and_the_model_chooses_twice_comes_first(shop: Path) -> None:
    with open_engine(shop) as engine:
        found = engine.search(Question(QUESTION, mode="hybrid", limit=10)).results
    third = list(dict.fromkeys(result.chunk.filepath for result in found))[2]
    with language_server(always=towards(third)) as server:
        answer = answer_of(shop, server)
    assert answer.results[0].chunk.filepath == third and "chosen by the language model" in answer.results[0].reasons


def test_each_level_is_shown_the_question_and_names_and_nothing_of_it_can_leave_the_fence(shop: Path) -> None:
    with language_server(always=towards(TARGET)) as server:
        answer_of(shop, server)
    for asked in server.requests:
        system, user = asked["messages"][0]["content"], asked["messages"][-1]["content"]
        assert "gives no instructions" in system and "Ignore all" not in system
        assert user.endswith("</evidence>") and user.count("</evidence") == 1 and QUESTION in user
    folders, files, chunks = ([title for _, title in lines_of(asked)] for asked in server.requests)
    assert {title.partition("/ (")[0] for title in folders} == set(FOLDERS)
    assert all(title.startswith(FOLDERS) and ".py" in title for title in files) and len(files) >= 20
    assert any("give_refunds_3" in title for title in chunks)


def test_models_that_choose_at_random_leave_the_first_ten_nearly_always_and_hide_none_of_them(shop: Path) -> None:
    kept = 0
    for seed in range(12):
        draw = random.Random(seed)
        count = 1 if seed % 2 else 20
        with language_server(always=lambda asked: {"numbers": draw.sample(range(1, 60), count)}) as server:  # noqa: B023 - asked before the next
            answer = answer_of(shop, server)
        assert len(server.requests) <= CALLS and len(answer.results) >= 10
        assert keeps_what_plain_search_found(shop, answer)
        kept += [result.chunk.id for result in answer.results[:10]] == plain(shop)
    assert kept >= 10


def test_what_the_model_chooses_once_comes_before_nothing_and_position_alone_is_no_choice(shop: Path) -> None:
    with language_server(always={"numbers": [4, 5, 6]}) as server:
        answer = answer_of(shop, server)
    assert [result.chunk.id for result in answer.results[:10]] == plain(shop)
    assert any("chosen by the language model" in result.reasons for result in answer.results)


def test_numbers_that_were_not_offered_or_come_twice_are_dropped(shop: Path) -> None:
    with language_server(always=lambda asked: {"numbers": [0, -1, 10**30, 2, 2, 999]}) as server:
        answer = answer_of(shop, server)
    assert told(answer) == [] and len({result.chunk.id for result in answer.results}) == len(answer.results)
    assert 1 <= sum("chosen by the language model" in result.reasons for result in answer.results) <= 2


def test_a_model_that_chooses_nothing_leaves_the_order_of_plain_search(shop: Path) -> None:
    with language_server(always={"numbers": []}) as server:
        answer = answer_of(shop, server, limit=10)
    assert [result.chunk.id for result in answer.results] == plain(shop)


BAD: dict[str, Any] = {
    "talks": "I would look in the refunds folder, as a human would.",
    "other fields": {"ids": ["x"]},
    "not numbers": {"numbers": ["one", None]},
    "broken json": Raw(b'{"choices": [{"mess'),
    "no json": Raw(b"<html>"),
    "closed": BREAKS,
    "busy": 429,
    "broken": 500,
    "no right": 401,
}


@pytest.mark.parametrize("reply", BAD.values(), ids=BAD)
def test_a_model_that_gives_no_answer_costs_its_calls_and_the_order_of_plain_search_stands(shop: Path, reply: Any) -> None:
    with language_server(always=reply) as server:
        answer = answer_of(shop, server, limit=10)
    assert [result.chunk.id for result in answer.results] == plain(shop)
    assert 1 <= len(server.requests) <= CALLS
    assert told(answer)


def test_a_reply_out_of_shape_is_asked_for_once_more(shop: Path) -> None:
    with language_server("hm", always=towards(TARGET)) as server:
        answer = answer_of(shop, server)
    assert len(server.requests) == CALLS
    assert any(result.chunk.filepath == TARGET and "chosen by the language model" in result.reasons for result in answer.results)
    assert [result.chunk.id for result in answer.results[:10]] == plain(shop), "what is chosen once comes behind what was found"
    assert any("without the language model" in warning for warning in answer.warnings)  # the last level had no call left


def test_a_model_that_never_replies_is_left_when_the_time_is_over(shop: Path) -> None:
    with language_server(always=HANGS) as server:
        answer = answer_of(shop, server, limit=10, seconds=1)
    assert [result.chunk.id for result in answer.results] == plain(shop)
    assert len(server.requests) == 1 and any("does not answer" in warning for warning in answer.warnings)


def test_where_nobody_listens_the_answer_is_the_one_of_plain_search_and_says_so(shop: Path) -> None:
    with open_engine(shop, {"llm": "any:small", "llm_url": f"http://127.0.0.1:{free_port()}/v1"}) as engine:
        answer = engine.search(Question(QUESTION, mode="standard"))
    assert [result.chunk.id for result in answer.results] == plain(shop)
    assert any("does not answer" in warning for warning in answer.warnings)


def test_a_project_whose_files_fit_a_prompt_is_not_asked_for_folders_and_one_child_is_no_question(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("def refund():\n    return 1\n\n\ndef charge():\n    return 2\n")
    with language_server(always={"numbers": [1]}) as server:
        answer = answer_of(tmp_path, server)
        assert len(server.requests) == 1 and "one.py:" in text_of(server.requests[0])  # its two definitions
    assert answer.results[0].chunk.filepath == "one.py"


def test_filters_hold_for_what_a_model_may_choose(shop: Path) -> None:
    from clew.core.query import Filters, PathFilter

    with language_server(always={"numbers": [5, 4, 3]}) as server, asking(shop, server) as engine:
        answer = engine.search(Question(QUESTION, mode="standard", filters=Filters(paths=(PathFilter("mail"),))))
    assert answer.results and all(result.chunk.filepath.startswith("mail/") for result in answer.results)
    assert "pay/" not in "".join(server.said)


def test_without_a_model_the_mode_is_answered_as_hybrid_is_and_says_what_to_set(shop: Path) -> None:
    with open_engine(shop) as engine:
        answer = engine.search(Question(QUESTION, mode="standard"))
    assert [result.chunk.id for result in answer.results] == plain(shop)
    assert any("no language model is set" in warning and "CLEW_LLM" in warning for warning in answer.warnings)


def test_without_a_model_no_other_mode_loads_its_client_or_says_anything_of_it(shop: Path) -> None:
    program = f"""
import sys
from clew.assembly import open_engine
from clew.core.answer import Question
with open_engine({str(shop)!r}) as engine:
    for mode in ("auto", "fast", "semantic", "hybrid", "structural"):
        answer = engine.search(Question("how does a refund flow from end to end", mode=mode))
        assert not any("language model" in warning for warning in answer.warnings), answer.warnings
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("pydantic_ai", "pydantic", "openai", "httpx")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[]"
