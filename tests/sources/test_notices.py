"""Does the system tell at once what moved, and nothing of what does not matter?"""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from clew.sources.notices import Moved, Notices
from clew.sources.rules import Rules
from clew.sources.walking import walk
from clew.sources.watching import watched


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "empty" / "deeper").mkdir(parents=True)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "src" / "one.py").write_text("x = 1\n")
    return tmp_path


@pytest.fixture
def notices(root: Path) -> Notices:
    made = Notices(str(root))
    assert made.watch(watched(str(root), walk(root, Rules())))
    return made


def test_nothing_is_told_where_nothing_moved(notices: Notices) -> None:
    assert notices.told() == Moved()


def test_an_edit_is_told_with_its_name_until_it_was_taken_in(notices: Notices, root: Path) -> None:
    (root / "src" / "one.py").write_text("x = 2\n")

    assert notices.told() == Moved(touched=frozenset({"src/one.py"})) == notices.told()
    notices.settled()
    assert not notices.told().anything


def test_an_edit_whose_time_is_set_back_is_told(notices: Notices, root: Path) -> None:
    os.utime(root / "src" / "one.py", ns=(1, 1))

    assert notices.told().touched == {"src/one.py"}


def test_a_file_that_comes_and_one_that_goes_are_told(notices: Notices, root: Path) -> None:
    (root / "src" / "one.py").rename(root / "src" / "two.py")

    assert notices.told() == Moved(frozenset({"src/one.py"}), frozenset({"src/two.py"}))


def test_a_first_file_in_a_folder_without_any_is_told(notices: Notices, root: Path) -> None:
    (root / "empty" / "deeper" / "one.py").write_text("x = 1\n")

    assert notices.told().appeared == {"empty/deeper/one.py"}


def test_a_folder_that_moves_is_more_than_files(notices: Notices, root: Path) -> None:
    (root / "src").rename(root / "lib")

    assert notices.told().more


def test_what_tools_and_editors_keep_for_themselves_is_not_told(notices: Notices, root: Path) -> None:
    (root / "__pycache__" / "one.pyc").write_bytes(b"")
    (root / ".clew").mkdir()
    (root / ".clew" / "catalog.db").write_bytes(b"")
    (root / "src" / ".one.py.swp").write_bytes(b"")
    (root / "src" / "__pycache__").mkdir()

    assert not notices.told().anything


def test_gits_state_is_more_than_files_and_its_other_files_are_nothing(root: Path) -> None:
    (root / ".git" / "info").mkdir(parents=True)
    notices = Notices(str(root))
    notices.watch(watched(str(root), walk(root, Rules())))
    (root / ".git" / "COMMIT_EDITMSG").write_text("x\n")
    assert not notices.told().anything

    (root / ".git" / "info" / "exclude").write_text("*.md\n")
    assert notices.told().more


def test_more_than_the_system_remembers_is_not_forgotten(notices: Notices, root: Path) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for number in range(most // 2 + 1):
        (root / "src" / f"{number % 2}.py").write_bytes(b"")
        (root / "src" / f"{number % 2}.py").unlink()

    assert notices.told().more


def test_where_the_system_gives_none_it_says_so(root: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    notices = Notices(str(root))
    folders = watched(str(root), walk(root, Rules()))
    lowest = os.open(os.devnull, os.O_RDONLY)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, before[1]))
    try:
        notices.watch(folders)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

    assert "open files" in notices.fault.lower()
    assert not notices.working
