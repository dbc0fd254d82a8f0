"""When and how is an index brought up to date? All of it when asked; before a search what changed, within a time budget."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from clew.core.catalog import Changes, FileRecord, Space
from clew.core.protocols import Embedder, Store
from clew.errors import ClewError, NoIndex, UsageError, WriterBusy
from clew.index.plan import Plan, plan
from clew.index.updater import BATCH_FILES, FORM, Progress, Project, Tally, Update, now_ns
from clew.settings import INDEX_MODES
from clew.sources.stillness import Stillness
from clew.sources.walking import Listing, walk

FRESHEN_FILES = 8
"""Files per step of the freshness check before a search: small, so that the time budget is kept within one file's worth."""
WALK_AGAIN_S = 2.0
"""Questions that follow each other within this time are answered after a look at times alone (sources/stillness)."""
FEED_AT = 5_000
"""Chunks that searches leave to the next `clew index` at most: feeding the vector table costs 2.5 CPU seconds before the first row."""
MANY_FILES = 1_000
LOOK_AGAIN_S = 0.25
"""Looking at the times of more files than that takes longer than a search (4 microseconds each), and is done this often."""
PATIENCE_S = 1.0
"""A search that takes in some edits is done by then; another indexer is not, and is then named."""
ASK_FIRST_FILES = 50_000
"""A search does not start to index more than this by itself: minutes of work should be asked for."""

UNFINISHED = "the index is not complete: run `clew index`"
OUTDATED = "the index was made by another version of clew, or for another visibility: run `clew index`"

Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Freshness:
    """What the check before a search found: nothing to do, or what was left undone and why."""

    stale: bool = False
    warnings: tuple[str, ...] = ()


class Check:
    """A check that found everything fresh, for the questions that follow within moments."""

    def __init__(self, still: Stillness, fresh: Freshness, at: float) -> None:
        self.fresh = fresh
        self._still = still
        self._walked = at
        self._looked = at

    def holds(self, now: float) -> bool:
        """Whether nothing has moved since, as far as times tell."""
        if now - self._walked >= WALK_AGAIN_S:
            return False
        if len(self._still.files) > MANY_FILES and now - self._looked < LOOK_AGAIN_S:
            return True
        self._looked = now
        return self._still.holds()


