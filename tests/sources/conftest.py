"""What do walks run over? Folders written by a test, and git repositories made in them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
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
