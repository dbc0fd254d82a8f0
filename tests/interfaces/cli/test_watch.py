"""Does `clew watch` take in what happens to a project while it runs, and nothing else? A real process, real notices."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.assembly import open_engine
from clew.core.answer import Question
from clew.index.following import Followed
from clew.interfaces.rendering.plain import followed_line

SOON = 60
"""Seconds that are waited at most; a notice takes a tenth of one."""


class Watched:
    """A project that `clew watch --json` looks after, and what that says."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: queue.Queue[dict[str, Any]] = queue.Queue()
        command = [sys.executable, "-c", "import sys; from clew.interfaces.cli.main import main; sys.exit(main())", "watch", "--json"]
        self.process = subprocess.Popen(
            [*command, str(root)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.put(json.loads(line))

    def next(self) -> dict[str, Any]:
        return self.said.get(timeout=SOON)

    def until(self, symbol: str) -> None:
        """Wait until a definition of that name is in the index, as it stands there without any look at the disk."""
        while not self.finds(symbol):
            self.next()

    def finds(self, symbol: str) -> bool:
        with open_engine(self.root, {"freshness_ms": 0}) as engine:
            found = engine.search(Question(symbol, mode="fast", limit=1)).results
        return bool(found) and found[0].chunk.symbol_name == symbol

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=SOON)
        self.process.communicate()
        return code


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "first.py").write_text("def first_function():\n    return 1\n")
    (root / ".gitignore").write_text("built/\n")
    return root


@pytest.fixture
def watched(project: Path) -> Iterator[Watched]:
    watched = Watched(project)
    try:
        assert watched.next()["files"]["indexed"] == 2
        yield watched
    finally:
        watched.process.kill()
        watched.process.communicate()


def test_an_edit_is_searchable_without_a_look_by_the_search(watched: Watched) -> None:
    (watched.root / "src" / "first.py").write_text("def renamed_function():\n    return 1\n")

    watched.until("renamed_function")

    assert not watched.finds("first_function")


def test_what_is_taken_in_is_named(watched: Watched) -> None:
    (watched.root / "src" / "first.py").rename(watched.root / "src" / "second.py")

    taken_in = watched.next()

    assert (taken_in["indexed"], taken_in["deleted"]) == (["src/second.py"], ["src/first.py"])
    assert taken_in["files"] == {"indexed": 1, "deleted": 1, "total": 2}


def test_on_paper_a_watcher_says_how_many_files_there_are_and_names_what_it_takes_in() -> None:
    assert followed_line(Followed(files=1_200, seconds=0.5)) == "the index is up to date: 1,200 files, looked at in 0.50 s"
    line = followed_line(Followed(5, 1, 7, 2, 0.25, taken_in=("a.py", "b\x1b.py", "c.py", "d.py", "e.py"), gone=("old.py",)))
    assert line == "indexed a.py, b\\x1b.py, c.py and 2 more; deleted old.py (7 chunks added, 2 deleted, in 0.25 s)"


def test_a_save_by_way_of_a_temporary_file_is_one_change_of_the_real_one(watched: Watched) -> None:
    aside = watched.root / "src" / ".first.py.swp"
    aside.write_text("def atomic_save():\n    return 2\n")
    aside.replace(watched.root / "src" / "first.py")

    watched.until("atomic_save")

    with open_engine(watched.root, {"freshness_ms": 0}) as engine:
        assert engine.status().files == 2


def test_files_in_folders_that_are_new_are_found_even_when_the_folder_was_empty_at_first(watched: Watched) -> None:
    deep = watched.root / "lib" / "inner" / "deepest"
    deep.mkdir(parents=True)
    (watched.root / "src" / "mark.py").write_text("def mark_of_time():\n    return 0\n")
    watched.until("mark_of_time")
    (deep / "late.py").write_text("def late_arrival():\n    return 3\n")

    watched.until("late_arrival")


def test_a_folder_that_moves_takes_its_files_along(watched: Watched) -> None:
    shutil.move(watched.root / "src", watched.root / "moved")
    (watched.root / "moved" / "after.py").write_text("def after_move():\n    return 4\n")

    watched.until("after_move")

    with open_engine(watched.root, {"freshness_ms": 0}) as engine:
        paths = {result.chunk.filepath for result in engine.search(Question("first_function", mode="fast")).results}
    assert paths == {"moved/first.py"}


def test_a_folder_that_was_removed_and_made_again_is_still_watched(watched: Watched) -> None:
    folder = watched.root / "src"
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "first.py").write_text("def made_again():\n    return 1\n")
    watched.until("made_again")
    (folder / "first.py").write_text("def edited_after():\n    return 2\n")

    watched.until("edited_after")


def test_what_is_ignored_brings_about_nothing(watched: Watched) -> None:
    (watched.root / "built").mkdir()
    (watched.root / "built" / "output.py").write_text("def built_output():\n    return 5\n")
    (watched.root / "src" / "mark.py").write_text("def mark_of_time():\n    return 0\n")
    watched.until("mark_of_time")

    assert not watched.finds("built_output")


def test_a_deleted_file_is_gone(watched: Watched) -> None:
    (watched.root / "src" / "first.py").unlink()
    found = watched.next()

    assert found["files"]["deleted"] == 1
    assert not watched.finds("first_function")


def test_a_branch_switch_is_taken_in_whole(project: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True, env={**os.environ, "LC_ALL": "C"})

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    git("switch", "-q", "-c", "other")
    (project / "src" / "first.py").write_text("def on_the_branch():\n    return 6\n")
    git("commit", "-q", "-a", "-m", "two")
    git("switch", "-q", "main")
    watched = Watched(project)
    try:
        watched.next()
        git("switch", "-q", "other")
        watched.until("on_the_branch")
        assert not watched.finds("first_function")
    finally:
        watched.process.kill()
        watched.process.communicate()


def test_an_interrupt_ends_it_in_peace(watched: Watched) -> None:
    assert watched.end() == 0


def test_an_index_deleted_under_a_watcher_is_made_anew_and_that_is_said_once(watched: Watched) -> None:
    shutil.rmtree(watched.root / ".clew")
    said = watched.next()
    assert said["files"]["indexed"] == 2
    assert [warning for warning in said["warnings"] if "deleted" in warning]
    (watched.root / "src" / "first.py").write_text("def after_the_loss():\n    return 1\n")
    watched.until("after_the_loss")


def test_an_interrupt_that_comes_while_the_watcher_waits_does_not_wait_for_itself() -> None:
    held = """
import os, signal
from clew.interfaces.cli.watch import _until_interrupted
with _until_interrupted() as stop:
    try:
        with stop._cond:  # as `wait` does, for a moment
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000): pass
    except KeyboardInterrupt:
        print(stop.is_set(), stop.wait(0), stop.wait())
"""
    assert subprocess.run([sys.executable, "-c", held], capture_output=True, text=True, check=True, timeout=60).stdout == "True True True\n"
