"""Does a batch answer every line, whatever the line is?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def test_each_line_gets_an_answer_with_its_id(project: Path, clew: Run, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_bytes(lines({"id": "a", "query": "total_price"}, {"id": [1], "query": "sendConfirmation"}, {"query": "zyxwv"}))
    done = clew("search", "--batch", questions, "--mode", "fast")
    assert done.code == 0
    assert [answer["id"] for answer in done.lines] == ["a", [1], 3]
    assert [answer["query"] for answer in done.lines] == ["total_price", "sendConfirmation", "zyxwv"]
    assert done.lines[0]["results"][0]["filepath"] == "src/basket.py"
    assert done.lines[1]["results"][0]["filepath"] == "web/mail.js"
    assert done.lines[2]["results"] == []


def test_a_lines_options_beat_those_of_the_command_line(project: Path, clew: Run) -> None:
    batch = lines(
        {"query": "customer"},
        {"query": "customer", "limit": 2},
        {"query": "customer", "in": "web", "symbol-type": ["function"], "max_tokens": 500, "ef": 20, "rerank": False, "json": True},
    )
    answers = clew("search", "--batch", "-", "--limit", "1", "--mode", "fast", stdin=batch).lines
    assert [len(answer["results"]) for answer in answers] == [1, 2, 1]
    assert answers[2]["results"][0]["filepath"] == "web/mail.js"


def test_a_line_may_ask_another_project(project: Path, clew: Run, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "clock.py").write_text("def ring_the_bell():\n    return 12\n")
    answers = clew("search", "--batch", "-", stdin=lines({"query": "ring_the_bell", "path": str(other)}, {"query": "Basket"})).lines
    assert [answer["results"][0]["filepath"] for answer in answers] == ["clock.py", "src/basket.py"]


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b"[1, 2]",
        b'{"query": 1}',
        b'{"query": ""}',
        b'{"id": 1}',
        b'{"query": "x", "limit": "many"}',
        b'{"query": "x", "limit": 1e3}',
        b'{"query": "x", "limit": 99999999999999999999999}',
        b'{"query": "x", "limit": true}',
        b'{"query": "x", "language": 3}',
        b'{"query": "x", "in": "../.."}',
        b'{"query": "x", "mode": "deeper"}',
        b'{"query": "x", "colour": "red"}',
        b'{"query": "x", "ef": NaN}',
        b'{"query": "x", "path": "no/such/folder"}',
        b'{"query": "x", "path": 1}',
        b'{"query": "\xff"}',
        b"[" * 100_000,
        b'{"id": ' + b"9" * 10_000 + b"}",
    ],
    ids=lambda line: line[:40].decode("ascii", "replace"),
)
def test_a_bad_line_gets_an_error_and_the_others_their_answers(project: Path, clew: Run, line: bytes) -> None:
    done = clew("search", "--batch", "-", stdin=line + b"\n" + lines({"id": "good", "query": "total_price"}))
    bad, good = done.lines
    assert set(bad["error"]) == {"code", "message", "hint"}
    assert good["results"][0]["filepath"] == "src/basket.py"
    assert done.code == 2


def test_blank_lines_carriage_returns_and_a_byte_order_mark_do_no_harm(project: Path, clew: Run) -> None:
    batch = b"\xef\xbb\xbf" + b'{"id": 1, "query": "Basket"}\r\n\r\n   \n{"id": 2, "query": "Basket"}'
    done = clew("search", "--batch", "-", stdin=batch)
    assert [answer["id"] for answer in done.lines] == [1, 2]
    assert done.code == 0


@pytest.mark.parametrize("query", ["a\u0000b", "\ud800", "'; DROP TABLE chunks; --", '"a" AND NEAR(b', "*" * 500, "a\u2028b", "x" * 50_000])
def test_any_text_is_a_legal_question(project: Path, clew: Run, query: str) -> None:
    done = clew("search", "--batch", "-", stdin=lines({"id": "\ud800", "query": query}))
    assert done.code == 0
    assert "results" in done.lines[0]


def test_an_empty_batch_is_answered_with_nothing(project: Path, clew: Run) -> None:
    assert clew("search", "--batch", "-") == (0, "", "")


@pytest.mark.parametrize("name", ["missing.jsonl", "src"])
def test_a_batch_that_cannot_be_read_is_wrong_use(project: Path, clew: Run, name: str) -> None:
    done = clew("search", "--batch", name)
    assert done.code == 2
    assert name in done.json["error"]["message"]