class Upkeep:
    """Keeps the index of one project current. `freshness_ms` is the time that a search may spend on it, -1 any."""

    def __init__(
        self, project: Project, store: Store, embedder: Callable[[], Embedder], freshness_ms: int, batch_files: int = BATCH_FILES
    ) -> None:
        self.root = project.root
        self.namespace = project.namespace
        self.project = project
        self._store = store
        self._embedder = embedder
        self._freshness_ms = freshness_ms
        self._batch_files = batch_files
        self._checked: Check | None = None
        self._wrote = False

    def finish(self) -> None:
        """Hand vectors that searches have gathered by the thousand over to the vector table; whoever writes at the moment does it else."""
        try:
            if self._wrote and self._store.counts(self.namespace, self.current_space()).unsynced >= FEED_AT:
                self._store.settle()
        except WriterBusy:
            return

    # -- all of it --

    def index(self, *, mode: str | None = None, rebuild: bool = False, progress: Report | None = None) -> tuple[Tally, Listing]:
        """Check every file; `mode` None keeps the one of before. Raises UsageError, NoIndex where nothing may be written, WriterBusy."""
        if mode not in (None, *INDEX_MODES):
            raise UsageError(f"unknown index mode {mode!r}", "choose fast (keywords only) or hybrid (keywords and vectors)")
        if self._store.read_only:
            raise NoIndex(f"the index of {self.root} cannot be written", "make the folder writable or set index_dir to another place")
        with ExitStack() as stack:
            self._become_writer(stack)
            if rebuild:
                self._store.forget(self.namespace)
            return self._update_all(mode or self._kept_mode(), progress or _silent, feed=True)

    def _become_writer(self, stack: ExitStack) -> None:
        """Take the writer's lock, after a search that is just taking in an edit; raises WriterBusy for whoever takes longer."""
        last = time.monotonic() + PATIENCE_S
        while True:
            try:
                stack.enter_context(self._store.writer())
            except WriterBusy:
                if time.monotonic() >= last:
                    raise
                time.sleep(PATIENCE_S / 40)
            else:
                return

    def _update_all(self, mode: str, progress: Report, *, feed: bool) -> tuple[Tally, Listing]:
        """Check every file, and `feed` the vector table and the snapshot with what came of it."""
        facts = self._store.facts(self.namespace)
        same_form = self.is_current(facts)
        known = self._store.files(self.namespace)
        listed_at = now_ns()
        listing = walk(self.root, self.project.rules)
        todo = plan(known, listing.files, listing.skipped, distrust=not same_form)
        embedder = self._embedder() if mode != "fast" else None
        begun = {**self._form(), **facts, "root": str(self.root), "mode": mode, "complete": "no"}  # a form changes when all is done
        self._store.apply(Changes(self.namespace, space=embedder.space if embedder else None, facts=begun))
        update = Update(self.project, self._store, embedder, known, listing.files, listed_at, progress=progress)
        try:
            tally = update.run(todo, batch_files=self._batch_files, reuse=same_form)
            update.complete_embeddings(tally)
            if feed:
                self._feed(update, tally)
        except ClewError as fault:
            self._store.apply(Changes(self.namespace, facts={"last_error": fault.message}))
            raise
        space = {"space": embedder.space.fingerprint} if embedder else {}
        lack = {"complete": "no", "last_error": tally.fault} if tally.fault else {}
        self._store.apply(Changes(self.namespace, facts={**_ended(), **self._form(), **space, **lack}))
        self._forget_former_names()
        return tally, listing

    def follow(self) -> tuple[Tally, Listing]:
        """Take in what has changed, however long it takes; where nothing has, nothing is written.

        An index that was begun and never ended, or that another clew made, is brought up to date as a whole. Raises as `index` does.
        """
        facts = self._store.facts(self.namespace)
        if facts.get("complete") != "yes" or not self.is_current(facts):
            return self.index()
        listed_at = now_ns()
        listing = walk(self.root, self.project.rules)
        known = self._store.files(self.namespace)
        todo = plan(known, listing.files, listing.skipped)
        if not todo:
            return Tally(unchanged=todo.unchanged), listing
        embedder, lost = self._embedder_if_any()
        with ExitStack() as stack:
            self._become_writer(stack)
            tally = Update(self.project, self._store, embedder, known, listing.files, listed_at).run(todo, batch_files=self._batch_files)
            self._wrote = True
            self.finish()
        tally.warnings += lost
        return tally, listing

    def _form(self) -> dict[str, str]:
        """What the chunks of a file depend on besides the file."""
        return {"form": FORM, "visibility": self.project.visibility}

    def is_current(self, facts: Mapping[str, str]) -> bool:
        """Whether what the index holds of a file is what would be made of it now."""
        return all(facts.get(name, value) == value for name, value in self._form().items())

    def _forget_former_names(self) -> None:
        """A project has one namespace: what was kept of it under another name goes, its embeddings re-used by now."""
        for name in self._store.namespaces():
            if name != self.namespace and self._store.facts(name).get("root") == str(self.root):
                self._store.forget(name)

    def _feed(self, update: Update, tally: Tally) -> None:
        """Bring the store's legs up to the catalog; vectors that turn out to be lost there are made once more."""
        update.progress(Progress("storing", 0, 1))
        self._store.settle()
        if update.embedder and self._store.counts(self.namespace, update.embedder.space).unembedded:
            update.complete_embeddings(tally)
            self._store.settle()
        update.progress(Progress("storing", 1, 1))

    def _kept_mode(self) -> str:
        return self._store.facts(self.namespace).get("mode", "hybrid")

    # -- before a search --

    def freshen(self, progress: Report | None = None) -> Freshness:
        """Make the index, or check it against the disk and update it within the time budget."""
        if self._checked is not None and self._checked.holds(time.monotonic()):
            return self._checked.fresh
        self._checked = None
        facts = self._store.facts(self.namespace)
        if "complete" not in facts:
            return self._first_index(progress)
        begun = time.monotonic()
        listed_at = now_ns()
        listing = walk(self.root, self.project.rules)
        still = Stillness.of(self.root, listing)
        known = self._store.files(self.namespace)
        todo = plan(known, listing.files, listing.skipped)
        left = self._catch_up(todo, known, listing, listed_at, begun) if todo else Freshness()
        lack = self._lack(facts, finished=not left.stale)
        fresh = Freshness(bool(lack) or left.stale, (*listing.warnings, *filter(None, (lack,)), *left.warnings))
        if not fresh.stale:
            self._checked = Check(still, fresh, time.monotonic())
        return fresh

    def distrust(self) -> bool:
        """Something moved after the last check: look again at the next. Returns whether that check was still relied on."""
        relied, self._checked = self._checked is not None, None
        return relied

    def _lack(self, facts: Mapping[str, str], *, finished: bool) -> str:
        """What an index lacks that was begun and never ended, or made by another clew. When a search has `finished` it, nothing."""
        if not self.is_current(facts):
            return OUTDATED
        if facts["complete"] == "yes":
            return ""
        if not finished or self._store.read_only or self._store.counts(self.namespace, self.current_space()).unembedded:
            return UNFINISHED
        try:
            self._store.apply(Changes(self.namespace, facts=_ended()))
        except WriterBusy:
            return UNFINISHED
        return ""

    def _first_index(self, progress: Report | None) -> Freshness:
        if self._store.read_only:
            raise NoIndex(f"there is no index of {self.root} and none can be written", "set index_dir to a folder that can be written")
        if self.root in (Path.home(), Path(self.root.anchor)):
            raise NoIndex(f"{self.root} is not indexed, and is not indexed unasked", f"to index it all the same: clew index {self.root}")
        count = len(walk(self.root, self.project.rules).files)
        if count > ASK_FIRST_FILES:
            raise NoIndex(f"{self.root} holds {count} files and is not indexed yet", f"run: clew index {self.root}")
        try:
            with self._store.writer():
                tally, listing = self._update_all("hybrid", progress or _silent, feed=False)
                self._wrote = True
        except WriterBusy as busy:
            return Freshness(True, (f"the index is being made by {busy.owner or 'another process'}; this answer is partial",))
        return Freshness(not tally.complete, (*listing.warnings, *tally.warnings))

    def _catch_up(self, todo: Plan, known: dict[str, FileRecord], listing: Listing, listed_at: int, begun: float) -> Freshness:
        """Carry out a plan within the time budget, some files at least, and say what could not be finished."""
        if self._store.read_only:
            return Freshness(True, (f"the index cannot be written and {_files(todo)} changed since it was made",))
        budget = self._freshness_ms
        late = f"{_files(todo)} changed, more than fit in {budget} ms; run `clew index` to catch up"
        if budget == 0:
            return Freshness(True, (late,))
        loading = time.monotonic()
        embedder, lost = self._embedder_if_any()
        # What the model takes to load is not the files' fault, and a search by vectors loads it anyway.
        deadline = begun + budget / 1000 + time.monotonic() - loading if budget > 0 else math.inf
        update = Update(self.project, self._store, embedder, known, listing.files, listed_at, lambda: time.monotonic() > deadline)
        try:
            with self._store.writer():
                tally = update.run(todo, batch_files=FRESHEN_FILES)
                self._wrote = True
        except WriterBusy as busy:
            owner = busy.owner or "another process"
            return Freshness(True, (f"{owner} is writing the index; {_files(todo)} changed and may be answered from before",))
        if tally.complete:
            return Freshness(False, (*lost, *tally.warnings))
        return Freshness(True, (*lost, *tally.warnings, late))

    def _embedder_if_any(self) -> tuple[Embedder | None, tuple[str, ...]]:
        """What embeds changed files before a search; where it cannot be had, a warning, for their words are searched all the same."""
        if self._kept_mode() == "fast":
            return None, ()
        try:
            return self._embedder(), ()
        except ClewError as fault:
            return None, (f"changed files were not embedded: {fault.message} ({fault.hint})",)

    # -- what is there --

    def current_space(self) -> Space | None:
        """The space that the last index run filled; the primary one as long as none has ended."""
        spaces = self._store.spaces(self.namespace)
        last = self._store.facts(self.namespace).get("space")
        return next((space for space in spaces if space.fingerprint == last), spaces[0] if spaces else None)


def _ended() -> dict[str, str]:
    return {"complete": "yes", "indexed_at": str(now_ns() // 1_000_000_000), "last_error": ""}


def _silent(_: Progress) -> None:
    return None


def _files(todo: Plan) -> str:
    count = len(todo.suspects) + len(todo.deleted) + len(todo.skips)
    return f"{count} file{'s' if count != 1 else ''}"
