"""Does an answer stay within its budget, the frame counted, whatever is asked?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.core.answer import Answer
from clew.core.tokens import count_tokens
from clew.interfaces.mcp.navigation import navigate
from clew.interfaces.mcp.projects import Place, Projects
from clew.interfaces.mcp.texts import Found, answer_text, cut, listed

ROOT = Path(__file__).resolve().parents[3]
BUDGETS = (100, 150, 300, 900, 4_000)
QUESTIONS = [
    "where is the writer lock taken",
    "WriterLock",
    "count_tokens",
    "how are results packed into a budget",
    "src/clew/engine.py:12",
    "what happens when the disk is full",
    "xyzzy nothing of the kind",
    "fusion of legs",
    "class",
    "settings from the environment",
    'Traceback (most recent call last):\n  File "engine.py", line 12, in search\nUsageError: the question is empty',
    "漢字 🙂",
    "who calls count_tokens",
    "what happens if I change pack",
    "which files import clew.core.visible",
    "methods of Place, and how is a path kept inside",
    "def",
    "how does a question become an answer, from reading it to packing",
]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, ...]]:
    """Two projects: this package's own folders, under a path that costs something itself."""
    base = tmp_path_factory.mktemp("a folder with a rather long name that is part of every root")
    for name in ("search", "interfaces"):
        for path in (ROOT / "src" / "clew" / name).rglob("*.py"):
            copy = base / name / path.relative_to(ROOT / "src" / "clew" / name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    projects = Projects([str(base / "search"), str(base / "interfaces")])
    found = projects.places(None)
    for place in found:
        place.engine.index()
    yield found
    projects.close()


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_answer_costs_more_than_it_may(places: tuple[Place, ...], question: str) -> None:
    for some in (places[:1], places):
        found = [Found(str(place.root), place.search(place.question({"query": question, "limit": 5}))) for place in some]
        sizes = [count_tokens(answer_text(found, 5, budget, ["a remark " * 40, "another"])) for budget in BUDGETS]
        assert all(size <= budget for size, budget in zip(sizes, BUDGETS, strict=True))
        if any(one.answer.results for one in found):
            text = answer_text(found, 5, 900)
            assert text.startswith("root ")
            assert ".py:" in text


def test_a_budget_is_used_where_there_is_something_to_say(places: tuple[Place, ...]) -> None:
    asked = places[0].question({"query": "how are results packed into a budget", "limit": 5})
    assert count_tokens(answer_text([Found("/x", places[0].search(asked))], 5, 900)) > 600


@pytest.mark.parametrize(
    ("what", "target"), [("outline", ""), ("outline", "."), ("outline", "packing.py"), ("read", "packing.py"), ("symbol", "pack")]
)
def test_looking_stays_within_its_budget(places: tuple[Place, ...], what: str, target: str) -> None:
    for budget in BUDGETS:
        if target:
            assert count_tokens(navigate(places[0], what, target, budget)) <= budget
    if what == "read":
        assert "read on from there" in navigate(places[0], what, f"{target}:1-200", 300)


def test_results_of_the_better_project_come_first(places: tuple[Place, ...]) -> None:
    for name in ("WriterLock pack", "serve_http"):
        found = [Found(str(place.root), place.search(place.question({"query": name, "limit": 5}))) for place in places]
        best = max((one for one in found if one.answer.results), key=lambda one: one.answer.results[0].score)
        assert answer_text(found, 5, 900).startswith(f"root {best.root}\n")


def test_an_answer_without_results_says_so_within_the_budget() -> None:
    empty = Answer("q", "fast", hint="try `clew index` and --in", warnings=("bad\x1b[31m",) * 3)
    text = answer_text([Found("/" + "deep/" * 2_000, empty)], 5, 100)
    assert count_tokens(text) <= 100
    text = answer_text([Found("/x", empty)], 5, 300)
    assert "nothing found\nwarning: bad\\x1b[31m\ntry index and in" in text


@pytest.mark.parametrize("text", ["", "a b c", "x" * 5_000, "漢" * 900, "\n" * 3_000])
def test_a_text_is_cut_to_its_budget(text: str) -> None:
    for budget in BUDGETS:
        assert count_tokens(cut(text, budget)) <= budget
        assert count_tokens(listed(["head"], text.split("\n"), budget, "more {}")) <= budget
