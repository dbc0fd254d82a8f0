"""Who may write? One process at a time, by a lock of the operating system that dies with its owner."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from clew.errors import WriterBusy

if TYPE_CHECKING:
    from pathlib import Path

_FAR = 2**30
"""Where Windows locks: a byte beyond the text, so that the owner's name can still be read."""


class WriterLock:
    """The lock file of one index. Re-entrant within one store: taken as often, given back as often."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1
        self._depth = 0

    def take(self) -> None:
        """Take the lock or raise `WriterBusy` naming its owner; never waits."""
        if self._depth == 0:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise OSError(errno.EINVAL, "not a file", str(self._path))
            if not _locked(descriptor):
                os.close(descriptor)
                owner = self.owner() or "another process"
                raise WriterBusy(f"{owner} is writing this index", "wait until it is done, then try again", owner)
            with suppress(OSError):  # on a full disk the lock has no name, and holds all the same
                os.ftruncate(descriptor, 0)
                name = {"pid": os.getpid(), "command": _command(), "host": _host()}
                os.write(descriptor, json.dumps(name).encode())
            self._descriptor = descriptor
        self._depth += 1

    def give_back(self) -> None:
        """Undo one `take`; the last one frees the lock."""
        self._depth -= 1
        if self._depth == 0:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1

    def owner(self) -> str:
        """Who holds the lock now, in words; empty when nobody does."""
        try:
            descriptor = os.open(self._path, os.O_RDWR)
        except OSError:
            return ""
        try:
            if self._depth == 0 and _locked(descriptor):
                return ""
            return _in_words(os.pread(descriptor, 4096, 0) if hasattr(os, "pread") else os.read(descriptor, 4096))
        except OSError:  # no file
            return ""
        finally:
            os.close(descriptor)


def _in_words(written: bytes) -> str:
    try:
        found = json.loads(written)
        elsewhere = f" on {found['host']}" if found.get("host", "") != _host() else ""
        return f"process {int(found['pid'])}{elsewhere} ({found['command']})"
    except (ValueError, KeyError, TypeError, AttributeError):
        return "another process"


def _command() -> str:
    """What this process was called with; no password of a URL, which whoever meets the lock would read."""
    words = list(sys.argv)
    if any("://" in word for word in words):
        from clew.core.schema.addresses import masked_argument  # 5 ms that few commands need

        words = [masked_argument(word) for word in words]
    return " ".join(words)[:200]


def _host() -> str:
    """This machine's name: a folder may be shared with others. Empty where the system has no cheap way to tell."""
    return os.uname().nodename if hasattr(os, "uname") else ""


if sys.platform == "win32":
    import msvcrt

    def _locked(descriptor: int) -> bool:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(descriptor, 0, os.SEEK_SET)
        return True
else:
    import fcntl

    def _locked(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
