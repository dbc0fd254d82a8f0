"""Does a glance at times see what moved, in parts too?"""

from __future__ import annotations

import os
from pathlib import Path

from clew.sources.rules import Rules
from clew.sources.stillness import Stillness
from clew.sources.walking import walk


def still(root: Path) -> Stillness:
    return Stillness.of(root, walk(root, Rules()))


def test_nothing_moved(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("x = 1\n")

    assert still(tmp_path).holds()


def test_an_edit_of_the_same_size_with_its_time_set_back_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text("x = 1\n")
    before = file.stat()
    found = still(tmp_path)
    file.write_text("x = 2\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert not found.holds()


def test_a_new_file_and_a_lost_one_are_seen(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("x = 1\n")
    found = still(tmp_path)
    (tmp_path / "two.py").write_text("x = 1\n")
    assert not found.holds()

    found = still(tmp_path)
    (tmp_path / "one.py").unlink()
    assert not found.holds()


def test_glances_that_end_early_see_everything_between_them(tmp_path: Path) -> None:
    for number in range(700):
        (tmp_path / f"file_{number:03}.py").write_text("x = 1\n")
    found = still(tmp_path)
    (tmp_path / "file_650.py").write_text("x = 22\n")
    long_ago = 0.0

    assert not all(found.holds(long_ago) for _ in range(3))
