"""Does what the last check found still hold? The system's notices tell, where it gives them; where not, a glance at times."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path

from clew.sources.notices import Moved, Notices
from clew.sources.stillness import Stillness
from clew.sources.walking import Listing
from clew.sources.watching import watched

WALK_AGAIN_S = 2.0
"""After this time a walk looks for what neither notices nor times show."""
LOOK_SHARE = 10
"""Where notices are given, a walk that takes long is done more rarely: it costs at most a tenth of the time."""
MANY_FILES = 1_000
"""Up to so many files a glance sees all of them, in the time of a search (4 microseconds each)."""
GLANCE_SHARE, GLANCE_S = 0.1, 0.05
"""Of more files it sees as many as fit in a tenth of the time since the last one, and in this time at most; the next goes on from there."""

ANYTHING = Moved(more=True)
NOTHING = Moved()


@dataclass(frozen=True, slots=True)
class Freshness:
    """What the check before a search found: nothing to do, or what was left undone and why."""

    stale: bool = False
    warnings: tuple[str, ...] = ()


class Check:
    """A check that found everything fresh, for the questions that follow. `seconds` is what the walk took."""

    def __init__(self, root: Path, listing: Listing, still: Stillness, fresh: Freshness, seconds: float) -> None:
        self.fresh = fresh
        self.seconds = seconds
        self._root = str(root)
        self._listing = listing
        self._still = still
        self._walked = self._glanced = time.monotonic()
        self._notices: Notices | None = None

    def notify(self, notices: Notices, until: float = math.inf) -> bool:
        """Rely on the system's notices from now on, if it gives any; returns whether nothing had moved before they began, as far as seen before `until`."""
        if self._notices is not None or notices.fault:
            return True
        new = notices.watch(watched(self._root, self._listing))
        if not notices.working:
            return True
        if new and not (self._still.holds(until) and time.monotonic() <= until):
            return False
        self._notices = notices
        return True

    @property
    def is_told(self) -> bool:
        """Whether the system tells of what moves."""
        return self._notices is not None

    def is_old(self) -> bool:
        """Whether it is time to walk again, though nothing is known to have moved."""
        share = LOOK_SHARE * self.seconds if self.is_told else 0.0
        return time.monotonic() - self._walked >= max(WALK_AGAIN_S, share)

    def moved(self) -> Moved:
        """What has moved since, as far as notices or times tell."""
        if self._notices is not None:
            return self._notices.told()
        now = time.monotonic()
        few = len(self._still.seen) <= MANY_FILES
        until = math.inf if few else now + min(GLANCE_SHARE * (now - self._glanced), GLANCE_S)
        self._glanced = now
        return NOTHING if self._still.holds(until) else ANYTHING
