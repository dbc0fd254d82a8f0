"""Does a walk see every file of a project, and nothing else?"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from clew.sources.project import project_root
from clew.sources.walking import Listing, Rules, walk

Git = Callable[..., str]
Write = Callable[..., Path]
Unprivileged = Callable[[Path], AbstractContextManager[None]]


def paths(root: Path, **rules: object) -> list[str]:
    return list(walk(root, Rules(**rules)).files)  # type: ignore[arg-type]


def reasons(listing: Listing) -> dict[str, str]:
    return {skip.filepath: skip.reason for skip in listing.skipped}


# -- with git --


def test_untracked_files_are_listed_and_ignored_ones_are_not(root: Path, git: Git, write: Write) -> None:
    write(".gitignore", "*.log\nout/\n")
    for path in ("a.py", "b.log", "out/c.py", "deep/er/d.py"):
        write(path)
    assert paths(root) == [".gitignore", "a.py", "deep/er/d.py"]


def test_a_tracked_file_is_listed_though_it_is_ignored(root: Path, git: Git, write: Write) -> None:
    write(".gitignore", "config/*.py\n")
    write("config/local.py")
    write("config/other.py")
    git("add", "-f", "config/local.py")
    assert paths(root) == [".gitignore", "config/local.py"]


def test_a_tracked_file_that_is_deleted_on_disk_is_gone(root: Path, git: Git, write: Write) -> None:
    write("a.py")
    write("folder/b.py")
    git("add", ".")
    (root / "a.py").unlink()
    (root / "folder/b.py").unlink()
    (root / "folder").rmdir()
    (root / "folder").write_text("now a file\n")
    assert paths(root) == ["folder"]


def test_tracked_files_below_what_is_a_link_now_are_gone(root: Path, git: Git, write: Write, tmp_path: Path) -> None:
    write("folder/b.py")
    git("add", ".")
    (root / "folder").rename(tmp_path / "elsewhere")
    (root / "folder").symlink_to(tmp_path / "elsewhere")
    listing = walk(root, Rules())
    assert listing.files == {}
    assert reasons(listing) == {"folder": "symbolic link to a place outside the project"}


def test_a_folder_inside_a_repository_is_walked_alone(root: Path, git: Git, write: Write) -> None:
    write(".gitignore", "*.log\n")
    write("sub/a.py")
    write("sub/b.log")
    write("c.py")
    assert paths(root / "sub") == ["a.py"]


def test_a_project_inside_an_ignored_folder_is_trusted(root: Path, git: Git, write: Write) -> None:
    write(".gitignore", "ignored/\n")
    write("ignored/a.py")
    assert paths(root / "ignored") == ["a.py"]
    assert paths(root) == [".gitignore"]


def test_submodules_are_part_of_the_project_with_their_own_rules(root: Path, git: Git, write: Write, tmp_path: Path) -> None:
    write("main.py")
    write(".gitignore", "helper.py\n")
    library = tmp_path / "library"
    library.mkdir()
    git("init", "-q", str(library))
    (library / "helper.py").write_text("y = 1\n")
    (library / ".gitignore").write_text("*.tmp\n")
    git("-C", str(library), "add", ".")
    git("-C", str(library), "commit", "-qm", "library")
    git("submodule", "--quiet", "add", str(library), "vendor/lib")
    write("vendor/lib/new.py")
    write("vendor/lib/new.tmp")
    found = paths(root)
    assert [p for p in found if p.startswith("vendor")] == ["vendor/lib/.gitignore", "vendor/lib/helper.py", "vendor/lib/new.py"]


def test_a_submodule_that_is_not_checked_out_is_named(root: Path, git: Git, write: Write, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    git("init", "-q", str(library))
    git("-C", str(library), "commit", "-qm", "empty", "--allow-empty")
    git("submodule", "--quiet", "add", str(library), "vendor/lib")
    git("add", ".")
    git("commit", "-qm", "with a submodule")
    git("submodule", "--quiet", "deinit", "-f", "vendor/lib")
    write("a.py")
    listing = walk(root, Rules())
    assert list(listing.files) == [".gitmodules", "a.py"]
    assert reasons(listing) == {"vendor/lib/": "submodule that is not checked out (git submodule update --init)"}


def test_a_repository_inside_another_keeps_its_own_rules(root: Path, git: Git, write: Write) -> None:
    write(".gitignore", "*.log\n")
    write("a.py")
    (root / "inner").mkdir()
    git("init", "-q", at="inner")
    write("inner/.gitignore", "*.tmp\n")
    for path in ("inner/b.py", "inner/c.log", "inner/d.tmp"):
        write(path)
    assert paths(root) == [".gitignore", "a.py", "inner/.gitignore", "inner/b.py", "inner/c.log"]


def test_a_worktree_lists_its_own_files(root: Path, git: Git, write: Write, tmp_path: Path) -> None:
    write("a.py")
    git("add", ".")
    git("commit", "-qm", "one")
    git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other")
    (tmp_path / "tree/only_there.py").write_text("z = 1\n")
    assert paths(tmp_path / "tree") == ["a.py", "only_there.py"]
    assert paths(root) == ["a.py"]


def test_a_git_hooks_environment_does_not_turn_the_walk_elsewhere(
    root: Path, git: Git, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py")
    other = tmp_path / "other"
    other.mkdir()
    git("init", "-q", str(other))
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    assert paths(root) == ["a.py"]


def test_a_repository_cannot_make_the_walk_run_its_programs(root: Path, git: Git, write: Write, tmp_path: Path) -> None:
    program = write("monitor.sh", f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    git("config", "core.fsmonitor", str(program))
    assert paths(root) == ["monitor.sh"]
    assert not (tmp_path / "ran").exists()


def test_a_repository_that_git_refuses_is_walked_without_git_and_says_so(root: Path, git: Git, write: Write) -> None:
    write(".gitignore", "*.log\n")
    write("a.py")
    write("b.log")
    (root / ".git/index").write_bytes(b"this is no index")
    listing = walk(root, Rules())
    assert list(listing.files) == [".gitignore", "a.py"]
    assert len(listing.warnings) == 1
    assert "index" in listing.warnings[0]


def test_a_repository_of_another_owner_is_walked_without_git_and_says_so(
    root: Path, git: Git, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    listing = walk(root, Rules())
    assert list(listing.files) == ["a.py"]
    assert "dubious ownership" in listing.warnings[0]


def test_without_git_on_the_machine_its_rules_are_followed_all_the_same(
    root: Path, git: Git, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(".gitignore", "*.log\n")
    write(".git/info/exclude", "private/\n")
    for path in ("a.py", "b.log", "private/c.py"):
        write(path)
    monkeypatch.setenv("PATH", "/nowhere")
    listing = walk(root, Rules())
    assert list(listing.files) == [".gitignore", "a.py"]
    assert "git is not installed" in listing.warnings[0]


def test_folders_that_git_cannot_open_are_named(open_root: Path, git: Git, unprivileged: Unprivileged) -> None:
    git("init", "-q", str(open_root))
    (open_root / "a.py").write_text("a = 1\n")
    (open_root / "closed").mkdir()
    (open_root / "closed").chmod(0)
    with unprivileged(open_root):
        listing = walk(open_root, Rules())
    assert list(listing.files) == ["a.py"]
    assert listing.warnings == ()
    assert reasons(listing) == {"closed/": "permission denied"}


# -- without git --


def test_repositories_below_a_plain_folder_keep_their_own_rules(tmp_path: Path, root: Path, git: Git, write: Write) -> None:
    write(".gitignore", "out/\n")
    write("out/a.py")
    write("b.py")
    (tmp_path / ".gitignore").write_text("b.py\n")
    (tmp_path / "c.py").write_text("c = 1\n")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/b.py").write_text("b = 1\n")
    assert paths(tmp_path) == [".gitignore", "c.py", "project/.gitignore", "project/b.py"]


def test_a_folder_without_git_follows_nested_and_negated_rules(root: Path, write: Write) -> None:
    write(".gitignore", "/Library/\n**/gen/\n*.tmp.py\n\\#scratch.py\ntrailing.py   \nplugins/*\n!plugins/app\n")
    write("pkg/.gitignore", "out/\n!special.tmp.py\n")
    kept = ("src/Library/l.py", "other/out/o.py", "pkg/special.tmp.py", "plugins/app/a.py")
    left_out = ("Library/x.py", "src/gen/b/g.py", "pkg/deep/out/o.py", "src/x.tmp.py", "#scratch.py", "trailing.py", "plugins/vendor/v.py")
    for path in (*kept, *left_out):
        write(path)
    assert [p for p in paths(root) if not p.endswith(".gitignore")] == sorted(kept)


def test_a_folder_that_cannot_be_read_is_named(open_root: Path, unprivileged: Unprivileged) -> None:
    (open_root / "a.py").write_text("a = 1\n")
    (open_root / "closed").mkdir()
    (open_root / "closed").chmod(0)
    with unprivileged(open_root):
        listing = walk(open_root, Rules())
    assert list(listing.files) == ["a.py"]
    assert reasons(listing) == {"closed/": "permission denied"}


def test_a_root_that_does_not_exist_is_named(root: Path) -> None:
    listing = walk(root / "nowhere", Rules())
    assert listing.files == {}
    assert reasons(listing) == {".": "no such file or directory"}


def test_folders_nested_deeper_than_a_path_may_be_long_end_no_walk(root: Path, write: Write) -> None:
    write("a.py")
    here = os.open(root, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 100, dir_fd=here)
        below = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    listing = walk(root, Rules())
    assert list(listing.files) == ["a.py"]
    assert list(reasons(listing).values()) == ["file name too long"]


# -- in both --


@pytest.fixture(params=["with git", "without git"])
def either(request: pytest.FixtureRequest, root: Path) -> Path:
    """A project, once as a repository and once as a plain folder."""
    if request.param == "with git":
        request.getfixturevalue("git")
    return root


def test_odd_names_are_names(either: Path, write: Write) -> None:
    odd = [
        "-rf.py",
        "50%/m.py",
        "a b/c d.py",
        "app/[id]/page.tsx",
        "it's/don't.py",
        "line\nbreak.py",
        'say "hi".py',
        "back\\slash.py",
        os.fsdecode(b"caf\xe9.py"),
    ]
    for path in odd:
        write(path)
    assert paths(either) == sorted(odd)


def test_names_that_differ_in_case_are_two_files(either: Path, write: Write) -> None:
    write("Config.py")
    write("config.py")
    assert paths(either) == ["Config.py", "config.py"]


def test_dot_folders_are_listed_but_those_of_version_control_and_clew_are_not(either: Path, write: Write) -> None:
    for path in (
        ".github/workflows/ci.yml",
        ".storybook/main.js",
        ".hg/store.py",
        ".svn/entries.py",
        "sub/.clew/catalog.db",
        "__pycache__/m.py",
    ):
        write(path)
    listing = walk(either, Rules())
    assert list(listing.files) == [".github/workflows/ci.yml", ".storybook/main.js"]
    assert listing.skipped == ()


def test_links_are_named_and_never_followed(either: Path, write: Write, tmp_path: Path) -> None:
    write("real.py")
    write("folder/a.py")
    (tmp_path / "outside.py").write_text("secret = 1\n")
    (either / "alias.py").symlink_to("real.py")
    (either / "linked").symlink_to("folder")
    (either / "loop").symlink_to(".")
    (either / "out.py").symlink_to(tmp_path / "outside.py")
    (either / "broken.py").symlink_to("nowhere")
    listing = walk(either, Rules())
    assert list(listing.files) == ["folder/a.py", "real.py"]
    assert reasons(listing) == {
        "alias.py": "symbolic link to real.py",
        "broken.py": "broken symbolic link",
        "linked": "symbolic link to folder",
        "loop": "symbolic link to .",
        "out.py": "symbolic link to a place outside the project",
    }


def test_a_root_reached_through_a_link_is_the_same_project(either: Path, write: Write, tmp_path: Path) -> None:
    write("a.py")
    (tmp_path / "link").symlink_to(either)
    assert paths(tmp_path / "link") == ["a.py"]


def test_a_clewignore_file_leaves_out_more_wherever_it_stands(either: Path, write: Write) -> None:
    write(".clewignore", "data/\n")
    write("src/.clewignore", "/local.py\n")
    for path in ("data/a.py", "src/local.py", "src/sub/local.py", "b.py"):
        write(path)
    assert paths(either) == [".clewignore", "b.py", "src/.clewignore", "src/sub/local.py"]


def test_a_clewignore_file_leaves_out_tracked_files_too(root: Path, git: Git, write: Write) -> None:
    write("data/a.py")
    write("b.py")
    git("add", ".")
    write(".clewignore", "data\n")
    assert paths(root) == [".clewignore", "b.py"]


def test_include_restricts_and_exclude_leaves_out(either: Path, write: Write) -> None:
    for path in ("src/a.py", "src/b.js", "src/deep/c.py", "tests/d.py", "e.py"):
        write(path)
    assert paths(either, include=("src/",)) == ["src/a.py", "src/b.js", "src/deep/c.py"]
    assert paths(either, include=("*.py",), exclude=("/tests", "deep")) == ["e.py", "src/a.py"]


def test_files_over_the_limit_are_named_with_size_and_limit(either: Path, write: Write) -> None:
    write("big.py", "x" * 101)
    write("fits.py", "x" * 100)
    listing = walk(either, Rules(max_file_bytes=100))
    assert list(listing.files) == ["fits.py"]
    assert reasons(listing) == {"big.py": "101 bytes, over the limit of 100 (max_file_bytes)"}


def test_what_may_hold_secrets_is_named_and_not_indexed(either: Path, write: Write) -> None:
    secret = [".env", ".env.production", "deploy/id_rsa", "tls/server.PEM", "app.key", ".netrc"]
    harmless = [".env.example", "env.py", "id_rsa.pub", "keys.py", "pem.md"]
    for path in (*secret, *harmless):
        write(path)
    listing = walk(either, Rules())
    assert list(listing.files) == sorted(harmless)
    assert reasons(listing) == dict.fromkeys(secret, "may hold secrets")


def test_lock_files_are_named_and_not_indexed(either: Path, write: Write) -> None:
    for path in ("poetry.lock", "web/package-lock.json", "lock.py"):
        write(path)
    listing = walk(either, Rules())
    assert list(listing.files) == ["lock.py"]
    assert reasons(listing) == {"poetry.lock": "lock file", "web/package-lock.json": "lock file"}


def test_installed_packages_and_caches_are_named_once_a_folder(either: Path, write: Write) -> None:
    for path in (
        "a.py",
        "web/node_modules/x/i.js",
        "web/node_modules/y/i.js",
        "env/pyvenv.cfg",
        "env/lib/z.py",
        "target/CACHEDIR.TAG",
        "target/t.rs",
    ):
        write(path)
    listing = walk(either, Rules())
    assert list(listing.files) == ["a.py"]
    assert list(reasons(listing)) == ["env/", "target/", "web/node_modules/"]


def test_a_marker_at_the_root_does_not_leave_out_the_project(either: Path, write: Write) -> None:
    write("CACHEDIR.TAG")
    write("a.py")
    assert paths(either) == ["CACHEDIR.TAG", "a.py"]


def test_tracked_packages_are_the_projects_own(root: Path, git: Git, write: Write) -> None:
    write("node_modules/own/i.js")
    git("add", ".")
    write("node_modules/other/i.js")
    assert paths(root) == ["node_modules/own/i.js"]


def test_what_is_no_file_is_named_where_the_walk_meets_it(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as door:
        here = Path.cwd()
        os.chdir(root)
        door.bind("door")
        os.chdir(here)
        listing = walk(root, Rules())
    assert reasons(listing) == {"door": "not a file but a socket", "pipe": "not a file but a named pipe"}


def test_an_edit_that_sets_the_modification_time_back_still_shows(either: Path, write: Write) -> None:
    target = write("a.py", "old = 1\n")
    past = target.stat().st_mtime_ns - 10**12
    os.utime(target, ns=(past, past))
    before = walk(either, Rules()).files["a.py"]
    target.write_text("new = 1\n")
    os.utime(target, ns=(past, past))
    after = walk(either, Rules()).files["a.py"]
    assert after.size == before.size
    assert after.mtime_ns > before.mtime_ns


def test_files_come_in_order_and_without_repetition(root: Path, git: Git, write: Write) -> None:
    for branch in ("main", "other"):
        write("both.py", f"{branch} = 1\n")
        git("checkout", "-q", "-B", branch)
        git("add", ".")
        git("commit", "-qm", branch, "--allow-empty")
        git("update-ref", "-d", "HEAD")
    write("z.py")
    write("a/z.py")
    write("a.py")
    assert paths(root) == ["a.py", "a/z.py", "both.py", "z.py"]


@pytest.mark.parametrize(
    "place", [".gitignore", "a/b/.gitignore", ".git/info/exclude", ".git/index", ".git/config", "a/.git", ".clewignore"]
)
def test_a_pipe_where_git_reads_a_file_hangs_nothing(root: Path, git: Git, write: Write, place: str) -> None:
    """Opening one waits until somebody writes to it, which git does and clew must not."""
    git("init", "-q")
    write("a/b/one.py", "one = 1\n")
    (root / place).unlink(missing_ok=True)
    os.mkfifo(root / place)

    listing = walk(root, Rules())

    assert "a/b/one.py" in listing.files
    assert project_root(root / "a" / "b").is_relative_to(root)


def test_a_link_that_is_taken_away_while_it_is_followed_is_a_broken_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "kept.py").write_text("x = 1\n", encoding="utf-8")
    (root / "fleeting").symlink_to("kept.py")

    def gone(path: str) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(os, "readlink", gone)
    assert reasons(walk(root, Rules())) == {"fleeting": "broken symbolic link"}
