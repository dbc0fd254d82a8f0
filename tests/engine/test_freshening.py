"""Does a process that answers many questions finish beside them what does not fit into one?"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from clew.assembly import open_engine
from clew.core.answer import Answer, Question
from clew.engine import Engine
from clew.index.freshening import WALK_AGAIN_S

SOON = 60.0
"""Seconds that are waited at most."""


def project_of(root: Path, count: int) -> Path:
    root.mkdir()
    for number in range(count):
        (root / f"file_{number}.py").write_text(f"def early_{number}():\n    return {number}\n")
    return root


def ask(engine: Engine, name: str) -> Answer:
    return engine.search(Question(name, mode="fast", limit=1))


def ask_until_fresh(engine: Engine, name: str) -> Answer:
    last = time.monotonic() + SOON
    while (answer := ask(engine, name)).stale and time.monotonic() < last:
        time.sleep(0.01)
    return answer


def change(root: Path, number: int) -> None:
    (root / f"file_{number}.py").write_text(f"def later_{number}():\n    return {number}\n")


def leave_behind(engine: Engine, root: Path) -> None:
    """Change more files than a millisecond takes in, after a first question: a process that lives on."""
    engine.index()
    ask(engine, "early_1")
    for number in range(60):
        change(root, number)


def test_what_does_not_fit_into_the_budget_is_taken_in_beside_the_questions_and_said_until_then(tmp_path: Path) -> None:
    root = project_of(tmp_path / "project", 60)
    with open_engine(root, {"freshness_ms": 1}) as engine:
        leave_behind(engine, root)

        first = ask(engine, "later_59")
        last = ask_until_fresh(engine, "later_59")

        assert first.stale and first.warnings
        assert not last.stale
        assert [result.chunk.symbol_name for result in last.results] == ["later_59"]
        assert "early_59" not in [result.chunk.symbol_name for result in ask(engine, "early_59").results]


def test_what_was_found_beside_is_not_believed_after_a_later_change(tmp_path: Path) -> None:
    root = project_of(tmp_path / "project", 60)
    with open_engine(root, {"freshness_ms": 1}) as engine:
        leave_behind(engine, root)
        ask(engine, "later_59")
        time.sleep(3 * WALK_AGAIN_S)
        (root / "file_59.py").unlink()

        answer = ask(engine, "later_59")

        assert answer.stale or "later_59" not in [result.chunk.symbol_name for result in answer.results]


def test_an_engine_that_is_closed_meanwhile_leaves_an_index_that_the_next_one_completes(tmp_path: Path) -> None:
    root = project_of(tmp_path / "project", 60)
    with open_engine(root, {"freshness_ms": 1}) as engine:
        leave_behind(engine, root)
        ask(engine, "later_59")

    with open_engine(root, {"freshness_ms": -1}) as engine:
        answer = ask(engine, "later_59")

    assert not answer.stale
    assert [result.chunk.symbol_name for result in answer.results] == ["later_59"]


def test_a_single_question_leaves_the_rest_to_whoever_comes_next(tmp_path: Path) -> None:
    root = project_of(tmp_path / "project", 60)
    with open_engine(root) as engine:
        engine.index()
    for number in range(60):
        change(root, number)

    with open_engine(root, {"freshness_ms": 1}) as engine:
        answer = ask(engine, "later_0")

    assert answer.stale
    assert any("more than fit" in warning for warning in answer.warnings)


def test_an_edit_of_the_same_size_under_a_time_in_the_future_is_seen(tmp_path: Path) -> None:
    root = project_of(tmp_path / "project", 1)
    file, future = root / "file_0.py", 4_000_000_000_000_000_000
    os.utime(file, ns=(future, future))
    with open_engine(root) as engine:
        ask(engine, "early_0")
        change(root, 0)
        os.utime(file, ns=(future, future))

        answer = ask(engine, "later_0")

    assert [result.chunk.symbol_name for result in answer.results] == ["later_0"]


def test_several_threads_may_ask_one_engine(tmp_path: Path) -> None:
    root = project_of(tmp_path / "project", 20)
    with open_engine(root, {"freshness_ms": 1}) as engine, ThreadPoolExecutor(4) as threads:
        engine.index()

        answers = list(threads.map(lambda number: ask(engine, f"early_{number % 20}"), range(200)))

    assert all(answer.results for answer in answers)
