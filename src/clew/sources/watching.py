"""Has something moved in a project? The operating system's notices, for a process that lives long; where they fail, a look now and then.

Only folders that hold listed files are watched, each by itself: what is ignored costs nothing, however much is written there. A notice
says no more than that it is time to look; what is true is found out by a walk, so a lost notice costs time and never correctness.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from clew.sources.inotify import require_room
from clew.sources.rules import JUNK_FOLDERS, TOOL_FOLDERS, Rules
from clew.sources.walking import Listing, enters

if TYPE_CHECKING:
    from threading import Event

    from watchfiles._rust_notify import RustNotify

DEBOUNCE_MS, STEP_MS = 1_000, 100
"""A burst of notices counts as one when it pauses this long (step), or has lasted this long (debounce)."""
LOOK_ANYWAY_MS = 60_000
"""A look without a notice: network drives and containers lose them."""
LOOK_EVERY_S = 2.0
"""How often to look where the system gives no notices."""
LOOK_SHARE = 10
"""There a look that takes long is done more rarely: it costs at most a tenth of the time."""
_MOST_YOUNG = 10_000
"""Folders without listed files that are watched for their first one."""

_LIMITS = {errno.ENOSPC: "fs.inotify.max_user_watches", errno.EMFILE: "fs.inotify.max_user_instances"}
"""What Linux says when one more cannot be watched."""

_DELETED = 3
"""watchfiles' number for a path that is gone; of clew's own folder only that matters."""
_GIT_FILES = frozenset({"HEAD", "index"})
"""What changes in `.git` when a branch is switched or a file is added; the rest is its own bookkeeping."""
_EDITORS_OWN = re.compile(
    r".*~|\.#.*|#.*#|\..*\.sw[a-z]|4913|\.goutputstream-.*|.*___jb_(tmp|old)___|\.DS_Store|.*\.tmp(\.\d+)+", re.DOTALL
)
"""Files that editors write for moments: a save ends with the real name, which has a notice of its own."""

Opener = Callable[[list[str]], "RustNotify"]


class Watching:
    """Waits until something may have moved in the project at `root`. `fault` says why the system gives no notices; empty while it does."""

    def __init__(self, root: Path, rules: Rules, opener: Opener | None = None) -> None:
        self.root = os.path.realpath(root)
        self.fault = ""
        self._rules = rules
        self._open = opener or _system
        self._notices: RustNotify | None = None
        self._folders: frozenset[tuple[str, int]] = frozenset()
        self._young: set[str] = set()

    def until_moved(self, listing: Listing, stop: Event, looked_s: float = 0.0) -> bool:
        """Wait, and return whether to look again; false when `stop` was set. `listing` is what the last look found, in `looked_s` seconds.

        Returns at once when the folders of the listing are watched from now on: what moved before had no notice.
        Raises KeyboardInterrupt for a SIGINT that arrives meanwhile.
        """
        if not self.fault and self._watch(watched(self.root, listing) | self._still_young()):
            return not stop.is_set()
        if self._notices is None:
            return not stop.wait(max(LOOK_EVERY_S, LOOK_SHARE * looked_s))
        while True:
            found = self._notices.watch(DEBOUNCE_MS, STEP_MS, LOOK_ANYWAY_MS, stop)
            if found == "signal":
                raise KeyboardInterrupt
            if found == "stop" or isinstance(found, str):
                return found != "stop"
            moved = [path for kind, path in found if matters(path, self.root) or (kind == _DELETED and path == f"{self.root}/.clew")]
            if moved:
                self._adopt(moved)
                return True

    def close(self) -> None:
        """Stop watching."""
        if self._notices is not None:
            self._notices.close()
            self._notices = None

    def _watch(self, folders: frozenset[str]) -> bool:
        """Watch exactly these folders; returns whether that is new. A folder that was removed and made again is another one."""
        there = frozenset((folder, number) for folder in folders if (number := number_of(folder)))
        if there == self._folders:
            return False
        self.close()
        self._folders = there
        try:
            self._notices = self._open(sorted(folder for folder, _ in there))
        except FileNotFoundError:
            self._folders = frozenset()  # a folder went meanwhile: look, and watch what is there then
        except (OSError, RuntimeError) as fault:
            self.fault = f"the system gives no notices of changes ({_why(fault)}); looking every few seconds instead"
        return True

    def _adopt(self, moved: Iterable[str]) -> None:
        """Watch new folders that a walk would look into, those in them too, though they hold no listed file yet."""
        known = {folder for folder, _ in self._folders}
        waiting = [path for path in moved if path not in known and os.path.isdir(path)]  # noqa: PTH112
        while waiting and len(self._young) < _MOST_YOUNG:
            folder = waiting.pop()
            if os.path.islink(folder) or not enters(Path(self.root), self._rules, os.path.relpath(folder, self.root) + "/"):  # noqa: PTH114
                continue
            self._young.add(folder)
            try:
                with os.scandir(folder) as inside:
                    waiting += [entry.path for entry in inside if entry.is_dir(follow_symlinks=False)]
            except OSError:
                continue

    def _still_young(self) -> frozenset[str]:
        self._young = {folder for folder in self._young if os.path.isdir(folder)}  # noqa: PTH112
        return frozenset(self._young)


def folders_of(root: str, listing: Listing) -> frozenset[str]:
    """The folders that hold listed files, those above them up to the root, and git's own."""
    found = {""}
    for path in listing.files:
        at = path.rfind("/")
        while at >= 0 and path[:at] not in found:
            found.add(path[:at])
            at = path.rfind("/", 0, at)
    absolute = {f"{root}/{folder}" if folder else root for folder in found}
    return frozenset(absolute | {place for place in _gits(root) if os.path.isdir(place)})  # noqa: PTH112


