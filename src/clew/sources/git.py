"""What does git say about a folder? The files it tracks or shows, where its work tree begins, what its remote is called.

Git is asked through its command line, in a way that runs no hook, no file system monitor and nothing else a repository's own
configuration could name, and that takes no locks.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import time
from contextlib import suppress
from typing import NamedTuple

from clew.sources.patience import ENOUGH_FILES, ENOUGH_S, Expired, OutOfTime, never

_TIMEOUT_S = 120
"""A listing of a million files takes seconds; more means a file system that hangs."""
_SLOW_S = 2
"""When git takes longer, it is looked whether it waits for a pipe that stands where it reads a file: it would wait for ever."""
_GLANCE_S = 0.02
"""How often it is asked whether there is time, while git lists files."""
_LARGE_INDEX_BYTES = 100 * ENOUGH_FILES
"""Git's index takes some 100 bytes a file."""
_READ_IN_GIT = ("", "/HEAD", "/config", "/index", "/info/exclude")

_SAFE = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "core.quotePath=false",
)
_REPOSITORY_VARIABLES = frozenset(
    "GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_COMMON_DIR GIT_NAMESPACE GIT_OBJECT_DIRECTORY GIT_GRAFT_FILE "
    "GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_REPLACE_REF_BASE GIT_NO_REPLACE_OBJECTS "
    "GIT_SHALLOW_FILE GIT_EXTERNAL_DIFF GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS".split()
)
"""Set where clew runs inside a git hook: they would turn every question to that repository."""

_UNREADABLE = re.compile(rb"^warning: could not open directory '(.*?)/?': (.*)$", re.MULTILINE)


class Entry(NamedTuple):
    """A path that git tracks or shows, relative to the folder asked about. A nested repository ends in `/`."""

    path: str
    tracked: bool


class Listed(NamedTuple):
    """Git's answer. `unreadable` are folders that it could not open, relative to the folder asked about."""

    entries: tuple[Entry, ...]
    unreadable: tuple[str, ...] = ()


class Refused(NamedTuple):
    """Git gave no answer. `reason` is empty where the folder is simply not in a work tree."""

    reason: str = ""


def work_tree(folder: str) -> str:
    """The nearest folder, this one or above, that has a `.git` in it; empty where there is none."""
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):  # noqa: PTH118 - strings all the way, before each search
            return folder
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return ""
        folder = above


