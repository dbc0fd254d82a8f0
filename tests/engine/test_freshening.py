"""Does a process that answers many questions finish beside them what does not fit into one?"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.assembly import open_engine
from clew.core.answer import Answer, Question
from clew.engine import Engine
from clew.index.checking import WALK_AGAIN_S
from clew.sources.patience import ENOUGH_FILES

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


@pytest.mark.parametrize("with_git", [False, True], ids=["without git", "with git"])
def test_a_first_question_about_more_files_than_fit_in_the_budget_is_answered_as_stale_and_the_rest_is_done_once_the_process_lives_on(
    tmp_path: Path, with_git: bool
) -> None:
    root = project_of(tmp_path / "project", 3)
    if with_git:
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".clewignore").write_text("*.dat\n")
    with open_engine(root) as engine:
        engine.index()
    for number in range(ENOUGH_FILES + 600):
        (root / f"{number}.dat").touch()
    change(root, 1)

    with open_engine(root, {"freshness_ms": 1}) as engine:
        first = ask(engine, "early_1")
        later = ask_until_fresh(engine, "later_1")
    with open_engine(root, {"freshness_ms": -1}) as engine:
        whole = ask(engine, "later_1")

    assert first.stale and any("clew index" in warning for warning in first.warnings)
    assert [result.from_index for result in first.results] == [True]
    assert [result.chunk.symbol_name for result in later.results] == ["later_1"]
    assert not whole.stale and [result.chunk.symbol_name for result in whole.results] == ["later_1"]


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


MANY = 1_100
"""More files than a glance at times would see before each question."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Path]]:
    """An engine that has answered before, on a project of many files, with a budget that no walk outlasts."""
    root = project_of(tmp_path_factory.mktemp("large") / "project", MANY)
    with open_engine(root, {"freshness_ms": 60_000}) as engine:
        engine.index(mode="fast")
        ask(engine, "early_1")
        ask(engine, "early_1")
        yield engine, root


def found(engine: Engine, name: str) -> list[str]:
    answer = ask(engine, name)
    assert not answer.stale
    return [result.chunk.filepath for result in answer.results if name in result.code_snippet]


@pytest.mark.parametrize("number", [0, 317, 777, MANY - 1])
def test_an_edit_of_any_file_is_in_the_next_answer(large: tuple[Engine, Path], number: int) -> None:
    engine, root = large
    change(root, number)

    assert found(engine, f"later_{number}") == [f"file_{number}.py"]
    assert found(engine, f"early_{number}") == []


def test_an_edit_of_the_same_size_under_the_same_time_is_in_the_next_answer(large: tuple[Engine, Path]) -> None:
    engine, root = large
    file = root / "file_500.py"
    before = file.stat()
    file.write_text("def equal_500():\n    return 500\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert file.stat().st_size == before.st_size
    assert found(engine, "equal_500") == ["file_500.py"]


def test_a_file_saved_by_another_name_is_in_the_next_answer(large: tuple[Engine, Path]) -> None:
    engine, root = large
    aside = root / "file_600.py.new"
    aside.write_text("def saved_600():\n    return 1\n")
    aside.replace(root / "file_600.py")

    assert found(engine, "saved_600") == ["file_600.py"]


def test_what_is_deleted_renamed_moved_or_new_is_so_in_the_next_answer(large: tuple[Engine, Path]) -> None:
    engine, root = large
    (root / "file_700.py").unlink()
    assert found(engine, "early_700") == []

    (root / "file_701.py").rename(root / "FILE_701.py")
    assert found(engine, "early_701") == ["FILE_701.py"]

    (root / "before" / "deep").mkdir(parents=True)
    found(engine, "early_1")
    (root / "before" / "deep" / "new.py").write_text("def first_in_folder():\n    return 1\n")
    assert found(engine, "first_in_folder") == ["before/deep/new.py"]

    (root / "before").rename(root / "after")
    assert found(engine, "first_in_folder") == ["after/deep/new.py"]


def test_what_becomes_ignored_and_what_is_freed_is_so_in_the_next_answer(large: tuple[Engine, Path]) -> None:
    engine, root = large
    (root / ".clewignore").write_text("file_80?.py\n")
    assert found(engine, "early_801") == []

    (root / ".clewignore").unlink()
    assert found(engine, "early_801") == ["file_801.py"]


def test_a_file_that_becomes_a_link_is_gone_in_the_next_answer(large: tuple[Engine, Path]) -> None:
    engine, root = large
    (root / "file_900.py").unlink()
    (root / "file_900.py").symlink_to(root / "file_901.py")

    assert found(engine, "early_900") == []


def test_an_index_that_is_begun_anew_meanwhile_is_not_vouched_for(large: tuple[Engine, Path]) -> None:
    engine, root = large
    with open_engine(root) as other:
        other.index(rebuild=True, mode="fast")

    assert found(engine, "early_10") == ["file_10.py"]


def test_another_branch_is_in_the_next_answer(tmp_path: Path) -> None:
    root = project_of(tmp_path / "project", 3)
    git = ("git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@example.invalid")
    for arguments in (
        ("init", "-q"),
        ("add", "."),
        ("commit", "-qm", "one"),
        ("checkout", "-qb", "other"),
        ("rm", "-q", "file_1.py"),
        ("commit", "-qm", "two"),
    ):
        subprocess.run([*git, *arguments], check=True)
    with open_engine(root, {"freshness_ms": 60_000}) as engine:
        assert [found(engine, "early_1") for _ in range(2)] == [[], []]
        subprocess.run([*git, "checkout", "-q", "-"], check=True)

        assert found(engine, "early_1") == ["file_1.py"]
