"""When does a watcher wait for notices, and when does it look by itself?"""

from __future__ import annotations

from pathlib import Path
from threading import Event

from clew.sources.rules import Rules
from clew.sources.walking import Listing, enters, walk
from clew.sources.watching import Watching, folders_of


def listing_of(root: Path) -> Listing:
    return walk(root, Rules())


def test_the_folders_of_listed_files_are_watched_and_those_above_them(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "one.py").write_text("x = 1\n")
    (tmp_path / "empty").mkdir()

    assert folders_of(str(tmp_path), listing_of(tmp_path)) == {str(tmp_path), f"{tmp_path}/a", f"{tmp_path}/a/b"}


def test_the_first_wait_returns_at_once_since_what_moved_before_had_no_notice(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("x = 1\n")
    watching = Watching(tmp_path, Rules())

    assert watching.until_moved(Listing(), Event())
    watching.close()


def test_a_stop_ends_the_wait(tmp_path: Path) -> None:
    watching, stop = Watching(tmp_path, Rules()), Event()
    watching.until_moved(Listing(), stop)
    stop.set()

    assert not watching.until_moved(Listing(), stop)
    watching.close()


def test_where_the_system_gives_no_notices_it_says_so_and_looks_by_itself(tmp_path: Path) -> None:
    def exhausted(_: list[str]) -> None:
        raise OSError(28, "OS file watch limit reached")

    watching, stop = Watching(tmp_path, Rules(), exhausted), Event()

    assert watching.until_moved(Listing(), stop)
    assert "the limit fs.inotify.max_user_watches is reached" in watching.fault
    assert watching.until_moved(Listing(), stop)
    stop.set()
    assert not watching.until_moved(Listing(), stop)


def test_a_walk_enters_a_new_folder_unless_a_rule_leaves_it_out(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("out*/\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / ".gitignore").write_text("gen/\n")
    (tmp_path / ".clewignore").write_text("/mine/\n")

    def entered(folder: str) -> bool:
        return enters(tmp_path, Rules(exclude=("shut",)), folder)

    assert entered("src/") and entered("src/inner/") and entered("gen/")
    assert not entered("output/") and not entered("src/gen/deep/") and not entered("mine/") and not entered("shut/below/")
    assert not entered("node_modules/pkg/") and not entered(".git/hooks/")
