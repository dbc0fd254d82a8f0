"""Is a project the same, from wherever it is reached?"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.setting_rules import is_namespace
from clew.sources.project import default_namespace, made_legal, project_root

Git = Callable[..., str]
Write = Callable[..., Path]


def test_the_nearest_folder_above_with_an_index_is_the_root(root: Path, git: Git, write: Write) -> None:
    write(".clew/catalog.db")
    write("packages/web/.clew/catalog.db")
    write("packages/web/src/a.ts")
    assert project_root(root / "packages/web/src") == root / "packages/web"
    assert project_root(root / "packages") == root


def test_a_folder_of_clew_without_an_index_is_no_root(root: Path, git: Git, write: Write) -> None:
    write("sub/.clew/notes")
    assert project_root(root / "sub") == root


def test_without_an_index_the_work_trees_root_counts(root: Path, git: Git, write: Write) -> None:
    write("src/deep/a.py")
    assert project_root(root / "src/deep") == root
    assert project_root(root / "src/deep/a.py") == root


def test_without_git_the_folder_itself_counts(root: Path, write: Write) -> None:
    write("src/a.py")
    assert project_root(root / "src") == root / "src"


def test_every_spelling_leads_to_one_root(root: Path, git: Git, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("src/a.py")
    (tmp_path / "link").symlink_to(root)
    monkeypatch.chdir(tmp_path)
    for spelling in ("project", "project/", "./project/../project", "link", "link/src", str(root)):
        assert project_root(Path(spelling)) == root


def test_a_linked_worktree_inside_an_indexed_checkout_is_a_project_of_its_own(root: Path, git: Git, write: Write) -> None:
    write("a.py")
    write(".clew/catalog.db")
    git("commit", "-qm", "empty", "--allow-empty")
    git("worktree", "add", "-q", "trees/other", "-b", "other")
    write("trees/other/src/b.py")
    assert project_root(root / "trees/other/src") == root / "trees/other"


def test_a_namespace_is_named_after_the_remote_else_the_folder(root: Path, git: Git) -> None:
    assert re.fullmatch(r"project-[0-9a-f]{8}", default_namespace(root))
    for address in ("git@host.example:team/My_Tool.git", "https://user:pass@host.example/team/My_Tool.git/", "C:\\repos\\My_Tool"):
        git("config", "remote.origin.url", address)
        assert re.fullmatch(r"my-tool-[0-9a-f]{8}", default_namespace(root))


def test_two_checkouts_of_one_repository_have_two_namespaces(root: Path, git: Git, tmp_path: Path) -> None:
    git("commit", "-qm", "empty", "--allow-empty")
    git("clone", "-q", str(root), str(tmp_path / "clone"))
    git("clone", "-q", str(root), str(tmp_path / "again"))
    assert default_namespace(tmp_path / "clone") != default_namespace(tmp_path / "again")


def test_a_link_to_a_project_has_its_namespace(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert default_namespace(tmp_path / "link") == default_namespace(root)


@given(st.text(max_size=100))
def test_any_name_can_be_made_legal(name: str) -> None:
    assert is_namespace(f"{made_legal(name)}-01234567")


@pytest.mark.parametrize("name", ["", "ab", "1abc", "-abc", "Abc", "a_b", "a" * 64, "abc\n", "äbc"])
def test_an_illegal_name_is_known(name: str) -> None:
    assert not is_namespace(name)
