"""Has anything moved since it was last asked? The system's own notices, taken without waiting: what a process that answers many questions asks first.

Linux tells of a change before the call that made it returns, so nothing is missed on a local disk. What writes through a mapping, or on
another machine of a network drive, gives no notice: a walk every few seconds sees it. On other systems there are none here.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import NamedTuple

from clew.sources.inotify import opened
from clew.sources.rules import JUNK_FOLDERS, TOOL_FOLDERS
from clew.sources.watching import matters, number_of

_MODIFY, _ATTRIB, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x2, 0x4, 0x40, 0x80, 0x100, 0x200, 0x400, 0x800
_OVERFLOW, _ONLY_FOLDERS, _NO_LINKS, _IS_FOLDER = 0x4000, 0x01000000, 0x02000000, 0x40000000
_WATCHED = _MODIFY | _ATTRIB | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF | _ONLY_FOLDERS | _NO_LINKS
_APPEARED = _CREATE | _MOVED_TO
_SELF = _DELETE_SELF | _MOVE_SELF
_EVENT = struct.Struct("iIII")
_READ_BYTES = 2**18


class Moved(NamedTuple):
    """Files that changed or went, and files that came, relative to the root; `more` is true for anything else: a folder, git's state, a loss."""

    touched: frozenset[str] = frozenset()
    appeared: frozenset[str] = frozenset()
    more: bool = False

    @property
    def anything(self) -> bool:
        """Whether there was a notice at all."""
        return bool(self.touched or self.appeared or self.more)

    def and_then(self, later: Moved) -> Moved:
        """This and what was told later."""
        return Moved(self.touched | later.touched, self.appeared | later.appeared, self.more or later.more)


class Notices:
    """Notices of a set of folders below `root`. `fault` says why the system gives none; empty while it does."""

    def __init__(self, root: str) -> None:
        self.fault = ""
        self._root = root
        self._handle = -1
        self._folders: frozenset[tuple[str, int]] = frozenset()
        self._names: dict[int, str] = {}
        self._told = Moved()

    def watch(self, folders: frozenset[str]) -> bool:
        """Watch exactly these folders; returns whether that is new: what moved before had no notice."""
        there = frozenset((folder, number) for folder in folders if (number := number_of(folder)))
        if self.fault or there == self._folders:
            return False
        self.close()
        try:
            self._handle, add = opened()
            self._names = {add(self._handle, os.fsencode(folder), _WATCHED): folder for folder, _ in sorted(there)}
        except FileNotFoundError:
            self.close()  # a folder went meanwhile
        except OSError as fault:
            self.close()
            self.fault = str(fault)
        else:
            self._folders = there
        return True

    @property
    def working(self) -> bool:
        """Whether what moves is told."""
        return self._handle >= 0

    def told(self) -> Moved:
        """What has moved; it is told again until it is forgotten."""
        self._told = self._told.and_then(self._taken())
        return self._told

    def forget(self) -> None:
        """What was told so far is known by now."""
        self._taken()
        self._told = Moved()

    def settled(self) -> None:
        """What `told` gave last was taken in."""
        self._told = Moved()

    def _taken(self) -> Moved:
        touched: set[str] = set()
        appeared: set[str] = set()
        more = False
        for folder, mask, name in self._events():
            path = f"{folder}/{name}"
            if mask & (_OVERFLOW | _SELF):
                more = True
            elif mask & _IS_FOLDER:
                more = more or (name not in TOOL_FOLDERS and name not in JUNK_FOLDERS and folder != f"{self._root}/.git")
            elif name and matters(path, self._root):
                if folder in (f"{self._root}/.git", f"{self._root}/.git/info"):
                    more = True
                else:
                    (appeared if mask & _APPEARED else touched).add(path[len(self._root) + 1 :])
        return Moved(frozenset(touched), frozenset(appeared), more)

    def close(self) -> None:
        """Watch nothing."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle, self._names, self._folders = -1, {}, frozenset()

    def _events(self) -> Iterator[tuple[str, int, str]]:
        while self._handle >= 0:
            try:
                found = os.read(self._handle, _READ_BYTES)
            except BlockingIOError:
                return
            at = 0
            while at < len(found):
                watch, mask, _, size = _EVENT.unpack_from(found, at)
                at += _EVENT.size + size
                if mask & _OVERFLOW or watch in self._names:
                    yield self._names.get(watch, ""), mask, os.fsdecode(found[at - size : at].rstrip(b"\0"))
