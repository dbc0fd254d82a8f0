"""How does everything outside reach clew? The engine: index, search, outline, read, status."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from clew.core.answer import Answer, IndexReport, Question, Skip, Status
from clew.core.catalog import Changes, FileRecord, Space
from clew.core.document import Definition
from clew.core.protocols import ChunkStore, Embedder
from clew.core.query import Scope
from clew.errors import ClewError, NoIndex, UsageError, WriterBusy
from clew.index.plan import Plan, plan
from clew.index.updater import BATCH_FILES, FORM, Progress, Project, Tally, Update, now_ns, skips_of
from clew.search.hints import hint_for
from clew.search.packing import pack
from clew.search.searcher import Searcher
from clew.search.showing import show
from clew.settings import Settings
from clew.sources.reading import read
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
ASK_FIRST_FILES = 50_000
"""A search does not start to index more than this by itself: minutes of work should be asked for."""

UNFINISHED = "the index is not complete: run `clew index`"
OUTDATED = "the index was made by another version of clew, or for another visibility: run `clew index`"
NO_RERANKER = "reranking was asked for and no reranker is configured: the order is the one of the search itself"

Report = Callable[[Progress], None]


class Store(ChunkStore, Protocol):
    """What an engine stands on: a ChunkStore with a writer's lock and a size on disk."""

    def writer(self) -> AbstractContextManager[object]:
        """Be the one writer until the block ends. Raises WriterBusy, naming who is."""
        ...

    def owner(self) -> str:
        """Who is writing now, in words; empty when nobody is."""
        ...

    def size_bytes(self) -> int:
        """What the store takes on disk."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether it can only be searched."""
        ...


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
        if len(self._still.listing.files) > MANY_FILES and now - self._looked < LOOK_AGAIN_S:
            return True
        self._looked = now
        return self._still.holds()


