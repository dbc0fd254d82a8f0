"""Does the run of a real model keep each answered question, and go on where it was stopped?"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from bench.small_model import answered, keep, measured
from tests.language_server import language_server, shape_of
from tests.servers import free_port

QUERIES = ("how is a customer given money back", "where is a card charged")


@pytest.fixture
def given(tmp_path: Path) -> Namespace:
    shop = tmp_path / "trees" / "shop"
    shop.mkdir(parents=True)
    (shop / "refunds.py").write_text("def refund(customer):\n    return customer.money\n\n\ndef other():\n    return 1\n")
    (shop / "cards.py").write_text("def charge(card):\n    return card.money\n")
    gold = [{"path": "refunds.py"}]
    lines = [json.dumps({"id": query, "repo": "shop", "query": query, "category": "semantic", "gold": gold}) for query in QUERIES]
    (tmp_path / "queries.jsonl").write_text("\n".join(lines))
    limits = {"seconds": 60, "rounds": 4, "tokens": 9_000, "reply": 321}
    places = {
        "queries": tmp_path / "queries.jsonl",
        "worktrees": tmp_path / "trees",
        "cache": tmp_path / "cache",
        "out": tmp_path / "out.jsonl",
    }
    return Namespace(**places, **limits, only=["shop"], standard=2, deep=1, url=f"http://127.0.0.1:{free_port()}/v1")


def choosing(asked: Mapping[str, Any]) -> dict[str, Any]:
    if "numbers" in shape_of(asked)["properties"]:
        return {"numbers": [1]}
    if "[1] refunds.py" in str(asked["messages"]):
        return {"action": "done", "text": "It is given back [1]."}
    return {"action": "note", "target": "refunds.py", "line_start": 1, "line_end": 2, "text": "money is given back"}


def test_each_answered_question_is_kept_and_a_stopped_run_goes_on(given: Namespace, capsys: pytest.CaptureFixture[str]) -> None:
    with language_server(always=choosing) as server:
        given.url = server.address
        measured(given)
        most = {asked.get("max_completion_tokens", asked.get("max_tokens")) for asked in server.requests}
    first = answered(given.out)
    assert [(row["mode"], row["query"]) for row in first] == [("standard", QUERIES[0]), ("standard", QUERIES[1]), ("deep", QUERIES[0])]
    assert most == {321}, "the length of a reply is a setting"
    assert first[2]["right_evidence"] and first[2]["synthesis"] == "It is given back [refunds.py:1-2]." and first[2]["calls"] == 2

    lines = given.out.read_text().split("\n")
    given.out.write_text(f"{lines[0]}\n{lines[1][:40]}")  # stopped while it wrote the second
    capsys.readouterr()
    with language_server(always=choosing) as server:
        given.url = server.address
        measured(given)
        assert len(server.requests) == first[1]["calls"] + first[2]["calls"], "what is answered is not asked again"
    again = answered(given.out)
    assert [row["query"] for row in again] == [row["query"] for row in first]
    report = capsys.readouterr().out
    assert "mode standard, 2 questions" in report and "mode deep, 1 questions" in report and "of the right file in 1" in report


def test_a_server_that_is_gone_ends_the_run_and_answers_nothing_in_its_place(given: Namespace) -> None:
    keep(given.out, {"mode": "standard", "repo": "shop", "query": QUERIES[0]})
    with pytest.raises(SystemExit, match="is not there: 1 questions are in"):
        measured(given)
    assert len(answered(given.out)) == 1
