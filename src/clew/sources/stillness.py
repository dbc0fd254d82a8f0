"""Has anything moved since the last walk? A look at times alone, for questions that follow each other within moments.

A walk asks git and reads ignore rules; a process that answers many questions a second need not do that for each. What is watched: every
listed file, the root and every folder that holds one (a new, renamed or deleted entry changes its folder), and git's own state. What is not
seen: a new file in a folder that held none, until the next walk.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from clew.sources.walking import Listing

GIT_STATE = (".git", ".git/index", ".git/HEAD", ".git/info/exclude")

Stamp = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Stillness:
    """The listed files with size and time of the last change, and the stamps of the folders and of git's state when they were listed."""

    files: tuple[tuple[str, int, int], ...]
    places: tuple[tuple[str, Stamp], ...]

    @classmethod
    def of(cls, root: Path, listing: Listing) -> Stillness:
        """Remember the stamps; made before the walk's files are read, so that a later change cannot hide."""
        base = os.path.realpath(root)
        folders = {"", *(path[: path.rfind("/") + 1] for path in listing.files)}
        files = tuple((f"{base}/{path}", size, changed_ns) for path, (size, changed_ns) in listing.files.items())
        return cls(files, tuple((place, _stamp(place)) for place in (f"{base}/{name}" for name in (*folders, *GIT_STATE))))

    def holds(self) -> bool:
        """Whether every file and folder still has the size and times that it had."""
        lstat = os.lstat  # the loop is most of what a question costs in a project of a thousand files
        try:
            for path, size, changed_ns in self.files:
                seen = lstat(path)
                if seen.st_size != size or max(seen.st_mtime_ns, seen.st_ctime_ns) != changed_ns:
                    return False
        except OSError:
            return False
        return all(_stamp(place) == stamp for place, stamp in self.places)


def _stamp(path: str) -> Stamp:
    try:
        seen = os.lstat(path)
    except OSError:
        return None
    return (seen.st_mtime_ns, seen.st_ctime_ns)
