"""Questions from the history of a project."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from clew.evaluation.commits import questions_from
from clew.sources import git
from clew.sources.git import Commit

INDEXED = {"src/upload.py", "src/retry.py", "tests/test_upload.py", "CHANGELOG.md"}


def asked(subject: str, *files: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.query, one.files) for one in questions_from([Commit(subject, files or ("src/upload.py",))], INDEXED)]


def test_a_subject_is_answered_by_the_files_that_are_still_there() -> None:
    assert asked("Retry failed uploads three times", "src/upload.py", "src/gone.py") == [
        ("Retry failed uploads three times", ("src/upload.py",))
    ]


@pytest.mark.parametrize(
    "subject",
    ["fix(api): Retry failed uploads", "[core] Retry failed uploads", "Retry failed uploads (#123)", "Retry failed uploads [skip ci]"],
)
def test_ornaments_are_left_out(subject: str) -> None:
    assert asked(subject) == [("Retry failed uploads", ("src/upload.py",))]


@pytest.mark.parametrize(
    "subject",
    [
        "Merge branch x of upload service",
        "Revert retry failed uploads",
        "Bump urllib to the newest version",
        "Fix typos in upload retry",
        "Fix it",
        "v1.2.3",
    ],
)
def test_subjects_that_are_about_no_part_of_the_code_ask_nothing(subject: str) -> None:
    assert asked(subject) == []


def test_a_commit_that_changed_many_files_asks_nothing() -> None:
    assert asked("Retry failed uploads", "src/upload.py", *(f"src/{n}.py" for n in range(5))) == []


def test_tests_and_documents_answer_only_where_nothing_else_changed() -> None:
    assert asked("Retry failed uploads", "src/upload.py", "tests/test_upload.py", "CHANGELOG.md")[0][1] == ("src/upload.py",)
    assert asked("Retry failed uploads", "tests/test_upload.py")[0][1] == ("tests/test_upload.py",)


def test_git_tells_the_newest_commits_below_a_folder_without_merges(tmp_path: Path) -> None:
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c"}

    def run(*arguments: str, day: int = 9) -> None:
        when = {"GIT_COMMITTER_DATE": f"2020-01-{day:02} 12:00:00"}
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True, env={**os.environ, **who, **when})

    def commit(day: int, subject: str, *paths: str) -> None:
        for path in paths:
            (tmp_path / path).parent.mkdir(exist_ok=True)
            with (tmp_path / path).open("a") as file:
                file.write(subject)
        run("add", ".")
        run("commit", "-qm", f"{subject}\n\nBody.", day=day)

    run("init", "-q", "-b", "main")
    commit(1, "first – ünïcode", "src/ä b.py")
    commit(2, "second", "src/two.py", "docs/two.md")
    run("checkout", "-qb", "side")
    commit(3, "third", "src/three.py")
    run("checkout", "-q", "main")
    run("merge", "-q", "--no-ff", "-m", "a merge", "side")
    assert git.recent_commits(str(tmp_path / "src"), 10) == (
        Commit("third", ("three.py",)),
        Commit("second", ("two.py",)),
        Commit("first – ünïcode", ("ä b.py",)),
    )
    assert git.recent_commits(str(tmp_path), 1) == (Commit("third", ("src/three.py",)),)


def test_a_folder_without_git_has_no_commits(tmp_path: Path) -> None:
    assert isinstance(git.recent_commits(str(tmp_path), 10), git.Refused)
