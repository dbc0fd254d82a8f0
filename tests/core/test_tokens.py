"""Does the token count bound cl100k_base from above, closely for code?"""

from __future__ import annotations

import sysconfig
from pathlib import Path

import bpe_openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core import token_pieces
from clew.core.tokens import Counted, count_tokens

_CL100K = bpe_openai.get_encoding("cl100k_base")
_LIBRARY = Path(sysconfig.get_paths()["stdlib"])
_INSTALLED = Path(sysconfig.get_paths()["purelib"])
_LETTERS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", max_size=60)
_WORDS = st.sampled_from(["return", "getUserName", "XMLHttpRequest", "self._x", "größe", "日本語", "0x1F600", "don't", "I'LL", "__init__"])
_BLANKS = st.text(" \t\n\r\f\v", min_size=1, max_size=120)
_SIGNS = st.text("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", min_size=1, max_size=12)
_CODE = st.lists(st.one_of(_WORDS, _LETTERS, _BLANKS, _SIGNS, st.text(max_size=4), st.integers().map(str)), max_size=30).map("".join)


def true_count(text: str) -> int:
    return len(_CL100K.encode_ordinary(text.encode("utf-8", "replace").decode("utf-8")))


@given(st.one_of(_LETTERS, _CODE, _BLANKS, _SIGNS))
def test_never_below_the_true_count_of_text_like_code(text: str) -> None:
    assert count_tokens(text) >= true_count(text)


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_never_below_the_true_count_of_any_ascii(text: str) -> None:
    assert count_tokens(text) >= true_count(text)


@given(st.text(max_size=40))
def test_never_below_the_true_count_of_any_unicode(text: str) -> None:
    assert count_tokens(text) >= true_count(text)


@given(st.text(max_size=60))
def test_never_above_the_bytes(text: str) -> None:
    assert count_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))


_LINE = st.lists(
    st.one_of(_LETTERS, _SIGNS, st.sampled_from([" ", "    ", "\t", "\r", "\f", "self.", "(x):", "'ll", "12345"])), max_size=5
).map("".join)


@given(st.lists(_LINE, min_size=1, max_size=12), st.data())
def test_lines_counted_within_their_neighbours_are_counted_as_they_are_alone(lines: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    code = "\n".join(lines[first : last + 1])
    start = len("\n".join([*lines[:first], ""])) if first else 0
    inside = Counted("\n".join(lines)).within(start, start + len(code))
    if code and not code[-1].isspace() and lines[first].lstrip(" \t\f\v")[:1] not in ("", "\r"):
        assert inside == count_tokens(code)


@given(_LINE, _LINE)
def test_a_header_counts_apart_from_code_that_starts_visibly(header: str, code: str) -> None:
    if code.lstrip(" \t\f\v")[:1] not in ("", "\r"):
        assert count_tokens(f"{header}\n{code}") == count_tokens(f"{header}\n") + count_tokens(code)


def test_what_starts_inside_a_piece_is_not_told() -> None:
    assert Counted("return value").within(3, 12) is None


def sources() -> list[Path]:
    python = sorted(_LIBRARY.glob("*.py"))[::3]
    others = [path for suffix in ("h", "pxd", "md", "txt", "pyi", "json") for path in sorted(_INSTALLED.rglob(f"*.{suffix}"))[:12]]
    return [path for path in (*python, *others) if path.stat().st_size < 400_000]


def test_never_below_the_true_count_of_real_files_and_at_most_half_above_it() -> None:
    counted = expected = 0
    for path in sources():
        text = path.read_text("utf-8", "replace")
        ours, theirs = count_tokens(text), true_count(text)
        assert ours >= theirs, path
        if text.isascii():
            counted, expected = counted + ours, expected + theirs
    assert counted / expected < 1.5


@pytest.mark.parametrize("size", [1, 81, 82, 83, 84, 129, 1000, 5000])
@pytest.mark.parametrize("unit", [" ", "\n", "\t", "\r\n", "a", "zq", "=", "-*", "Aq", "é", "本", "\u2028", "\x00"])
def test_repetition_is_bounded_too(unit: str, size: int) -> None:
    assert count_tokens(unit * size) >= true_count(unit * size)


def test_undecodable_bytes_are_counted() -> None:
    assert count_tokens("caf\udce9 \ud800") >= true_count("caf\ufffd \ufffd")


def test_an_empty_text_has_no_tokens() -> None:
    assert count_tokens("") == 0


def test_every_known_piece_is_one_token() -> None:
    others = [piece.translate(token_pieces.STAND_INS) for piece in token_pieces.OTHERS.split()]
    spaced = [" " + word for word in token_pieces.WORDS_AFTER_BLANK.split()]
    wrong = [piece for piece in (*token_pieces.WORDS.split(), *spaced, *others) if true_count(piece) != 1]
    assert wrong == []
