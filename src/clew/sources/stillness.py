"""Has anything moved since the last walk? A look at times alone, for questions that follow each other within moments.

A walk asks git and reads ignore rules; a process that answers many questions a second need not do that for each. What is watched: every
listed file, the root and every folder that holds one (a new, renamed or deleted entry changes its folder), and git's own state. What is not
seen: a new file in a folder that held none, until the next walk.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from clew.sources.stamps import changed_ns
from clew.sources.walking import Listing

GIT_STATE = (".git", ".git/index", ".git/HEAD", ".git/info/exclude")

_STEP = 256
"""Files looked at between two looks at the clock: a millisecond."""

_ANY_SIZE = -1
"""Of a folder only times count."""
_ABSENT = 0
"""The time of what is not there."""


@dataclass(slots=True)
class Stillness:
    """Folders, git's state and the listed files, each with its size and the time of its last change when they were listed."""

    seen: tuple[tuple[str, int, int], ...]
    _next: int = 0

    @classmethod
    def of(cls, root: Path, listing: Listing) -> Stillness:
        """Remember the times; made before the walk's files are read, so that a later change cannot hide."""
        base = os.path.realpath(root)
        folders = {"", *(path[: path.rfind("/") + 1] for path in listing.files)}
        places = [(place, _ANY_SIZE, _changed(place)) for place in (f"{base}/{name}" for name in (*folders, *GIT_STATE))]
        return cls((*places, *((f"{base}/{path}", size, changed) for path, (size, changed) in listing.files.items())))

    def holds(self, until: float = math.inf) -> bool:
        """Whether everything still has the size and times that it had, as far as it is looked at before `time.monotonic` is `until`.

        The next call goes on where this one ended: nothing is left out for good.
        """
        for start in self._steps():
            if not _all_same(self.seen[start : start + _STEP]):
                return False
            self._next = start + _STEP
            if time.monotonic() > until:
                break
        return True

    def _steps(self) -> Iterator[int]:
        """Where steps begin, from the next one round to the one before it."""
        begin = self._next if self._next < len(self.seen) else 0
        yield from range(begin, len(self.seen), _STEP)
        yield from range(0, begin, _STEP)


def _all_same(entries: Iterable[tuple[str, int, int]]) -> bool:
    lstat = os.lstat  # this loop is most of what a question costs in a project of a thousand files
    for path, size, changed in entries:
        try:
            seen = lstat(path)
        except OSError:
            if changed != _ABSENT:
                return False
        else:
            if changed_ns(seen) != changed or size not in (seen.st_size, _ANY_SIZE):
                return False
    return True


def _changed(path: str) -> int:
    try:
        seen = os.lstat(path)
    except OSError:
        return _ABSENT
    return changed_ns(seen)
