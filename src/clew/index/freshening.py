"""Is the index as the disk is, when a question comes? Looked at within a time budget; in a process that lives on, the rest is done beside the questions.

A look is a walk with a comparison. Questions that follow each other within moments are answered after a glance at times alone. A project
so large that a look takes longer than the budget is looked at in a thread of its own; until that is done, answers say that they may be stale.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, RLock, Thread

from clew.core.protocols import Store
from clew.errors import NoIndex, WriterBusy
from clew.index.plan import Plan
from clew.index.upkeep import DELETED, Look, Report, Upkeep
from clew.sources.stillness import Stillness
from clew.sources.walking import walk

STEP_FILES = 8
"""Files taken in per step before a search: small, so that the time budget is kept within one file's worth."""
WALK_AGAIN_S = 2.0
"""Questions that follow each other within this time are answered after a glance at times alone (sources/stillness)."""
MANY_FILES = 1_000
"""Up to so many files a glance sees all of them, in the time of a search (4 microseconds each)."""
GLANCE_SHARE, GLANCE_S = 0.1, 0.05
"""Of more files it sees as many as fit in a tenth of the time since the last one, and in this time at most; the next goes on from there."""
ASK_FIRST_FILES = 50_000
"""A search does not start to index more than this by itself: minutes of work should be asked for."""

BESIDE = "the project is being compared with the index; until that is done, what changed lately may be answered from before"


@dataclass(frozen=True, slots=True)
class Freshness:
    """What the check before a search found: nothing to do, or what was left undone and why."""

    stale: bool = False
    warnings: tuple[str, ...] = ()


class Check:
    """A check that found everything fresh, for the questions that follow within moments."""

    def __init__(self, still: Stillness, fresh: Freshness) -> None:
        self.fresh = fresh
        self._still = still
        self._walked = self._glanced = time.monotonic()

    def holds(self) -> bool:
        """Whether nothing has moved since, as far as times tell."""
        now = time.monotonic()
        if now - self._walked >= WALK_AGAIN_S:
            return False
        few = len(self._still.seen) <= MANY_FILES
        until = math.inf if few else now + min(GLANCE_SHARE * (now - self._glanced), GLANCE_S)
        self._glanced = now
        return self._still.holds(until)


