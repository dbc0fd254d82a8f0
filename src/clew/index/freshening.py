"""Is the index as the disk is, when a question comes? Looked at within a time budget; in a process that lives on, the rest is done beside the questions.

A look is a walk with a comparison. From the second question on the system's notices tell what moved since, and only that is looked at
(`checking`, `sources/notices`). A project so large that a look takes longer than the budget is looked at in a thread of its own; until that is
done, answers say that they may be stale, unless notices vouch for them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event, RLock, Thread

from clew.core.protocols import Store
from clew.errors import NoIndex, WriterBusy
from clew.index.checking import GLANCE_S, Check, Freshness
from clew.index.upkeep import DELETED, Look, Report, Upkeep
from clew.sources.notices import Moved, Notices
from clew.sources.patience import Expired, OutOfTime
from clew.sources.stillness import Stillness
from clew.sources.walking import walk

STEP_FILES = 8
"""Files taken in per step before a search: small, so that the time budget is kept within one file's worth."""
ASK_FIRST_FILES = 50_000
"""A search does not start to index more than this by itself: minutes of work should be asked for."""

LIVES_ON_S = 1.0
"""After its first question a process that lives so long gets the check that did not fit into it."""

TOO_MANY = "more files than can be compared with the index in {:.0f} ms: what changed lately may be answered from before; run `clew index` to catch up"
BESIDE = "the project is being compared with the index; until that is done, what changed lately may be answered from before"


class Freshening:
    """The checks before the questions of one process. `budget_ms` is the time that one may take; 0 none, -1 any."""

    def __init__(self, upkeep: Upkeep, store: Store, budget_ms: int) -> None:
        self._upkeep = upkeep
        self._store = store
        self._budget_s = budget_ms / 1000 if budget_ms >= 0 else math.inf
        self._checked: Check | None = None
        self._notices = Notices(str(upkeep.root))
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
            found = self._while_beside()
            if found is not None:
                return found
        checked = self._checked  # the thread beside may set another one meanwhile
        if checked is not None and (found := self._since(checked)) is not None:
            return found
        self._checked = None
        self._notices.forget()
        if "complete" not in self._store.facts(self._upkeep.namespace):
            return self._first_index(progress)
        lives_on, self._is_first = not self._is_first, False
        if lives_on and self._budget_s and self._look_s > self._budget_s:
            return self._do_beside(self._budget_s)
        try:
            fresh = self._check(within_budget=True)
        except OutOfTime:
            self._look_s = math.inf
            if self._budget_s:
                self._beside = _Beside(lambda expired: self._check(expired=expired), 0 if lives_on else LIVES_ON_S)
            return Freshness(True, (TOO_MANY.format(self._budget_s * 1000),))
        if lives_on:
            self._rely()
        if fresh.stale and lives_on and self._budget_s and not self._store.read_only:
            self._do_beside(0)
        return fresh

    def _rely(self) -> None:
        """From now on the system's notices tell what moves."""
        if self._checked is not None and not self._checked.notify(self._notices):
            self._checked = None

    def _while_beside(self) -> Freshness | None:
        """What can be said while a check goes on beside; None once it is done and found everything fresh."""
        checked = self._checked
        goes_on = self._beside is not None and not self._beside.is_done(0)
        if checked is not None and checked.is_told and goes_on and not checked.moved().anything:
            return checked.fresh
        found = self._after_beside(self._budget_s if checked is not None and self._budget_s != math.inf else 0.0)
        if found.stale and self._beside is None:
            self._checked = None
        return found if found.stale else None

    def _since(self, checked: Check) -> Freshness | None:
        """What the last check found, with what moved since taken in; None where that takes a check of its own."""
        begun = time.monotonic()
        if not checked.is_told and not checked.notify(self._notices, begun + max(self._budget_s, GLANCE_S)):
            return None
        if self._store.facts(self._upkeep.namespace).get("complete") != "yes":
            return None
        moved = checked.moved()
        if moved.anything:
            return self._take_in(checked, moved, begun)
        if not checked.is_old():
            return checked.fresh
        if not checked.is_told or self._look_s <= self._budget_s or self._store.read_only:
            return None
        self._beside = _Beside(lambda expired: self._check(expired=expired))
        return checked.fresh

    def _take_in(self, checked: Check, moved: Moved, begun: float) -> Freshness | None:
        """Take in the files that notices name; None where there is more to it."""
        if moved.more or not self._budget_s or self._store.read_only:
            return None
        look = self._upkeep.look_at(moved.touched, moved.appeared)
        if look is None:
            return None
        left = self._catch_up(look, begun, None, within_budget=True) if look.plan else Freshness()
        if left.stale:
            return None
        self._notices.settled()
        return Freshness(checked.fresh.stale, (*checked.fresh.warnings, *left.warnings))

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
        self._notices.close()

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

    def _check(self, expired: Expired | None = None, *, within_budget: bool = False) -> Freshness:
        """One look, and what it found taken in. Raises OutOfTime where the look alone takes longer than the budget, or than `expired` lets it."""
        begun = time.monotonic()
        facts = self._store.facts(self._upkeep.namespace)
        look = self._upkeep.look(expired or (lambda: time.monotonic() > begun + self._budget_s))
        still = Stillness.of(self._upkeep.root, look.listing)
        self._look_s = time.monotonic() - begun
        left = self._catch_up(look, begun, expired, within_budget=within_budget) if look.plan else Freshness()
        lack = self._upkeep.complete(facts, finished=not left.stale)
        fresh = Freshness(bool(lack) or left.stale, (*look.listing.warnings, *filter(None, (lack,)), *left.warnings))
        if not fresh.stale:
            self._checked = Check(self._upkeep.root, look.listing, still, fresh, self._look_s)
        return fresh

    def _catch_up(self, look: Look, begun: float, expired: Expired | None, *, within_budget: bool) -> Freshness:
        """Take in what a look found, within the time budget but some files at least, and say what could not be finished."""
        if self._store.read_only:
            count = self._upkeep.changed(look, lambda: time.monotonic() > begun + self._budget_s)
            return (
                Freshness(True, (f"the index cannot be written and {_files(count)} changed since it was made",)) if count else Freshness()
            )
        changed = _files(len(look.plan.suspects) + len(look.plan.deleted) + len(look.plan.skips))
        late = f"{changed} changed, more than fit in {self._budget_s * 1000:.0f} ms; run `clew index` to catch up"
        if not self._budget_s:
            return Freshness(True, (late,))
        loading = time.monotonic()
        self._upkeep.kept_models()
        # What the model takes to load is not the files' fault, and a search by vectors loads it anyway.
        deadline = begun + self._budget_s + time.monotonic() - loading if within_budget else math.inf
        try:
            tally = self._upkeep.catch_up(
                look, expired or (lambda: time.monotonic() > deadline), batch_files=STEP_FILES, somebody_waits=within_budget
            )
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
    """A check in a thread of its own, begun after some seconds."""

    def __init__(self, check: Callable[[Expired], Freshness], after_s: float = 0.0) -> None:
        self._after_s = after_s
        self._stop = Event()
        self._found = Freshness(True, (BESIDE,))
        self._fault: Exception | None = None
        self._thread = Thread(target=self._run, args=(check,), name="clew-freshening", daemon=True)
        self._thread.start()

    def _run(self, check: Callable[[Expired], Freshness]) -> None:
        if self._after_s and self._stop.wait(self._after_s):
            return
        try:
            self._found = check(self._stop.is_set)
        except OutOfTime:  # told to stop
            return
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


def _files(count: int) -> str:
    return f"{count} file{'s' if count != 1 else ''}"
