"""Is every pattern of a model's either run in bounded steps or looked for as it stands?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.search.deep.patterns import pattern_of

EVIL = [
    "(a+)+$",
    "(a|a)*b",
    "(.*a){20}",
    "(x+x+)+y",
    r"(\w+\s?)*$",
    "(?=a+)a",
    r"(a)\1",
    "a*a*a*a*b",
    "(a{1,9}){9}",
    "((a*)*)*",
    "[a-z]+*",
    "(",
    "*",
    "a{99999999999}",
]


@pytest.mark.parametrize("text", EVIL)
def test_what_could_run_for_ever_is_looked_for_letter_by_letter(text: str) -> None:
    pattern = pattern_of(text)
    assert pattern.search(f"before {text} after")
    assert not pattern.search("a" * 400)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def \\w+", "def load(x)"),
        ("foo|bar", "a bar"),
        ("class .*Error", "class MyError"),
        ("[A-Z]{3,}", "ABC"),
        ("load", "LOAD it"),
        ("(?:get|set)_x?", "get_"),
    ],
)
def test_usual_patterns_are_patterns(text: str, line: str) -> None:
    assert pattern_of(text).search(line)


@given(st.text(alphabet=r"ab.*+?()[]{}|\^$1,:=", max_size=30))
def test_any_text_is_a_pattern_that_ends(text: str) -> None:
    pattern = pattern_of(text)
    assert isinstance(pattern, re.Pattern)
    pattern.search("ab" * 200)
