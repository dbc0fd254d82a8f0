"""The way a question is answered."""

from __future__ import annotations

import pytest

from clew.core.answer import Question
from clew.errors import UsageError
from clew.search.question import read
from clew.search.router import INTENTS, route


def way(text: str, **options: object) -> tuple[str, int]:
    found = route(read(text), Question(text, **options))  # type: ignore[arg-type]
    return found.mode, found.ef


@pytest.mark.parametrize(
    ("text", "mode", "ef"),
    [
        ("createStore", "fast", 50),
        ("src/api/h.py", "fast", 50),
        ("where are routes registered", "hybrid", 100),
        ("refactor the session interface", "hybrid", 150),
        ("audit of sql injection", "hybrid", 150),
        ("how does a request flow from the socket to the handler", "hybrid", 200),
        ("how does untrusted input flow from the form to the query", "hybrid", 200),
    ],
)
def test_auto_goes_by_the_shape_and_the_intent(text: str, mode: str, ef: int) -> None:
    assert way(text) == (mode, ef)


def test_the_callers_mode_and_ef_count_first() -> None:
    assert way("createStore", mode="semantic", ef=77) == ("semantic", 77)


def test_ef_is_never_under_the_limit() -> None:
    assert way("createStore", ef=5, limit=30)[1] == 30


def test_an_unknown_mode_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(UsageError) as refusal:
        way("x", mode="quantum")
    assert "hybrid" in refusal.value.hint


def test_the_widest_intent_comes_first() -> None:
    efs = [intent.ef for intent in INTENTS]
    assert efs == sorted(efs, reverse=True)


def test_the_way_is_explained() -> None:
    assert any("one name" in reason for reason in route(read("createStore"), Question("createStore")).reasons)
