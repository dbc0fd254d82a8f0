"""Reading an answer from its top, and what that is worth."""

from __future__ import annotations

import pytest

from clew.core.tokens import count_tokens
from clew.evaluation.asked import COMMIT, DOCSTRING, Asked, sample
from clew.evaluation.reading import BUDGET, Read, read_through
from clew.evaluation.scores import table, wilson

PIECES = [("a.py", "one two"), ("b.py", "three"), ("a.py", "four"), ("c.py", "five six seven")]


def test_tokens_count_until_the_end_of_the_first_piece_of_a_right_file() -> None:
    assert read_through(PIECES, ["b.py"]) == Read(2, count_tokens("one two") + count_tokens("three"), 1.0)
    assert read_through(PIECES, ["a.py", "x.py"]) == Read(1, count_tokens("one two"), 0.5)


def test_a_miss_costs_the_budget() -> None:
    assert read_through(PIECES, ["x.py"]) == Read(0, BUDGET, 0.0)
    assert read_through([], ["x.py"]) == Read(0, BUDGET, 0.0)


def test_what_comes_after_the_budget_has_a_rank_and_is_not_read() -> None:
    assert read_through([("a.py", "word " * 3 * BUDGET), ("b.py", "x")], ["b.py"]) == Read(2, BUDGET, 0.0)


def test_ranks_end_after_ten_files() -> None:
    assert read_through([(f"{n}.py", "x") for n in range(20)], ["10.py"]).rank == 0


def test_there_is_a_row_for_each_kind_and_mode_and_for_all() -> None:
    asked = [Asked("q", ("a",), DOCSTRING), Asked("r", ("b",), COMMIT)]
    rows = table(asked, [{"grep": Read(2, 100, 0.5), "fast": Read(1, 10, 1.0)}, {"grep": Read(0, 2000, 0.0), "fast": Read(1, 30, 1.0)}])
    assert [(row.kind, row.mode, row.questions) for row in rows] == [
        ("all", "grep", 2),
        ("all", "fast", 2),
        ("docstring", "grep", 1),
        ("docstring", "fast", 1),
        ("commit", "grep", 1),
        ("commit", "fast", 1),
    ]
    assert (rows[0].right_first, rows[0].mrr, rows[0].recall, rows[0].tokens) == (0.0, 0.25, 0.25, 1050)
    assert (rows[1].right_first, rows[1].tokens) == (1.0, 20)


def test_an_interval_holds_its_share_and_is_narrower_for_more_questions() -> None:
    assert wilson(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    few, many = wilson(5, 10), wilson(500, 1000)
    assert few[0] < many[0] < 0.5 < many[1] < few[1]
    assert wilson(0, 10)[0] == pytest.approx(0.0)


def test_a_sample_is_the_same_for_a_seed_whatever_the_order() -> None:
    asked = [Asked(f"question {n}", (f"{n}.py",)) for n in range(50)]
    assert sample(asked, 5, 1) == sample(asked[::-1], 5, 1)
    assert sample(asked, 5, 1) != sample(asked, 5, 2)
