"""Does the measure of abstention measure, and are others drawn fairly?"""

from __future__ import annotations

from bench.abstention import area
from bench.code_set import DEV, HELD_OUT
from bench.pairs import pairings

from clew.adapters.embedders.static import load
from clew.search.calibration import FITTED_MODEL


def test_the_area_is_the_share_of_pairs_in_order_ties_counting_half() -> None:
    assert area([3, 4], [1, 2]) == 1.0
    assert area([1, 2], [3, 4]) == 0.0
    assert area([1, 1], [1, 1]) == 0.5
    assert area([0.9, 0.2], [0.5, 0.1]) == 0.75


def test_no_repository_is_paired_with_itself_and_pairs_are_the_same_in_every_run() -> None:
    rounds = list(pairings(DEV, 5))
    assert all(sorted(others) == sorted(others.values()) == sorted(DEV) for others in rounds)
    assert all(name != other for others in rounds for name, other in others.items())
    assert rounds == list(pairings(DEV, 5))


def test_the_halves_share_nothing() -> None:
    assert len(DEV) == len(HELD_OUT) == 16
    assert set(DEV).isdisjoint(HELD_OUT)


def test_confidence_was_fitted_for_the_model_that_is_shipped() -> None:
    assert load("").space.model == FITTED_MODEL, "run: python bench/fit_confidence.py QUERIES.jsonl WORKTREES"
