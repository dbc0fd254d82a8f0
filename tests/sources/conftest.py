"""What do walks run over? Folders written by a test, and git repositories made in them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

Git = Callable[..., str]
Write = Callable[..., Path]

_IDENTITY = {
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.invalid",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.invalid",
}


def _run_git(folder: Path, *arguments: str) -> str:
    """What a git command prints in a folder; one that fails ends the test."""
    command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *arguments]
    env = {**os.environ, **_IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, check=True)
    return os.fsdecode(done.stdout)


@pytest.fixture(scope="session")
def run_git() -> Callable[..., str]:
    """Git in any folder."""
    return _run_git


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty folder that stands for a project."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def git(root: Path) -> Git:
    """Git in the project, which is made a repository."""
    _run_git(root, "init", "-q")

    def call(*arguments: str, at: str = ".") -> str:
        return _run_git(root / at, *arguments)

    return call


@pytest.fixture
def write(root: Path) -> Write:
    """Write a file of the project, with the folders it needs."""

    def call(path: str, content: str | bytes = "x = 1\n") -> Path:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    return call


@pytest.fixture
def open_root() -> Iterator[Path]:
    """A project in a place that every user may enter."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)


@contextmanager
def _unprivileged(root: Path) -> Iterator[None]:
    if os.geteuid() != 0:
        yield
        return
    for path in (root, *root.rglob("*")):
        os.chown(path, 65534, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def unprivileged() -> Callable[[Path], AbstractContextManager[None]]:
    """Act as a user who owns the project and whom permissions bind, even where the tests run as root."""
    return _unprivileged