def is_linked_worktree(folder: str) -> bool:
    """Whether the folder was made by `git worktree add`: a work tree in its own right, wherever it stands."""
    try:
        handle = os.open(os.path.join(folder, ".git"), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # noqa: PTH118 - it may be a pipe
        with open(handle, "rb") as file:  # noqa: PTH123
            return b"/worktrees/" in (file.read(4096) or b"").replace(b"\\", b"/")
    except OSError:
        return False


def list_files(folder: str, expired: Expired = never) -> Listed | Refused:
    """Files below a folder that git tracks, or would show as untracked, as `git ls-files -co --exclude-standard` does.

    Raises OutOfTime in a large repository once the time has `expired`.
    """
    answer = _ask(folder, "ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard", expired=expired)
    if isinstance(answer, Refused):
        return answer
    output, complaints = answer
    entries = tuple(Entry(os.fsdecode(record[2:]), not record.startswith(b"?")) for record in output.split(b"\0") if record)
    if not entries and _is_ignored(folder):
        return Refused()
    return Listed(entries, tuple(os.fsdecode(found[1]) for found in _UNREADABLE.finditer(complaints)))


def remote_name(folder: str) -> str:
    """The last part of the address of the remote `origin`, without `.git`; empty where there is none."""
    answer = _ask(folder, "config", "--get", "remote.origin.url")
    if isinstance(answer, Refused):
        return ""
    address = os.fsdecode(answer[0]).strip().rstrip("/").removesuffix(".git")
    return re.split(r"[/:\\]", address)[-1]


def ignores(folder: str, path: str) -> bool:
    """Whether git leaves out a path relative to the folder."""
    return not isinstance(_ask(folder, "check-ignore", "-q", "--", path), Refused)


class Commit(NamedTuple):
    """The first line of a commit's message, and the files below the folder asked about that it changed, relative to that."""

    subject: str
    files: tuple[str, ...]


def recent_commits(folder: str, most: int) -> tuple[Commit, ...] | Refused:
    """The newest commits, merges left out. Nothing is fetched: in a partial clone, what is not there is an answer that git refuses."""
    asked = ("log", "--no-merges", "--no-renames", "--no-color", "--name-only", "--relative", "-z", f"-n{most}", "--format=%x02%s%x03")
    answer = _ask(folder, "-c", "protocol.allow=never", *asked)
    if isinstance(answer, Refused):
        return answer
    found = []
    for record in answer[0].split(b"\x02")[1:]:
        subject, _, names = record.partition(b"\x03")
        files = tuple(os.fsdecode(name) for name in names.strip(b"\n\0").split(b"\0") if name)
        found.append(Commit(subject.decode("utf-8", "replace"), files))
    return tuple(found)


def _is_ignored(folder: str) -> bool:
    """Whether git leaves out the folder itself: a project inside an ignored folder is not git's business."""
    return work_tree(folder) != folder and not isinstance(_ask(folder, "check-ignore", "-q", "."), Refused)


def _ask(folder: str, *arguments: str, expired: Expired = never) -> tuple[bytes, bytes] | Refused:
    """What git prints, on both streams."""
    environment = {name: value for name, value in os.environ.items() if name not in _REPOSITORY_VARIABLES}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    if pipe := _pipe_in_git(folder):
        return Refused(f"{pipe} is a named pipe")
    try:
        asked = subprocess.Popen(
            ["git", *_SAFE, "-C", folder, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
    except FileNotFoundError:
        return Refused("git is not installed")
    except OSError as fault:
        return Refused(f"git could not be run ({type(fault).__name__})")
    with asked:
        answer = _patiently(asked, folder, expired)
    if isinstance(answer, Refused):
        return answer
    if asked.returncode == 0:
        return answer
    complaint = os.fsdecode(answer[1]).strip().partition("\n")[0].removeprefix("fatal: ")
    return Refused() if complaint.startswith("not a git repository") else Refused(complaint or f"git ended with {asked.returncode}")


def _patiently(asked: subprocess.Popen[bytes], folder: str, expired: Expired) -> tuple[bytes, bytes] | Refused:
    """What the process prints, unless it takes for ever. Raises OutOfTime."""
    begun = time.monotonic()
    enough = 0.0 if expired is not never and _is_large(folder) else ENOUGH_S
    try:
        for patience in (_SLOW_S, _TIMEOUT_S):
            while (waited := time.monotonic() - begun) < patience:
                with suppress(subprocess.TimeoutExpired):
                    return asked.communicate(timeout=patience - waited if expired is never else _GLANCE_S)
                if waited >= enough and expired():
                    raise OutOfTime
            if pipe := _pipe_as_ignore_file(folder):
                return Refused(f"{pipe} is a named pipe")
        return Refused(f"git did not answer within {_TIMEOUT_S} seconds")
    finally:
        asked.kill()  # whatever ends the waiting; one that has ended is let be


def _is_large(folder: str) -> bool:
    """Whether git tracks so many files here that a listing takes a while."""
    try:
        return os.stat(f"{work_tree(folder)}/.git/index").st_size > _LARGE_INDEX_BYTES  # noqa: PTH116
    except OSError:
        return False


def _pipe_in_git(folder: str) -> str:
    """A pipe in the place of a file that git reads first, in the work tree around the folder."""
    root = work_tree(folder) or folder
    places = (*(f"{root}/.git{name}" for name in _READ_IN_GIT), f"{root}/.gitignore", f"{folder}/.gitignore")
    return next((place for place in places if _is_pipe(place)), "")


def _pipe_as_ignore_file(folder: str) -> str:
    found = (f"{place}/.gitignore" for place, _, files in os.walk(work_tree(folder) or folder) if ".gitignore" in files)
    return next((place for place in found if _is_pipe(place)), "")


def _is_pipe(place: str) -> bool:
    try:
        return stat.S_ISFIFO(os.lstat(place).st_mode)
    except OSError:
        return False
