"""Which ways of writing a value are one?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.schema.folding import folded


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Alameda", ("alameda",)),
        ("San-José ", ("san", "jose")),
        ("STRASSE", ("strasse",)),
        ("straße", ("strasse",)),
        ("snake_case.x", ("snake", "case", "x")),
        ("東京", ("東京",)),
        ("- ?!\x00\ud800", ()),
    ],
)
def test_case_accents_and_signs_make_no_difference(text: str, words: tuple[str, ...]) -> None:
    assert folded(text) == words


@given(st.text(max_size=60))
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    assert folded(" ".join(folded(text))) == folded(text)
