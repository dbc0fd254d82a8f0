"""Which files does a project consist of? A walk that sees what git sees, names what is left out, and opens no file but ignore rules.

Where there is git, its own listing counts: tracked files, and untracked ones that are not ignored. Where there is none, `.gitignore`
files are followed here. On top of both: `.clewignore` files, the settings, and what `rules` leaves out by name or size. Symbolic links
are not followed, so a file is indexed once, under its own name, and nothing outside the project is.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from clew.core.answer import Skip
from clew.sources import git
from clew.sources.ignoring import IgnoreRules, Stack, ignores, ignores_below, parse_rules, pattern_rules
from clew.sources.patience import ENOUGH_FILES, Expired, OutOfTime, never
from clew.sources.rules import JUNK_FOLDERS, JUNK_MARKERS, TOOL_FOLDERS, Rules, oversize, refusal
from clew.sources.stamps import changed_ns

__all__ = ["Found", "Listing", "Rules", "walk"]

_MAX_IGNORE_BYTES = 2**20
"""An ignore file longer than this is not one: the longest on public hosts have some thousand lines."""

_STEP = 256
"""Files between two looks at the clock: some milliseconds."""

RULE_FILES = frozenset({".gitignore", ".clewignore", ".gitmodules", ".git"})

_KINDS = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


class Found(NamedTuple):
    """A file as the disk has it. `mtime_ns` is the time of its last change (`stamps`), so that an edit which sets the
    modification time back still shows."""

    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Listing:
    """The project's files by path, relative and `/`-separated, in order; what was left out, and why; what went wrong.

    Ignored files are not among the skipped. A folder that was left out as a whole ends in `/` there.
    """

    files: dict[str, Found] = field(default_factory=dict)
    skipped: tuple[Skip, ...] = ()
    warnings: tuple[str, ...] = ()


def walk(root: Path, rules: Rules, expired: Expired = never) -> Listing:
    """List the project at `root`. Never raises for what it meets: a folder that cannot be read is named as skipped.

    Raises OutOfTime in a large project once the time has `expired`.
    """
    steps = _Walk(os.path.realpath(root), rules, expired)
    steps.tree("")
    skipped = tuple(Skip(path, reason) for path, reason in sorted(steps.skipped.items()))
    return Listing(dict(sorted(steps.files.items())), skipped, tuple(steps.warnings))


def enters(root: Path, rules: Rules, folder: str) -> bool:
    """Whether a walk looks into a folder (relative, ending in `/`): a file that is made there belongs to the project."""
    if any(name in JUNK_FOLDERS or name in TOOL_FOLDERS for name in folder.split("/")):
        return False
    return _Walk(os.path.realpath(root), rules).enters(folder)


def one(root: Path, filepath: str, rules: Rules) -> Found | str | None:
    """A file that a walk has listed, as it is now; None where there is none any more; a string, why it would not be listed, or not told without a walk."""
    try:
        seen = os.lstat(root / filepath)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as fault:
        return _reason(fault)
    if not stat.S_ISREG(seen.st_mode):
        return "not a file"
    return refusal(filepath[filepath.rfind("/") + 1 :]) or oversize(seen.st_size, rules) or Found(seen.st_size, changed_ns(seen))


def is_rule_file(filepath: str) -> bool:
    """Whether a file says which others belong to the project, or marks its folder as a cache."""
    name = filepath[filepath.rfind("/") + 1 :]
    return name in RULE_FILES or name in JUNK_MARKERS


class _Walk:
    """One walk and what it has gathered. Folders are named by paths relative to the root that end in `/`; the root is empty."""

    def __init__(self, root: str, rules: Rules, expired: Expired = never) -> None:
        self.root = root
        self.rules = rules
        self._expired = expired
        self._steps = 0
        self.files: dict[str, Found] = {}
        self.skipped: dict[str, str] = {}
        self.warnings: list[str] = []
        self._only = pattern_rules(rules.include) if rules.include else None
        top = (pattern_rules(rules.exclude),) if rules.exclude else ()
        self._stacks: dict[str, Stack | None] = {"": self._with_own_rules("", top)}

    def tree(self, folder: str) -> None:
        """Gather the files of a work tree, or of a folder without git."""
        place = self._absolute(folder)
        # A nested folder counts as a repository only by its own `.git`: the work tree around it was asked already.
        is_tree = os.path.lexists(place + "/.git") if folder else bool(git.work_tree(place))
        listed = git.list_files(place, self._expired) if is_tree else git.Refused()
        if isinstance(listed, git.Listed):
            self._take(folder, listed)
            return
        if listed.reason:
            self.warnings.append(f"git did not list {place}: {listed.reason}; .gitignore files are followed without it")
        self._descend(folder)

    def enters(self, folder: str) -> bool:
        """Whether no rule leaves out the folder or one above it."""
        if self._stack(folder) is None:
            return False
        if git.work_tree(self.root):
            return not git.ignores(self.root, folder)
        ignoring: Stack = ()
        at = folder.find("/")
        while at >= 0:
            own = self._read_rules(folder[: folder.rfind("/", 0, at) + 1], ".gitignore")
            ignoring = (*ignoring, own) if own else ignoring
            if ignores(ignoring, os.fsencode(folder[:at]), is_folder=True):
                return False
            at = folder.find("/", at + 1)
        return True

    # -- as git lists it --

    def _take(self, folder: str, listed: git.Listed) -> None:
        for unreadable in listed.unreadable:
            self._skip(folder + unreadable + "/", "permission denied")
        junk = _Junk(entry.path for entry in listed.entries if not entry.tracked)
        for path, tracked in listed.entries:
            if not tracked and (left_out := junk.around(path)):
                self._skip(folder + left_out, "installed packages or a tool's cache")
                continue
            self._visit(folder + path)

    def _visit(self, path: str) -> None:
        """A path that git lists: a file, a submodule, or a nested repository."""
        self._look_at_the_clock()
        stack = self._stack(path[: path.rstrip("/").rfind("/") + 1])
        if stack is None:
            return
        try:
            seen = os.lstat(self._absolute(path.rstrip("/")))
        except (FileNotFoundError, NotADirectoryError):
            return  # tracked, but deleted on disk
        except OSError as fault:
            self._skip(path, _reason(fault))
            return
        if stat.S_ISDIR(seen.st_mode):
            self._nested(path.rstrip("/") + "/")
        else:
            self._file(path, seen, stack)

    def _nested(self, folder: str) -> None:
        if self._stack(folder) is None:
            return
        try:
            empty = not os.listdir(self._absolute(folder))  # noqa: PTH208
        except OSError as fault:
            self._skip(folder, _reason(fault))
            return
        if empty:
            self._skip(folder, "submodule that is not checked out (git submodule update --init)")
        else:
            self.tree(folder)

    # -- without git --

    def _descend(self, top: str) -> None:
        """Walk a folder, following the `.gitignore` files in it; a repository inside is a tree of its own."""
        info = self._read_rules(top, ".git/info/exclude")
        waiting: list[tuple[str, Stack]] = [(top, (info,) if info else ())]
        while waiting:
            folder, outer = waiting.pop()
            try:
                with os.scandir(self._absolute(folder)) as listing:
                    entries = list(listing)
            except OSError as fault:
                self._skip(folder or ".", _reason(fault))
                continue
            if folder != top and any(entry.name in JUNK_MARKERS for entry in entries):
                self._skip(folder, "installed packages or a tool's cache")
                continue
            own = self._read_rules(folder, ".gitignore") if any(entry.name == ".gitignore" for entry in entries) else None
            ignoring = (*outer, own) if own else outer
            waiting += [(below, ignoring) for entry in entries if (below := self._enter(folder, entry, ignoring))]

    def _enter(self, folder: str, entry: os.DirEntry[str], ignoring: Stack) -> str:
        """Gather a file, or say which folder is to be walked next."""
        if entry.name in TOOL_FOLDERS:
            return ""
        path = folder + entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if ignoring and ignores(ignoring, os.fsencode(path), is_folder):
            return ""
        if not is_folder:
            self._gather(path, entry, folder)
        elif entry.name in JUNK_FOLDERS:
            self._skip(path + "/", "installed packages or a tool's cache")
        elif os.path.lexists(self._absolute(path) + "/.git"):
            if self._stack(path + "/") is not None:
                self.tree(path + "/")
        elif self._stack(path + "/") is not None:
            return path + "/"
        return ""

    def _gather(self, path: str, entry: os.DirEntry[str], folder: str) -> None:
        self._look_at_the_clock()
        stack = self._stack(folder)
        try:
            seen = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError as fault:
            self._skip(path, _reason(fault))
            return
        if stack is not None:
            self._file(path, seen, stack)

    # -- in both --

    def _file(self, path: str, seen: os.stat_result, stack: Stack) -> None:
        if stack and ignores(stack, os.fsencode(path), is_folder=False):
            return
        if self._only and not ignores_below(self._only, os.fsencode(path)):
            return
        reason = self._unwanted(path, seen)
        if reason:
            self._skip(path, reason)
        else:
            self.files[path] = Found(seen.st_size, changed_ns(seen))

    def _unwanted(self, path: str, seen: os.stat_result) -> str:
        if stat.S_ISLNK(seen.st_mode):
            return self._about_link(path)
        if not stat.S_ISREG(seen.st_mode):
            return f"not a file but {_KINDS.get(stat.S_IFMT(seen.st_mode), 'something else')}"
        return refusal(path[path.rfind("/") + 1 :]) or oversize(seen.st_size, self.rules)

    def _about_link(self, path: str) -> str:
        try:
            target = os.path.realpath(self._absolute(path))
        except OSError:  # it was taken away while it was followed
            return "broken symbolic link"
        if not os.path.exists(target):  # noqa: PTH110
            return "broken symbolic link"
        inside = (target + "/").startswith(self.root.rstrip("/") + "/")
        return f"symbolic link to {os.path.relpath(target, self.root)}" if inside else "symbolic link to a place outside the project"

    def _stack(self, folder: str) -> Stack | None:
        """The rules of clew's own that hold in a folder; None where the folder is out of bounds."""
        known = folder
        while known not in self._stacks:
            known = known[: known.rfind("/", 0, -1) + 1]
        stack = self._stacks[known]
        while known != folder:
            known = folder[: folder.find("/", len(known)) + 1]
            stack = self._below(known, stack)
            self._stacks[known] = stack
        return stack

    def _below(self, folder: str, outer: Stack | None) -> Stack | None:
        path = folder[:-1]
        if outer is None or path[path.rfind("/") + 1 :] in TOOL_FOLDERS:
            return None
        if outer and ignores(outer, os.fsencode(path), is_folder=True):
            return None
        if os.path.islink(self._absolute(path)):  # noqa: PTH114
            return None  # git tracks files below what is a link now: they are deleted
        return self._with_own_rules(folder, outer)

    def _with_own_rules(self, folder: str, outer: Stack) -> Stack:
        own = self._read_rules(folder, ".clewignore")
        return (*outer, own) if own else outer

    def _read_rules(self, folder: str, name: str) -> IgnoreRules | None:
        """An ignore file's rules; None where there is no such file. A link is not followed, as in git."""
        path = folder + name
        try:
            handle = os.open(self._absolute(path), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        except FileNotFoundError:
            return None
        except OSError as fault:
            self.warnings.append(f"{path} could not be read: {_reason(fault)}")
            return None
        with open(handle, "rb") as file:  # noqa: PTH123
            try:
                return parse_rules(file.read(_MAX_IGNORE_BYTES), os.fsencode(folder))
            except OSError as fault:
                self.warnings.append(f"{path} could not be read: {_reason(fault)}")
                return None

    def _look_at_the_clock(self) -> None:
        self._steps += 1
        if self._steps > ENOUGH_FILES and self._steps % _STEP == 0 and self._expired():
            raise OutOfTime

    def _skip(self, path: str, reason: str) -> None:
        self.skipped[path] = reason

    def _absolute(self, path: str) -> str:
        return f"{self.root}/{path}" if path else self.root


class _Junk:
    """The folders, among untracked paths, that hold installed packages or a tool's cache."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._marked = {head + "/" for path in paths for head, _, name in [path.rpartition("/")] if name in JUNK_MARKERS and head}
        self._known: dict[str, str] = {"": ""}

    def around(self, path: str) -> str:
        """The outermost such folder that a path is in, ending in `/`; empty where it is in none."""
        folder = path[: path.rfind("/") + 1]
        if folder not in self._known:
            self._known[folder] = self._outermost(folder)
        return self._known[folder]

    def _outermost(self, folder: str) -> str:
        at = folder.find("/")
        begin = 0
        while at >= 0:
            if folder[begin:at] in JUNK_FOLDERS or folder[: at + 1] in self._marked:
                return folder[: at + 1]
            begin, at = at + 1, folder.find("/", at + 1)
        return ""


def _reason(fault: OSError) -> str:
    return (fault.strerror or type(fault).__name__).lower()
