"""Results within a budget of tokens."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.answer import Neighbour, Result
from clew.core.chunk import Chunk
from clew.core.tokens import count_tokens
from clew.search.listing import listing
from clew.search.packing import beside_cost, pack, text_cost
from clew.search.showing import CUT


def result(code: str, filepath: str = "a.py", line: int = 1) -> Result:
    last = line + code.count("\n")
    chunk = Chunk(f"{filepath}:{line}", filepath, f"f{line}", "function", "python", line, last, "", code)
    return Result(chunk, f"/root/{filepath}", code, 1.0)


def body(count: int, start: int = 0) -> str:
    return "\n".join(f"value_{i} = compute(value_{i - 1})" for i in range(start, start + count))


def test_without_a_budget_everything_is_there_and_counted() -> None:
    results = [result(body(40), f"{name}.py") for name in "abc"]
    packed = pack(results, 0)
    assert list(packed.results) == results
    assert packed.tokens == sum(map(text_cost, results))


@settings(deadline=None)
@given(
    sizes=st.lists(st.integers(1, 60), max_size=8),
    budget=st.integers(1, 1500),
    long_line=st.booleans(),
)
def test_a_budget_is_never_exceeded(sizes: list[int], budget: int, long_line: bool) -> None:
    code = [("x = " + "9" * 40 * size) if long_line else body(size, 100 * i) for i, size in enumerate(sizes)]
    packed = pack([result(text, f"{i}.py") for i, text in enumerate(code)], budget)
    assert packed.tokens == sum(map(text_cost, packed.results)) <= budget


def test_the_first_result_is_cut_to_whole_lines_rather_than_left_out() -> None:
    whole = result(body(200))
    (cut,) = pack([whole], 150).results
    *lines, mark = cut.code_snippet.split("\n")
    assert mark == CUT
    assert len(lines) > 3
    assert whole.code_snippet.startswith("\n".join(lines) + "\n")


def test_one_long_line_is_cut_inside() -> None:
    (cut,) = pack([result("data = '" + "word " * 2_000 + "'")], 100).results
    assert cut.code_snippet.startswith("data = 'word word")
    assert cut.code_snippet.endswith(CUT)


def test_most_of_a_budget_is_used_where_there_is_enough_to_show() -> None:
    results = [result(body(25, 100 * i), f"{i}.py") for i in range(10)]
    for budget in (300, 700, 1500):
        assert pack(results, budget).tokens > 0.8 * budget


def test_every_file_has_its_place_before_the_text_of_any_but_the_first() -> None:
    results = [result(body(300, 500 * i), f"{name}.py") for i, name in enumerate("abcde")]
    packed = pack(results, 300).results
    assert [r.chunk.filepath for r in packed] == ["a.py", "b.py", "c.py", "d.py", "e.py"]
    assert len(packed[0].shown or ()) > len(packed[4].shown or ())
    assert all(r.code_snippet.endswith(CUT) for r in packed)


def test_the_first_of_each_file_comes_before_the_second_of_any() -> None:
    results = [result(body(40), "a.py"), result(body(40, 100), "a.py", 50), result(body(40, 200), "b.py")]
    assert [r.chunk.filepath for r in pack(results, 40).results] == ["a.py", "b.py"]


def test_lines_that_answer_the_question_are_shown_when_not_all_can_be() -> None:
    code = "\n".join(["def load(path):", *(f"    step({i})" for i in range(40)), "    retry_upload(path)", "    done()"])
    (shown,) = pack([result(code)], 60, frozenset(["upload"])).results
    assert shown.shown is not None
    assert {1, 42} <= set(shown.shown)


@settings(deadline=None)
@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=6), budget=st.integers(1, 900), wide=st.booleans())
def test_what_is_printed_keeps_the_budget_too(sizes: list[int], budget: int, wide: bool) -> None:
    results = [result("\n".join(["\x1b é = 'x'" * (30 if wide else 1)] * size), f"{i}.py") for i, size in enumerate(sizes)]
    packed = pack(results, budget)
    assert count_tokens("".join("\n".join(listing(r)) + "\n" for r in packed.results)) <= packed.tokens <= budget


@settings(deadline=None)
@given(sizes=st.lists(st.integers(1, 40), max_size=6), count=st.integers(0, 12), budget=st.integers(1, 900))
def test_neighbours_keep_the_budget_and_come_after_the_best_code(sizes: list[int], count: int, budget: int) -> None:
    results = [result(body(size, 100 * i), f"{i}.py") for i, size in enumerate(sizes)]
    others = [Neighbour("callee", "f", f"near{i}.py", f"near{i}", "function", 1, 2, f"def near{i}(x)") for i in range(count)]
    packed = pack(results, budget, neighbours=others)
    assert packed.tokens == sum(map(text_cost, packed.results)) + beside_cost(packed.neighbours) <= budget
    assert packed.neighbours == tuple(others[: len(packed.neighbours)])
    assert packed.results or not packed.neighbours


def test_lines_for_which_a_result_is_there_are_shown_and_no_others() -> None:
    results = [replace(result(body(60, 100 * i), f"{i}.py"), lines=(7, 30)) for i in range(3)]
    assert [one.shown for one in pack(results, 900).results] == [(7, 30)] * 3
    (wanted,) = pack([replace(result(body(60)), wanted=(44,))], 120).results
    assert 44 in (wanted.shown or ())
    assert len(wanted.shown or ()) > 1


def test_a_budget_too_small_for_a_place_gives_nothing() -> None:
    packed = pack([result(body(10))], 3)
    assert (packed.results, packed.tokens) == ((), 0)


def test_lines_that_an_earlier_result_shows_are_not_shown_again() -> None:
    outer, inner = result(body(10), line=1), result(body(3, 2), line=3)
    assert pack([outer, inner], 0).results == (outer,)


def test_a_part_comes_before_its_whole_when_it_is_the_better_answer() -> None:
    outer, inner = result(body(10), line=1), result(body(3, 2), line=3)
    assert pack([inner, outer], 0).results == (inner, outer)


def test_with_a_budget_copies_are_named_by_the_first_and_left_out() -> None:
    first, copy, other = result(body(20), "a.py"), result(body(20), "vendor/a.py"), result(body(5, 700), "b.py")
    packed = pack([first, copy, other], 2_000).results
    assert [r.chunk.filepath for r in packed] == ["a.py", "b.py"]
    assert any("vendor/a.py:1-20" in reason for reason in packed[0].reasons)


def test_without_a_budget_copies_in_other_files_stay() -> None:
    assert len(pack([result(body(20), "a.py"), result(body(20), "b.py")], 0).results) == 2


def test_the_cost_can_be_that_of_another_form() -> None:
    packed = pack([result(body(5, 100 * i), f"{i}.py") for i in range(9)], 100, cost=lambda _: 30)
    assert (len(packed.results), packed.tokens) == (3, 90)
