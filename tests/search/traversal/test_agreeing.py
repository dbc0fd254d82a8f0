"""Does a choice count for more only where it is made twice?"""

from __future__ import annotations

import random

import pytest

from clew.core.query import Hit
from clew.search.traversal.agreeing import Walked, agreed


@pytest.mark.parametrize(
    ("first", "second", "offered", "alike"),
    [
        ("a", "a", 10, "a"),
        ("ab", "ab", 10, "ab"),
        ("ab", "ba", 10, "ba"),
        ("abx", "aby", 10, "ab"),
        ("aba", "aab", 10, "ab"),
        ("ab", "cd", 10, ""),
        ("", "a", 10, ""),
        ("abcdefghij", "jihgfedcba", 10, ""),
        ("a", "a", 1, "a"),
    ],
)
def test_the_longest_beginning_that_two_choices_have_in_common_is_agreed_on(first: str, second: str, offered: int, alike: str) -> None:
    assert "".join(agreed(first, second, offered)) == alike


def test_who_draws_by_chance_agrees_with_himself_as_seldom_as_chance_has_it() -> None:
    draw, places = random.Random(1), range(15)
    times = sum(bool(agreed(draw.sample(places, 10), draw.sample(places, 10), 15)) for _ in range(2_000))
    assert times / 2_000 < 0.12


def test_what_comes_first_is_of_the_files_agreed_on_each_files_best_before_a_second() -> None:
    chunks = tuple(_hit(path, line) for path, line in (("a", 1), ("a", 9), ("b", 1), ("a", 20), ("a", 30), ("c", 1)))
    walked = Walked(("b", "a"), chunks, (_hit("d", 1),), ("c", "e"), chose_files=True, chose_chunks=True)
    first, later = walked.in_order(6)
    assert walked.agreed == ("a", "b")
    assert [(hit.filepath, hit.line_start) for hit in first] == [("a", 1), ("b", 1), ("a", 9), ("a", 20)]
    assert [(hit.filepath, hit.line_start) for hit in later] == [("a", 30), ("c", 1)]


def test_a_choice_that_the_model_made_once_or_did_not_make_comes_before_nothing() -> None:
    chunks = (_hit("a", 1),)
    assert Walked(("a",), chunks, chose_files=True).in_order(10) == ((), chunks)
    assert Walked(("a",), chunks).in_order(10) == ((), ())


def _hit(path: str, line: int) -> Hit:
    return Hit("here", f"{path}:{line}", path, f"name{line}", "function", "python", line, line, "", 1.0)
