"""What an answer advises to do next."""

from __future__ import annotations

import pytest

from clew.core.answer import Answer, Question, Result, Skip
from clew.core.chunk import Chunk
from clew.core.query import Filters, PathFilter
from clew.search.hints import hint_for

ASKED = Question("where is it", limit=10)


def results(*paths: str) -> tuple[Result, ...]:
    return tuple(Result(Chunk(path, path, "f", "function", "python", 1, 2, "", "x"), path, "x", 1.0) for path in paths)


def test_nothing_found_is_told_apart_from_not_indexed() -> None:
    empty = Answer("q", "fast")
    assert "not indexed" not in hint_for(empty, ASKED, ())
    assert "1 file is not indexed" in hint_for(empty, ASKED, (Skip("a.bin", "binary"),))
    assert "2 files are not indexed" in hint_for(empty, ASKED, (Skip("a.bin", "binary"), Skip("b.bin", "binary")))


def test_an_index_without_a_file_is_told_apart_from_an_unlucky_question() -> None:
    assert "right folder" in hint_for(Answer("q", "fast"), ASKED, (), is_empty=True)
    assert "a.bin: binary" in hint_for(Answer("q", "fast"), ASKED, (Skip("a.bin", "binary"),), is_empty=True)


def test_what_was_found_and_is_too_weak_is_told_apart_from_nothing() -> None:
    weak = hint_for(Answer("q", "hybrid", withheld=4), ASKED, (Skip("a.bin", "binary"),))
    assert "too weak" in weak
    assert "no match" not in weak
    assert "no match" in hint_for(Answer("q", "hybrid"), ASKED, ())


def test_filters_are_named_when_nothing_fits_them() -> None:
    asked = Question("q", filters=Filters(paths=(PathFilter("src"),)))
    assert "--in" in hint_for(Answer("q", "fast"), asked, ())


def test_a_budget_that_holds_nothing_is_named() -> None:
    assert "--max-tokens" in hint_for(Answer("q", "fast", confidence="high"), Question("q", max_tokens=5), ())


@pytest.mark.parametrize(("mode", "advises_hybrid"), [("fast", True), ("hybrid", False)])
def test_weak_matches_are_called_weak(mode: str, advises_hybrid: bool) -> None:
    hint = hint_for(Answer("q", mode, results("a.py"), "low"), ASKED, ())
    assert "weak" in hint
    assert ("--mode hybrid" in hint) == advises_hybrid


def test_a_stale_answer_says_how_to_catch_up() -> None:
    assert "clew index" in hint_for(Answer("q", "fast", results("a.py"), "high", stale=True), ASKED, ())


def test_results_crowded_in_one_folder_suggest_to_look_only_there() -> None:
    crowd = results(*(f"src/api/{i}.py" for i in range(6)), "lib/x.py")
    assert "--in src/api" in hint_for(Answer("q", "hybrid", crowd, "medium"), ASKED, ())
    asked = Question("q", filters=Filters(paths=(PathFilter("src"),)))
    assert "--in src" not in hint_for(Answer("q", "hybrid", crowd, "medium"), asked, ())


def test_a_crowd_that_is_not_where_the_best_result_is_suggests_nothing() -> None:
    crowd = results("src/keys.py", *(f"vendor/acme/{i}.py" for i in range(6)))
    assert "--in vendor" not in hint_for(Answer("q", "hybrid", crowd, "medium"), ASKED, ())


def test_a_sure_answer_needs_no_advice() -> None:
    assert hint_for(Answer("q", "hybrid", results("src/a.py", "lib/b.py"), "high"), ASKED, ()) == ""