class Engine:
    """One project and its index. Made by `clew.open_engine`; close it, or use it as a context manager."""

    def __init__(
        self, project: Project, settings: Settings, store: Store, embedder: Callable[[], Embedder], batch_files: int = BATCH_FILES
    ) -> None:
        self.project = project
        self.settings = settings
        self._store = store
        self._embedder = embedder
        self._batch_files = batch_files
        self._searcher = Searcher(store, embedder)
        self._scope = Scope((project.namespace,))
        self._checked: Check | None = None
        self._wrote = False

    @property
    def root(self) -> Path:
        """The project's folder, links resolved."""
        return self.project.root

    @property
    def namespace(self) -> str:
        """The name under which the project's chunks are kept."""
        return self.project.namespace

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Give back the store's files and locks; vectors that searches have gathered by the thousand go to the vector table first."""
        try:
            if self._wrote and self._store.counts(self.namespace, self._current_space()).unsynced >= FEED_AT:
                self._store.settle()
        except WriterBusy:
            pass  # whoever writes now feeds the table
        finally:
            self._store.close()

    # -- index --

    def index(self, *, mode: str | None = None, rebuild: bool = False, progress: Report | None = None) -> IndexReport:
        """Bring the index up to date, every file checked; `mode` fast leaves out embeddings, `rebuild` starts from nothing.

        Raises WriterBusy when another process is writing, NoIndex when the index may not be written.
        """
        if mode not in (None, "fast", "hybrid"):
            raise UsageError(f"unknown index mode {mode!r}", "choose fast (keywords only) or hybrid (keywords and vectors)")
        started = time.monotonic()
        if self._store.read_only:
            raise NoIndex(f"the index of {self.root} cannot be written", "make the folder writable or set index_dir to another place")
        with self._store.writer():
            if rebuild:
                self._store.forget(self.namespace)
            tally, listing = self._update_all(mode or self._kept_mode(), progress or _silent, feed=True)
        return self._report(tally, listing, started)

    def _report(self, tally: Tally, listing: Listing, started: float) -> IndexReport:
        skipped = self._skips()
        return IndexReport(
            namespace=self.namespace,
            indexed=tally.indexed,
            unchanged=tally.unchanged,
            deleted=tally.deleted,
            skipped=skipped,
            chunks_added=tally.added,
            chunks_kept=self._store.counts(self.namespace).chunks - tally.added,
            chunks_deleted=tally.dropped,
            chunks_embedded=tally.embedded,
            warnings=(*listing.warnings, *tally.warnings),
            complete=tally.complete,
            seconds=round(time.monotonic() - started, 3),
        )

    def _update_all(self, mode: str, progress: Report, *, feed: bool) -> tuple[Tally, Listing]:
        """Check every file, and `feed` the vector table and the snapshot with what came of it."""
        facts = self._store.facts(self.namespace)
        same_form = self._is_current(facts)
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
        self._store.apply(Changes(self.namespace, facts={**_ended(), **self._form(), **space}))
        self._forget_former_names()
        return tally, listing

    def _form(self) -> dict[str, str]:
        """What the chunks of a file depend on besides the file."""
        return {"form": FORM, "visibility": self.project.visibility}

    def _is_current(self, facts: Mapping[str, str]) -> bool:
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

    # -- search --

    def search(self, question: Question, *, progress: Report | None = None) -> Answer:
        """Answer a question from an index that is checked first, within `freshness_ms`; where there is none, it is made.

        Raises UsageError for an empty question or unknown mode, NoIndex or IndexUnusable where nothing can be searched.
        """
        if not question.text.strip():
            raise UsageError("the question is empty", 'ask in words or with a name: clew search "where are users created"')
        fresh = self.freshen(progress)
        answer = self._answer(question, fresh)
        if self._checked is not None and any(result.from_index for result in answer.results):
            self._checked = None  # something moved after the check
            answer = self._answer(question, self.freshen(progress))
        return replace(answer, hint=hint_for(answer, question, self._left_out(answer)))

    def freshen(self, progress: Report | None = None) -> Freshness:
        """Make the index, or check it against the disk and update it within the time budget."""
        if self._checked is not None and self._checked.holds(time.monotonic()):
            return self._checked.fresh
        self._checked = None
        facts = self._store.facts(self.namespace)
        if "complete" not in facts:
            return self._first_index(progress)
        budget = self.settings.freshness_ms
        deadline = time.monotonic() + budget / 1000 if budget >= 0 else math.inf
        listed_at = now_ns()
        listing = walk(self.root, self.project.rules)
        still = Stillness.of(self.root, listing)
        known = self._store.files(self.namespace)
        todo = plan(known, listing.files, listing.skipped)
        left = self._catch_up(todo, known, listing, listed_at, deadline) if todo else Freshness()
        lack = self._lack(facts, finished=not left.stale)
        fresh = Freshness(bool(lack) or left.stale, (*listing.warnings, *filter(None, (lack,)), *left.warnings))
        if not fresh.stale:
            self._checked = Check(still, fresh, time.monotonic())
        return fresh

    def _lack(self, facts: Mapping[str, str], *, finished: bool) -> str:
        """What an index lacks that was begun and never ended, or made by another clew. When a search has `finished` it, nothing."""
        if not self._is_current(facts):
            return OUTDATED
        if facts["complete"] == "yes":
            return ""
        if not finished or self._store.read_only or self._store.counts(self.namespace, self._current_space()).unembedded:
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

    def _catch_up(self, todo: Plan, known: dict[str, FileRecord], listing: Listing, listed_at: int, deadline: float) -> Freshness:
        """Carry out a plan before the deadline, and say what could not be finished."""
        if self._store.read_only:
            return Freshness(True, (f"the index cannot be written and {_files(todo)} changed since it was made",))
        embedder, lost = self._embedder_if_any()
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
        late = f"{_files(todo)} changed, more than fit in {self.settings.freshness_ms} ms; run `clew index` to catch up"
        return Freshness(True, (*lost, *tally.warnings, late))

    def _embedder_if_any(self) -> tuple[Embedder | None, tuple[str, ...]]:
        """What embeds changed files before a search; where it cannot be had, a warning, for their words are searched all the same."""
        if self._kept_mode() == "fast":
            return None, ()
        try:
            return self._embedder(), ()
        except ClewError as fault:
            return None, (f"changed files were not embedded: {fault.message} ({fault.hint})",)

    def _answer(self, question: Question, fresh: Freshness) -> Answer:
        found = self._searcher.search(self._scope, question)
        records = self._store.files(self.namespace)
        results = tuple(show(self.root, ranked, records.get(ranked.chunk.filepath)) for ranked in found.ranked)
        packed, tokens = pack(results, question.max_tokens)
        return Answer(
            query=question.text,
            mode=found.mode,
            results=packed,
            confidence=found.confidence,
            warnings=tuple(dict.fromkeys((*fresh.warnings, *found.warnings, *([NO_RERANKER] if question.rerank else ())))),
            stale=fresh.stale,
            tokens=tokens,
            route=found.reasons,
        )

    def _left_out(self, answer: Answer) -> tuple[Skip, ...]:
        return () if answer.results else self._skips()

    # -- reading --

    def outline(self, filepath: str) -> tuple[Definition, ...]:
        """The definitions of a file, in order of lines; `filepath` is relative to the root. Raises UsageError when it is not indexed."""
        self.freshen()
        if filepath not in self._store.files(self.namespace):
            raise UsageError(
                f"{filepath} is not in the index", "paths are relative to the project's root; `clew status` lists what was left out"
            )
        return self._store.outline(self._scope, filepath)

    def read(self, filepath: str, line_start: int = 1, line_end: int | None = None) -> str:
        """Lines of a file as they stand on disk, 1-based and inclusive. Raises UsageError for a file that cannot be read."""
        reading = read(self.root, filepath, self.project.rules)
        if reading.document is None:
            raise UsageError(f"{filepath}: {reading.skipped}", "paths are relative to the project's root")
        return "\n".join(reading.document.lines[max(line_start, 1) - 1 : line_end])

    def status(self) -> Status:
        """What is indexed, what was left out and why, and by whom the index is being written."""
        facts = self._store.facts(self.namespace)
        if "complete" not in facts:
            raise NoIndex(f"there is no index of {self.root}", f"make one: clew index {self.root}")
        space = self._current_space()
        counts = self._store.counts(self.namespace, space)
        return Status(
            root=str(self.root),
            namespace=self.namespace,
            files=counts.files,
            skipped=self._skips(),
            notes=self._notes(),
            chunks=counts.chunks,
            chunks_unembedded=counts.unembedded if space else counts.chunks,
            complete=facts["complete"] == "yes",
            embedder=space.model if space else "",
            vector_dims=space.dims if space else 0,
            languages=counts.languages,
            bytes=self._store.size_bytes(),
            indexed_at=int(facts.get("indexed_at", "0")),
            last_error=facts.get("last_error", ""),
            writer=self._store.owner(),
            warnings=(*self.settings.warnings, *(() if self._is_current(facts) else (OUTDATED,))),
        )

    def _current_space(self) -> Space | None:
        """The space that the last index run filled; the primary one as long as none has ended."""
        spaces = self._store.spaces(self.namespace)
        last = self._store.facts(self.namespace).get("space")
        return next((space for space in spaces if space.fingerprint == last), spaces[0] if spaces else None)

    def _skips(self) -> tuple[Skip, ...]:
        return skips_of(self._store.files(self.namespace))

    def _notes(self) -> tuple[Skip, ...]:
        files = self._store.files(self.namespace)
        return tuple(Skip(path, record.note) for path, record in sorted(files.items()) if record.note and not record.skipped)


def _ended() -> dict[str, str]:
    return {"complete": "yes", "indexed_at": str(now_ns() // 1_000_000_000), "last_error": ""}


def _silent(_: Progress) -> None:
    return None


def _files(todo: Plan) -> str:
    count = len(todo.suspects) + len(todo.deleted) + len(todo.skips)
    return f"{count} file{'s' if count != 1 else ''}"
