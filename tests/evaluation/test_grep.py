"""The baseline: what a search with grep shows, and in which order."""

from __future__ import annotations

from clew.evaluation.grep import Grep

FILES = {
    "a.py": [f"line {n}" for n in range(1, 21)],
    "b.py": ["retry upload", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing", "nothing", "Uploads"],
    "c.py": ["retry"] * 5,
}


def shown(question: str) -> list[tuple[str, list[str]]]:
    return list(Grep(FILES).answer(question))


def test_lines_stand_with_three_lines_of_context_and_their_numbers() -> None:
    grep = Grep({"a.py": [*FILES["a.py"], "the thread", *FILES["a.py"]]})
    ((path, lines),) = grep.answer("the thread")
    assert path == "a.py"
    assert lines == ["a.py", "18-line 18", "19-line 19", "20-line 20", "21:the thread", "22-line 1", "23-line 2", "24-line 3"]


def test_the_file_with_more_of_the_words_comes_first_and_then_the_one_with_more_lines() -> None:
    assert list(dict.fromkeys(path for path, _ in shown("retry an upload"))) == ["b.py", "c.py"]
    assert [path for path, _ in shown("retry")] == ["c.py", "b.py"]


def test_a_word_is_found_inside_of_longer_ones_in_any_case() -> None:
    assert [lines[0] for _, lines in shown("upload")] == ["b.py", "--"]


def test_only_the_three_rarest_words_that_occur_are_searched() -> None:
    files = {f"{word}.py": [word] * count for count, word in enumerate(["alpha", "beta", "gamma", "delta"], 1)}
    found = {path for path, _ in Grep(files).answer("alpha beta gamma delta omega")}
    assert found == {"alpha.py", "beta.py", "gamma.py"}


def test_groups_that_touch_are_one() -> None:
    grep = Grep({"a.py": ["hit", "x", "x", "x", "x", "hit", *"yyyyyyyyy", "hit"]})
    assert [len(lines) for _, lines in grep.answer("hit")] == [10, 5]


def test_a_number_of_two_digits_is_too_short_to_be_searched() -> None:
    assert any("10" in line for line in FILES["a.py"])
    assert shown("where is 10?") == []


def test_nothing_to_search_shows_nothing() -> None:
    assert shown("") == shown("how does it do that") == shown("zebra") == []
