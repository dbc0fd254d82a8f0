"""Does text from files stay text, whatever it holds?"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.visible import to_json, visible, visible_code

ANY_TEXT = st.text(st.characters(exclude_categories=()))
"""With lone surrogates, as undecodable file names have."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain äöü 漢字 🙂", "plain äöü 漢字 🙂"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("caf\udce9.py", "caf\\xe9.py"),
        ("\ud800", "\\ud800"),
        ("\u202eevil", "\\u202eevil"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u2028b", "a\\u2028b"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_acting_characters_become_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_code_keeps_its_lines_and_tabs() -> None:
    assert visible_code("if x:\n\treturn\x07\n") == "if x:\n\treturn\\x07\n"


@given(ANY_TEXT)
def test_whatever_is_shown_can_be_encoded_and_holds_no_control_character(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert shown.isprintable() or not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in shown)
    assert len(shown.splitlines()) <= 1


@given(st.recursive(ANY_TEXT | st.integers() | st.booleans() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner)))
def test_json_is_one_line_of_utf8_that_says_the_same(value: object) -> None:
    line = to_json(value)
    line.encode("utf-8")
    assert len(line.splitlines()) == 1
    read = json.loads(line)
    if "\\\\" not in line:  # no surrogate was spelled out
        assert read == value


def test_json_spells_an_undecodable_byte() -> None:
    assert json.loads(to_json({"filepath": "caf\udce9.py"})) == {"filepath": "caf\\xe9.py"}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_json_refuses_what_json_has_not(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_json(value)