class Freshening:
    """The checks before the questions of one process. `budget_ms` is the time that one may take; 0 none, -1 any."""

    def __init__(self, upkeep: Upkeep, store: Store, budget_ms: int) -> None:
        self._upkeep = upkeep
        self._store = store
        self._budget_s = budget_ms / 1000 if budget_ms >= 0 else math.inf
        self._checked: Check | None = None
        self._beside: _Beside | None = None
        self._is_first = True
        self._look_s = 0.0
        self._turn = RLock()

    def fresh(self, progress: Report | None = None) -> Freshness:
        """Make the index, or check it against the disk and update it within the time budget. Several threads may ask; one looks at a time.

        Raises NoIndex where there is no index and none may be made, IndexUnusable where what is there cannot be read.
        """
        with self._turn:
            if not self._store.renewed():
                return self._fresh(progress)
            self.close()
            self._checked = None
            was_deleted = "complete" not in self._store.facts(self._upkeep.namespace)
            fresh = self._fresh(progress)
            return replace(fresh, warnings=(DELETED, *fresh.warnings)) if was_deleted else fresh

    def _fresh(self, progress: Report | None) -> Freshness:
        if self._beside is not None:
            found = self._after_beside()
            if found.stale:
                return found
        checked = self._checked  # the thread beside may set another one meanwhile
        if checked is not None and checked.holds():  # what was found beside, too, may be older than the last change
            return checked.fresh
        self._checked = None
        if "complete" not in self._store.facts(self._upkeep.namespace):
            return self._first_index(progress)
        lives_on, self._is_first = not self._is_first, False
        if lives_on and self._budget_s and self._look_s > self._budget_s:
            return self._do_beside(self._budget_s)
        fresh = self._check(within_budget=True)
        if fresh.stale and lives_on and self._budget_s and not self._store.read_only:
            self._do_beside(0)
        return fresh

    def distrust(self) -> bool:
        """Something moved after the last check: look again at the next. Returns whether that check was still relied on."""
        with self._turn:
            relied, self._checked = self._checked is not None, None
            return relied

    def close(self) -> None:
        """End what is done beside, after the step that it is in."""
        if self._beside is not None:
            self._beside.end()
            self._beside = None

    def _do_beside(self, wait_s: float) -> Freshness:
        self._beside = _Beside(lambda expired: self._check(expired=expired))
        return self._after_beside(wait_s)

    def _after_beside(self, wait_s: float = 0.0) -> Freshness:
        """What came of the work beside; while it goes on, that it does. What broke it is raised once."""
        beside = self._beside
        if beside is None or not beside.is_done(wait_s):
            return Freshness(True, (BESIDE,))
        self._beside = None
        return beside.found()

    def _check(self, expired: Callable[[], bool] | None = None, *, within_budget: bool = False) -> Freshness:
        """One look, and what it found taken in."""
        begun = time.monotonic()
        facts = self._store.facts(self._upkeep.namespace)
        look = self._upkeep.look()
        still = Stillness.of(self._upkeep.root, look.listing)
        self._look_s = time.monotonic() - begun
        left = self._catch_up(look, begun, expired, within_budget=within_budget) if look.plan else Freshness()
        lack = self._upkeep.complete(facts, finished=not left.stale)
        fresh = Freshness(bool(lack) or left.stale, (*look.listing.warnings, *filter(None, (lack,)), *left.warnings))
        if not fresh.stale:
            self._checked = Check(still, fresh)
        return fresh

    def _catch_up(self, look: Look, begun: float, expired: Callable[[], bool] | None, *, within_budget: bool) -> Freshness:
        """Take in what a look found, within the time budget but some files at least, and say what could not be finished."""
        changed = _files(look.plan)
        if self._store.read_only:
            return Freshness(True, (f"the index cannot be written and {changed} changed since it was made",))
        late = f"{changed} changed, more than fit in {self._budget_s * 1000:.0f} ms; run `clew index` to catch up"
        if not self._budget_s:
            return Freshness(True, (late,))
        loading = time.monotonic()
        self._upkeep.kept_embedder()
        # What the model takes to load is not the files' fault, and a search by vectors loads it anyway.
        deadline = begun + self._budget_s + time.monotonic() - loading if within_budget else math.inf
        try:
            tally = self._upkeep.catch_up(look, expired or (lambda: time.monotonic() > deadline), batch_files=STEP_FILES)
        except WriterBusy as busy:
            owner = busy.owner or "another process"
            return Freshness(True, (f"{owner} is writing the index; {changed} changed and may be answered from before",))
        return Freshness(not tally.complete, (*tally.warnings, *(() if tally.complete else (late,))))

    def refuse_unasked(self) -> None:
        """Raise NoIndex where there is no index and making one is not what a question may begin by itself."""
        if "complete" in self._store.facts(self._upkeep.namespace):
            return
        root = self._upkeep.root
        if self._store.read_only:
            raise NoIndex(f"there is no index of {root} and none can be written", "set index_dir to a folder that can be written")
        if root in (Path.home(), Path(root.anchor)):
            raise NoIndex(f"{root} is not indexed, and is not indexed unasked", f"to index it all the same: clew index {root}")
        count = len(walk(root, self._upkeep.project.rules).files)
        if count > ASK_FIRST_FILES:
            raise NoIndex(f"{root} holds {count} files and is not indexed yet", f"run: clew index {root}")

    def _first_index(self, progress: Report | None) -> Freshness:
        self.refuse_unasked()
        try:
            tally, listing = self._upkeep.first(progress)
        except WriterBusy as busy:
            return Freshness(True, (f"the index is being made by {busy.owner or 'another process'}; this answer is partial",))
        return Freshness(not tally.complete, (*listing.warnings, *tally.warnings))


class _Beside:
    """A check in a thread of its own."""

    def __init__(self, check: Callable[[Callable[[], bool]], Freshness]) -> None:
        self._stop = Event()
        self._found = Freshness(True, (BESIDE,))
        self._fault: Exception | None = None
        self._thread = Thread(target=self._run, args=(check,), name="clew-freshening", daemon=True)
        self._thread.start()

    def _run(self, check: Callable[[Callable[[], bool]], Freshness]) -> None:
        try:
            self._found = check(self._stop.is_set)
        except Exception as fault:  # noqa: BLE001 - the outermost door of a thread: raised again by whoever asks for what it found
            self._fault = fault

    def is_done(self, wait_s: float) -> bool:
        self._thread.join(wait_s)
        return not self._thread.is_alive()

    def found(self) -> Freshness:
        if self._fault is not None:
            raise self._fault
        return self._found

    def end(self) -> None:
        self._stop.set()
        self._thread.join()


def _files(todo: Plan) -> str:
    count = len(todo.suspects) + len(todo.deleted) + len(todo.skips)
    return f"{count} file{'s' if count != 1 else ''}"
