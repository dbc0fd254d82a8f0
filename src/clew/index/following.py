"""How is an index kept current while nobody asks? Changes are taken in as they are noticed, until it is told to stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Protocol

from clew.errors import WriterBusy
from clew.index.updater import Project, Tally
from clew.sources.walking import Listing
from clew.sources.watching import Watching

TRY_AGAIN_S = 1.0
"""How soon to look again while another process writes the index."""
SETTLED_S = 0.2
"""How soon to look again after a change was taken in: it may have been read while it was being written, within one tick of the clock."""


@dataclass(frozen=True, slots=True)
class Followed:
    """What one look found and took in; `seconds` of wall time. `files` are in the index now; `taken_in` and `gone` name the first of those
    that were indexed and deleted. `warnings` are those that the look before did not give."""

    indexed: int = 0
    deleted: int = 0
    added: int = 0
    dropped: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    files: int = 0
    taken_in: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.indexed or self.deleted or self.added or self.dropped or self.warnings)


class Follower(Protocol):
    """What `follow` needs of an `Upkeep`."""

    project: Project

    def follow(self) -> tuple[Tally, Listing]: ...


def follow(upkeep: Follower, stop: Event, report: Callable[[Followed], None], watching: Watching | None = None) -> None:
    """Keep the index current until `stop` is set; `report` is told of the first look, and then of each that found anything.

    Raises what `Upkeep.index` raises, WriterBusy excepted: who else writes is named in a warning, and then it is tried again.
    Raises KeyboardInterrupt for a SIGINT.
    """
    watching = watching or Watching(upkeep.project.root, upkeep.project.rules)
    looks = _Looks(upkeep, watching)
    reported = False
    try:
        while looks.again_in(stop) or watching.until_moved(looks.listing, stop, looks.seconds):
            found = looks.look()
            if found or not (reported or looks.busy):
                report(found)
                reported = reported or not looks.busy
    finally:
        watching.close()


class _Looks:
    """The looks at a project so far. `busy` tells that another process wrote at the last one."""

    def __init__(self, upkeep: Follower, watching: Watching) -> None:
        self.listing = Listing()
        self.seconds = 0.0
        self.busy = False
        self._upkeep = upkeep
        self._watching = watching
        self._said: frozenset[str] = frozenset()
        self._settling = False

    def again_in(self, stop: Event) -> bool:
        """Whether to look again without a notice, after a pause: someone else wrote, or something was still being written."""
        if self.busy or self._settling:
            return not stop.wait(TRY_AGAIN_S if self.busy else SETTLED_S)
        return False

    def look(self) -> Followed:
        """Take in what has changed."""
        started = time.monotonic()
        try:
            tally, self.listing = self._upkeep.follow()
            self.busy = False
        except WriterBusy as busy:
            tally = Tally(warnings=[f"{busy.owner or 'another process'} is writing the index; changes are taken in when it is done"])
            self.busy = True
        self.seconds = time.monotonic() - started
        self._settling = bool(tally.indexed or tally.deleted)
        warnings = (*(() if self.busy else self.listing.warnings), *tally.warnings, *filter(None, (self._watching.fault,)))
        news = tuple(warning for warning in dict.fromkeys(warnings) if warning not in self._said)
        self._said = frozenset(warnings)
        return Followed(
            tally.indexed,
            tally.deleted,
            tally.added,
            tally.dropped,
            round(self.seconds, 3),
            news,
            tally.unchanged + tally.indexed,
            tuple(tally.taken_in),
            tuple(tally.gone),
        )
