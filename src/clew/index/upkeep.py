"""How is an index brought up to date? All of it when asked, or what a look at the disk found to have changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from typing import NamedTuple

from clew.core.catalog import Changes, FileRecord, Space
from clew.core.embedding import Cost, Estimate, cost_of, hurried
from clew.core.protocols import Store
from clew.errors import ClewError, NoIndex, UsageError, WriterBusy
from clew.index.models import FACT, Loaded, Models, filled
from clew.index.plan import Plan, plan
from clew.index.updater import BATCH_FILES, FORM, Progress, Project, Tally, Update, now_ns
from clew.settings import INDEX_MODES
from clew.sources.patience import Expired, never
from clew.sources.reading import read
from clew.sources.walking import Found, Listing, is_rule_file, one, walk

FEED_AT = 5_000
"""Chunks that searches leave to the next `clew index` at most: feeding the vector table costs 2.5 CPU seconds before the first row."""
PATIENCE_S = 1.0
"""A search that takes in some edits is done by then; another indexer is not, and is then named."""
UNFINISHED = "the index is not complete: run `clew index`"
DELETED = "the index was deleted while it was in use: it was made anew"
OUTDATED = "the index was made by another version of clew, or for another visibility: run `clew index`"

Report = Callable[[Progress], None]


class Look(NamedTuple):
    """What a walk found, what was known before, and what is to be done about the difference."""

    listing: Listing
    known: dict[str, FileRecord]
    plan: Plan
    listed_at_ns: int


class Upkeep:
    """Keeps the index of one project current."""

    def __init__(self, project: Project, store: Store, models: Models, batch_files: int = BATCH_FILES) -> None:
        self.root = project.root
        self.namespace = project.namespace
        self.project = project
        self._store = store
        self._models = models
        self._batch_files = batch_files
        self._wrote = False

    def finish(self) -> None:
        """Hand vectors that searches have gathered by the thousand over to the vector table; whoever writes at the moment does it else."""
        wrote, self._wrote = self._wrote, False
        try:
            if wrote and self._store.counts(self.namespace, self.current_space()).unsynced >= FEED_AT:
                self._store.settle()
        except WriterBusy:
            return

    # -- all of it --

    def index(
        self, *, mode: str | None = None, rebuild: bool = False, progress: Report | None = None, feed: bool = True
    ) -> tuple[Tally, Listing]:
        """Check every file; `mode` None keeps the one of before. Without `feed` fewer than FEED_AT vectors are left where they are.

        Raises UsageError, NoIndex where nothing may be written, WriterBusy, and what `progress` raises, between two commits.
        """
        if mode not in (None, *INDEX_MODES):
            raise UsageError(f"unknown index mode {mode!r}", "choose fast (keywords only) or hybrid (keywords and vectors)")
        if self._store.read_only:
            raise NoIndex(
                f"the index of {self.root} cannot be written",
                "free some disk space, make the folder writable or set index_dir to another place",
            )
        self._store.renewed()
        with ExitStack() as stack:
            self._become_writer(stack)
            done = self._update_all(mode or ("hybrid" if rebuild else self._kept_mode()), progress or _silent, feed=feed, anew=rebuild)
            self._wrote = True
            if not feed:
                self.finish()
            return done

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

    def _update_all(self, mode: str, progress: Report, *, feed: bool, anew: bool = False) -> tuple[Tally, Listing]:
        """Check every file, and `feed` the vector table and the snapshot with what came of it; `anew` from nothing, while others see the old index."""
        try:
            if anew:
                with self._store.at_once():
                    self._store.forget(self.namespace)
                    update, tally, listing = self._read_all(mode, progress)
                    self._end(update, tally)
            else:
                update, tally, listing = self._read_all(mode, progress)
            if feed:
                self._feed(update, tally)
        except ClewError as fault:
            if "complete" in self._store.facts(self.namespace):
                self._store.apply(Changes(self.namespace, facts={"last_error": fault.message}))
            raise
        self._end(update, tally)
        self._forget_former_names()
        return tally, listing

    def _read_all(self, mode: str, progress: Report) -> tuple[Update, Tally, Listing]:
        """Take in what has changed, or was made by another clew, and embed what is not."""
        facts = self._store.facts(self.namespace)
        same_form = self.is_current(facts)
        known = self._store.files(self.namespace)
        listed_at = now_ns()
        listing = self._walked()
        todo = plan(known, listing.files, listing.skipped, distrust=not same_form)
        loaded = self._models.loaded(strict=True) if mode != "fast" else Loaded()
        embedder = loaded.first
        begun = {**self._form(), **facts, "root": str(self.root), "mode": mode, "complete": "no"}  # a form changes when all is done
        self._store.apply(Changes(self.namespace, space=embedder.space if embedder else None, facts=begun))
        for fallback in loaded.others:
            self._store.apply(Changes(self.namespace, space=fallback.space))
        update = Update(self.project, self._store, embedder, known, listing.files, listed_at, progress=progress, fallbacks=loaded.others)
        tally = update.run(todo, batch_files=self._batch_files, reuse=same_form)
        if mode != "fast":
            self._store.apply(Changes(self.namespace, facts={FACT: self._models.noted(loaded, facts)}))
        if mode != "fast" and embedder is None:
            tally.fault = loaded.warnings[0]
        tally.warnings += loaded.warnings
        update.complete_embeddings(tally)
        return update, tally, listing

    def _end(self, update: Update, tally: Tally) -> None:
        """Note that the index is complete, or what it lacks."""
        update.note_lengths(tally)
        space = {"space": update.embedder.space.fingerprint} if update.embedder else {}
        lack = {"complete": "no", "last_error": tally.fault} if tally.fault else {}
        self._store.apply(Changes(self.namespace, facts={**_ended(), **self._form(), **space, **lack}))

    def estimate(self) -> Estimate:
        """What the next `index` would embed, and what that takes; nothing is written. Raises as `index` does for a wrong model."""
        embedder = self._models.first()
        facts = self._store.facts(self.namespace)
        known = self._store.files(self.namespace)
        listing = self._walked()
        todo = plan(known, listing.files, listing.skipped, distrust=not self.is_current(facts))
        update = Update(self.project, self._store, embedder, known, listing.files, now_ns())
        costs = [cost_of(embedder, texts) for texts in update.unknown_texts(todo)]
        dollars = None if any(one.dollars is None for one in costs) else sum(one.dollars or 0 for one in costs)
        whole = Cost(sum(one.texts for one in costs), sum(one.tokens for one in costs), dollars)
        return Estimate(embedder.space.model, len(todo.suspects), self._store.counts(self.namespace, embedder.space).unembedded, whole)

    def follow(self) -> tuple[Tally, Listing]:
        """Take in what has changed, however long it takes; where nothing has, nothing is written.

        An index that was begun and never ended, or that another clew made, is brought up to date as a whole. Raises as `index` does.
        """
        renewed = self._store.renewed()
        facts = self._store.facts(self.namespace)
        if facts.get("complete") != "yes" or not self.is_current(facts):
            tally, listing = self.index()
            tally.warnings[:0] = (DELETED,) if renewed else ()
            return tally, listing
        look = self.look()
        if not look.plan:
            return Tally(unchanged=look.plan.unchanged), look.listing
        with ExitStack() as stack:
            self._become_writer(stack)
            tally = self.catch_up(look)
            self.finish()
        return tally, look.listing

    def _form(self) -> dict[str, str]:
        """What the chunks of a file depend on besides the file."""
        return {"form": FORM, "visibility": self.project.visibility}

    def is_current(self, facts: Mapping[str, str]) -> bool:
        """Whether what the index holds of a file is what would be made of it now."""
        return all(facts.get(name, value) == value for name, value in self._form().items())

    def _forget_former_names(self) -> None:
        """A project has one namespace: what was kept of it under another name goes, its embeddings re-used by now. In a store that others share, a root
        like this one's may be that of another machine."""
        for name in () if self._store.is_shared else self._store.namespaces():
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

    def first(self, progress: Report | None = None) -> tuple[Tally, Listing]:
        """Make the index for a question: without feeding the vector table, which the next `index` does. Raises as `index` does."""
        with self._store.writer():
            self._wrote = True
            return self._update_all("hybrid", progress or _silent, feed=False)

    def catch_up(
        self, look: Look, expired: Callable[[], bool] = lambda: False, *, batch_files: int | None = None, somebody_waits: bool = False
    ) -> Tally:
        """Take in what a look found, by steps, one at least, until the time has `expired`; where `somebody_waits`, no model is waited for longer than
        seconds. Raises WriterBusy."""
        loaded = self.kept_models()
        first = hurried(loaded.first) if loaded.first is not None and somebody_waits else loaded.first
        update = Update(
            self.project, self._store, first, look.known, look.listing.files, look.listed_at_ns, expired, fallbacks=loaded.others
        )
        with self._store.writer():
            self._wrote = True
            tally = update.run(look.plan, batch_files=batch_files or self._batch_files)
        tally.warnings[:0] = loaded.warnings
        return tally

    def look(self, expired: Expired = never) -> Look:
        """Compare what is known with what is there. Raises OutOfTime in a large project once the time has `expired`."""
        listed_at = now_ns()
        listing = self._walked(expired)
        known = self._store.files(self.namespace)
        return Look(listing, known, plan(known, listing.files, listing.skipped), listed_at)

    def _walked(self, expired: Expired = never) -> Listing:
        """The project's files. A root that is gone has none, but that is no reason to forget them: it was moved, or will be back."""
        listing = walk(self.root, self.project.rules, expired)
        if not self.root.is_dir():
            raise NoIndex(f"the folder {self.root} is gone", "give the project's folder where it is now")
        return listing

    def look_at(self, touched: Collection[str], appeared: Collection[str]) -> Look | None:
        """Compare some files alone; None where that does not tell all: a file that may be new, one that is left out, a rule that changed."""
        listed_at = now_ns()
        names = {*touched, *appeared}
        known = self._store.files(self.namespace, names)
        found: dict[str, Found] = {}
        for path in names:
            seen = one(self.root, path, self.project.rules)
            if path not in known and (seen is None or path not in appeared):
                continue
            if path not in known or known[path].skipped or isinstance(seen, str) or is_rule_file(path):
                return None
            if seen is not None:
                found[path] = seen
        return Look(Listing(found), known, plan(known, found), listed_at)

    def behind(self) -> int:
        """How many files differ from what the index knows of them; one that was written just when it was read is read once more."""
        look = self.look()
        todo = look.plan
        same = (path for path in todo.suspects if (known := look.known.get(path)) and not known.mtime_ns and self._is_as_known(known))
        return len(todo.suspects) - sum(1 for _ in same) + len(todo.deleted) + len(todo.skips)

    def changed(self, look: Look, expired: Expired) -> int:
        """How many files a look found that are not as the index knows them; those that were only touched do not count, as far as there is time to read them."""
        count = len(look.plan.deleted) + len(look.plan.skips)
        for read_so_far, path in enumerate(look.plan.suspects):
            if expired():
                return count + len(look.plan.suspects) - read_so_far
            count += path not in look.known or not self._is_as_known(look.known[path])
        return count

    def _is_as_known(self, known: FileRecord) -> bool:
        reading = read(self.root, known.filepath, self.project.rules)
        return (reading.checksum, reading.skipped) == (known.checksum, known.skipped)

    def kept_models(self) -> Loaded:
        """What embeds changed files, in the mode that the index was made in: models whose vectors it has. What cannot be had is a warning: words are
        searched all the same."""
        if self._kept_mode() == "fast":
            return Loaded()
        return self._models.loaded(strict=False).only(self._store.spaces(self.namespace))

    def complete(self, facts: Mapping[str, str], *, finished: bool) -> str:
        """What an index lacks that was begun and never ended, or made by another clew. When a search has `finished` it, nothing."""
        if not self.is_current(facts):
            return OUTDATED
        if facts.get("complete") == "yes":
            return ""
        if not finished or self._store.read_only or self._store.counts(self.namespace, self.current_space()).unembedded:
            return UNFINISHED
        try:
            self._store.apply(Changes(self.namespace, facts=_ended()))
        except WriterBusy:
            return UNFINISHED
        return ""

    def thin(self) -> tuple[str, ...]:
        """Forget vectors of models that were used before; returns their names. Raises NoIndex where nothing is indexed, WriterBusy."""
        if "complete" not in self._store.facts(self.namespace):
            raise NoIndex(f"there is no index of {self.root}", f"make one: clew index {self.root}")
        current = self.current_space()
        with ExitStack() as stack:
            self._become_writer(stack)
            fallbacks = filled(self._store.facts(self.namespace)).values()
            return self._store.thin(self.namespace, {*([current.fingerprint] if current else ()), *fallbacks})

    # -- what is there --

    def fallback_spaces(self) -> tuple[Space, ...]:
        """The spaces that the last index run filled beside the current one."""
        kept, current = filled(self._store.facts(self.namespace)).values(), self.current_space()
        return tuple(space for space in self._store.spaces(self.namespace) if space.fingerprint in kept and space != current)

    def current_space(self) -> Space | None:
        """The space that the last index run filled; the primary one as long as none has ended."""
        spaces = self._store.spaces(self.namespace)
        last = self._store.facts(self.namespace).get("space")
        return next((space for space in spaces if space.fingerprint == last), spaces[0] if spaces else None)


def _ended() -> dict[str, str]:
    return {"complete": "yes", "indexed_at": str(now_ns() // 1_000_000_000), "last_error": ""}


def _silent(_: Progress) -> None:
    return None
