"""How an answer reads as text, and which lines of a chunk it shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.core.answer import Result
from clew.core.chunk import Chunk
from clew.search.excerpt import excerpt
from clew.search.listing import BODIES, BODY_LINES, listing, with_lines
from clew.search.showing import CHANGED

LONG = "\n".join(
    [
        "# Uploads a file.",
        "@logged",
        "def upload(path):",
        '    """Send a file."""',
        *(f"    step({i})" for i in range(30)),
        "    return retry(path)",
    ]
)


def chunk(code: str, line: int = 1, name: str = "upload", **known: str) -> Chunk:
    return Chunk("id", "a.py", name, "function", "python", line, line + code.count("\n"), "", code, **known)


def result(code: str = LONG, score: float = 1.0, shown: tuple[int, ...] | None = None, line: int = 1, **more: object) -> Result:
    return Result(chunk(code, line, signature="def upload(path)"), "/r/a.py", code, score, shown=shown, **more)  # type: ignore[arg-type]


def test_a_short_chunk_is_shown_whole_with_the_numbers_of_its_lines() -> None:
    (shown,) = with_lines([result("def a():\n    return 1", line=9)], frozenset())
    assert listing(shown) == ["a.py:9-10  upload", " 9  def a():", "10      return 1"]


def test_of_a_long_chunk_the_naming_line_its_documentation_and_the_lines_with_the_words_are_shown() -> None:
    lines = excerpt(chunk(LONG, 10, signature="def upload(path)", docstring="Send a file."), frozenset(["retri"]), 3)
    assert lines == (12, 13, 44)


def test_what_is_left_of_the_lines_goes_to_the_beginning_after_the_name() -> None:
    assert excerpt(chunk(LONG, signature="def upload(path)"), frozenset(), 4) == (3, 4, 5, 6)


def test_gaps_are_marked_and_numbers_are_exact() -> None:
    text = listing(result(shown=(3, 35)))
    assert text == ["a.py:1-35  upload", " …", " 3  def upload(path):", " …", "35      return retry(path)"]


def test_blank_lines_that_are_left_out_need_no_mark() -> None:
    text = listing(result("def upload(path):\n\n    a()\n    b()\n", shown=(1, 3)))
    assert text[1:] == ["1  def upload(path):", "3      a()", "…"]


def test_a_word_is_shown_once_before_another_line_with_the_same_word() -> None:
    code = "\n".join(["def f():", *["    red = red"] * 20, "    blue()", *["    red"] * 20])
    assert 22 in excerpt(chunk(code, name="f"), frozenset(["red", "blue"]), 4)


def test_the_first_results_have_text_and_weak_later_ones_are_pointers_on_one_line() -> None:
    answers = list(with_lines([result(score=1.0), *(result(score=0.2) for _ in range(5))], frozenset()))
    assert [bool(one.shown) for one in answers] == [True] * BODIES + [False] * (6 - BODIES)
    assert listing(answers[-1]) == ["a.py:1-35  upload  def upload(path)"]


def test_a_later_result_that_is_nearly_as_good_has_its_text() -> None:
    answers = list(with_lines([result(score=1.0) for _ in range(6)], frozenset()))
    assert all(one.shown for one in answers)


def test_a_result_from_the_index_says_so_without_being_asked() -> None:
    assert CHANGED in listing(result(from_index=True, reasons=(CHANGED,), shown=(3,)))[0]


def test_text_from_files_cannot_act_on_a_terminal() -> None:
    text = "\n".join(listing(result("\x1b[31mred\u2028 " + "x" * 5_000, shown=(1,))))
    assert "\x1b" not in text
    assert "\u2028" not in text
    assert len(text) < 400


@given(
    lines=st.lists(st.text(st.characters(exclude_characters="\n"), max_size=30), min_size=1, max_size=40),
    most=st.integers(0, 50),
    words=st.frozensets(st.text(max_size=4), max_size=4),
)
def test_any_code_has_an_excerpt_of_at_most_so_many_of_its_own_lines(lines: list[str], most: int, words: frozenset[str]) -> None:
    shown = excerpt(chunk("\n".join(lines), 5), words, most)
    assert len(shown) <= most
    assert list(shown) == sorted(set(shown))
    assert all(5 <= number < 5 + len(lines) for number in shown)
    assert most < BODY_LINES or len(lines) > BODY_LINES or len(shown) == len(lines)
