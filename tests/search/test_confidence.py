"""How sure an answer says it is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.conftest import Piece, make

from clew.search.calibration import WITH_VECTORS, WITHOUT_VECTORS
from clew.search.chances import HIGH, MEDIUM
from clew.search.confidence import FAINT, FEW_LINES, UNLIKELY, Confidence, Signs, chance, most_lines

BILLING = {"src/billing.py": [Piece('def open_invoice(customer):\n    """Create an invoice for the customer."""', "open_invoice")]}
SHOP = BILLING | {f"src/part{n}.py": [Piece(f"def other_{n}(value):\n    return value", f"other_{n}")] for n in range(9)}


@pytest.mark.parametrize("fit", [WITH_VECTORS, WITHOUT_VECTORS])
@given(signs=st.tuples(*[st.floats(0, 1)] * 4), better=st.integers(0, 3))
def test_more_of_any_sign_is_never_less_sure(fit: object, signs: tuple[float, ...], better: int) -> None:
    before = Signs(*signs, cosine=0.3)
    after = before._replace(**{Signs._fields[better]: 1.0})
    assert 0 < chance(before, fit) <= chance(after, fit) <= 1  # type: ignore[arg-type]


def test_a_closer_meaning_is_surer() -> None:
    assert chance(Signs(0.5, 1.0, 0.0, 0.0, 0.2), WITH_VECTORS) < chance(Signs(0.5, 1.0, 0.0, 0.0, 0.6), WITH_VECTORS)


def test_without_a_sign_there_is_no_answer_and_with_all_of_them_it_is_high() -> None:
    for fit in (WITH_VECTORS, WITHOUT_VECTORS):
        assert Confidence(chance(Signs(), fit)).is_faint
        assert Confidence(chance(Signs(1.0, math.log(5), 1.0, 1.0, 0.7), fit)).level == "high"


@pytest.mark.parametrize(
    ("value", "level"), [(0.0, "none"), (FAINT, "low"), (MEDIUM - 0.01, "low"), (MEDIUM, "medium"), (HIGH - 0.01, "medium"), (HIGH, "high")]
)
def test_levels_follow_from_the_chance(value: float, level: str) -> None:
    assert Confidence(value).level == level


def test_an_unlikely_answer_is_short_and_a_faint_one_empty() -> None:
    assert [most_lines(Confidence(value), 10) for value in (FAINT / 2, UNLIKELY / 2, MEDIUM, HIGH)] == [0, FEW_LINES, 10, 10]
    assert most_lines(Confidence(UNLIKELY / 2), 2) == 2


@pytest.mark.parametrize("mode", ["fast", "hybrid"])
def test_who_asks_for_one_result_is_told_the_same_as_who_asks_for_ten(mode: str) -> None:
    project = make(SHOP, vectors=True)
    one, ten = (project.search("create an invoice for a customer", mode, limit=limit) for limit in (1, 10))
    assert one.confidence == ten.confidence
    assert len(one.ranked) == 1


def test_the_best_result_scores_the_confidence_and_no_other_more() -> None:
    found = make(SHOP, vectors=True).search("create an invoice for a customer", "hybrid")
    assert found.ranked[0].score == found.confidence.chance
    assert all(line.score <= found.confidence.chance for line in found.ranked)


def test_the_cosines_of_a_model_that_was_not_fitted_do_not_count() -> None:
    project = make(SHOP, vectors=True)
    question = "create an invoice for a customer"
    found = project.search(question, "hybrid")
    assert found.confidence.chance == chance(found.confidence.signs, WITHOUT_VECTORS) != chance(found.confidence.signs, WITH_VECTORS)


def test_a_pasted_report_is_never_left_without_what_was_found() -> None:
    report = (
        "Crash in the velocipede\n\nI ran the trombone with zebra stripes, and the pancake\nfell. It has something to do with an invoice."
    )
    assert make(SHOP).search(report, "fast").ranked