def watched(root: str, listing: Listing) -> frozenset[str]:
    """Where something may move: the folders of the listing, and those in them that hold no file yet, whose first one may come."""
    known = folders_of(root, listing)
    bare: set[str] = set()
    waiting = [folder for place in known.difference(_gits(root)) for folder in _inside(place)[0] if folder not in known]
    while waiting and len(bare) < _MOST_YOUNG:
        folder = waiting.pop()
        inside, others = _inside(folder)
        if not others:
            bare.add(folder)
            waiting += inside
    return known | bare


def _gits(root: str) -> tuple[str, str]:
    return f"{root}/.git", f"{root}/.git/info"


def _inside(folder: str) -> tuple[list[str], bool]:
    """The folders in a folder, tools' own left out, and whether there is anything else in it (or it cannot be read)."""
    found, others = [], False
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    others = True
                elif entry.name not in TOOL_FOLDERS and entry.name not in JUNK_FOLDERS:
                    found.append(entry.path)
    except OSError:
        return [], True
    return found, others


def number_of(folder: str) -> int:
    """The number by which the file system knows a folder; 0 where there is none."""
    try:
        seen = os.lstat(folder)
    except OSError:
        return 0
    return seen.st_ino if stat.S_ISDIR(seen.st_mode) else 0


def matters(path: str, root: str) -> bool:
    """Whether a change of this path may be one of the project."""
    folder, _, name = path.rpartition("/")
    if folder == f"{root}/.git":
        return name in _GIT_FILES
    if folder == f"{root}/.git/info":
        return name == "exclude"
    return name not in TOOL_FOLDERS and not _EDITORS_OWN.fullmatch(name)


def _why(fault: OSError | RuntimeError) -> str:
    """What says no: a limit by the name under which it can be raised."""
    for number, limit in _LIMITS.items():
        if getattr(fault, "errno", 0) == number or f"(os error {number})" in str(fault):
            return f"the limit {limit} is reached"
    return str(fault)


def _system(folders: list[str]) -> RustNotify:
    from watchfiles._rust_notify import RustNotify  # 20 ms that only a watcher is worth

    notices = RustNotify(folders, False, False, 300, False, True)
    try:
        require_room(folders[0])  # where the limit is reached, watchfiles leaves out folders without a word
    except OSError:
        notices.close()
        raise
    return notices
