"""How does everything outside reach clew? The engine: index, search, outline, read, status."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from clew.core.answer import Answer, IndexReport, Options, Question, Remembered, Result, Skip, Status, Summarised, Thinned
from clew.core.document import Definition
from clew.core.protocols import Embedder, Store
from clew.core.query import Scope
from clew.errors import UsageError, not_indexed
from clew.index.checking import Freshness
from clew.index.following import Followed, follow
from clew.index.freshening import Freshening
from clew.index.models import Fallback, Models
from clew.index.reporting import state_of
from clew.index.updater import BATCH_FILES, Project, reported, skips_of
from clew.index.upkeep import Report, Upkeep
from clew.search.beside import TablesBeside, with_tables
from clew.search.confidence import WEAK, Confidence
from clew.search.hints import hint_for
from clew.search.legs.spaces import rebuilding
from clew.search.packing import pack
from clew.search.reranking import Reranking, reranked
from clew.search.searcher import Searcher
from clew.search.showing import show
from clew.search.tiers import TIERS, Ground, answered, no_language, to_written, written
from clew.settings import MOST_SUMMARY_TOKENS, Settings, limit_of, may_go_deep, may_read
from clew.sources.reading import read
from clew.sources.walking import walk

if TYPE_CHECKING:
    from clew.core.answer import Neighbour, Written
    from clew.core.catalog import FileRecord
    from clew.core.embedding import Estimate
    from clew.core.graph import Connections, Impact, Importers, ProjectMap, Related
    from clew.core.language import LanguageModel
    from clew.index.summarising import KeptSummaries
    from clew.search.linking import Told
    from clew.search.mounted import Elsewhere
    from clew.search.navigation import Navigator
    from clew.search.searcher import Found


class Engine:
    """One project and its index. Made by `clew.open_engine`; close it, or use it as a context manager."""

    def __init__(
        self,
        project: Project,
        settings: Settings,
        store: Store,
        embedder: Callable[[], Embedder],
        batch_files: int = BATCH_FILES,
        tables: TablesBeside | None = None,
        language: Callable[[], LanguageModel] | None = None,
        elsewhere: Elsewhere | None = None,
        summaries: KeptSummaries | None = None,
        fallbacks: Sequence[Fallback] = (),
        reranking: Reranking | None = None,
        remembered: Callable[[], Remembered] = Remembered,
    ) -> None:
        self.project = project
        self.settings = settings
        self._store = store
        self._upkeep = Upkeep(project, store, Models(embedder, tuple(fallbacks)), batch_files)
        self._freshening = Freshening(self._upkeep, store, settings.freshness_ms)
        self._searcher = Searcher(
            store, embedder, fallbacks=[one.load for one in fallbacks], rebuild=lambda: rebuilding(project.root, settings)
        )
        self._reranking = reranking
        self._remembered = remembered
        self._scope = Scope((project.namespace,))
        self._tables = tables
        self._language = language
        self._summaries = summaries
        self._elsewhere = elsewhere

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
            self._freshening.close()
            self._upkeep.finish()
        finally:
            for beside in (self._tables, self._elsewhere):
                if beside is not None:
                    beside.close()
            self._store.close()

    # -- index --

    def index(self, *, mode: str | None = None, rebuild: bool = False, progress: Report | None = None, feed: bool = True) -> IndexReport:
        """Bring the index up to date, every file checked; `mode` fast leaves out embeddings, `rebuild` starts from nothing, without `feed` the
        vector table is left as it is unless thousands of vectors wait. What `progress` raises ends the run between two commits.

        Raises WriterBusy when another process is writing, NoIndex when the index may not be written, UsageError for an unknown mode.
        """
        started = time.monotonic()
        tally, listing = self._upkeep.index(mode="hybrid" if mode == "standard" else mode, rebuild=rebuild, progress=progress, feed=feed)
        chunks, seconds = self._store.counts(self.namespace).chunks, time.monotonic() - started
        report = reported(self.namespace, tally, listing, self._skips(), chunks, seconds)
        return replace(report, summaries=self.summarise(progress=progress)) if mode == "standard" else report

    def summarise(self, *, most_tokens: int = MOST_SUMMARY_TOKENS, plan: bool = False, progress: Report | None = None) -> Summarised:
        """Have the language model describe each file and folder of the index in a sentence, where what it holds is not described yet; `plan` only counts.

        Raises UsageError where no model is set, nothing for what a model does.
        """
        from clew.index.summarising import described  # pydantic

        model = (self._language or no_language)()
        if not self._summaries:
            return Summarised()
        return described(self._store, self._scope, model, self._summaries, most_tokens, progress, plan=plan)

    def estimate(self) -> Estimate:
        """What the next `index` would embed, and what that takes, without doing it."""
        return self._upkeep.estimate()

    def is_complete(self) -> bool:
        """Whether there is an index, and it was made to the end."""
        return self._store.facts(self.namespace).get("complete") == "yes"

    def refuse_unasked(self) -> None:
        """Raise NoIndex, saying what to do, where a question would have to make an index that should be asked for first, or that cannot be made."""
        self._freshening.refuse_unasked()

    def follow(self, stop: Event, report: Callable[[Followed], None]) -> None:
        """Keep the index current until `stop` is set, noticing changes as they happen; `report` is told what each look took in.

        Meant for a thread or a process of its own: it returns when `stop` is set. Raises NoIndex when the index may not be written,
        KeyboardInterrupt for a SIGINT that arrives while it waits.
        """
        follow(self._upkeep, stop, report)

    def gc(self) -> Thinned:
        """Make the index as small as it gets: vectors of models used before, unused pages and old versions go. Raises NoIndex where there is none or
        it may not be written, WriterBusy when another process is writing."""
        before = self._store.size_bytes()
        forgotten = self._upkeep.thin()
        return Thinned(before, self._store.size_bytes(), forgotten)

    # -- search --

    def question(self, text: str) -> Question:
        """The text asked as the project's settings say (`mode`, `limit`, `max_tokens`); `dataclasses.replace` changes what is to be otherwise."""
        return Question(text, mode=self.settings.mode, limit=self.settings.limit, max_tokens=self.settings.max_tokens)

    def search(
        self, question: Question | str, *, progress: Report | None = None, language: LanguageModel | None = None, **options: Unpack[Options]
    ) -> Answer:
        """Answer a question from an index that is checked first, within `freshness_ms`; where there is none, it is made. A mode that reads asks this
        `language` model in place of the one that is set.

        A plain text is asked as the project's settings say, but for the `options` that are given (`mode="fast", limit=5`). Raises UsageError for an empty question or unknown mode, NoIndex or IndexUnusable where nothing can be searched.
        """
        question = replace(self.question(question) if isinstance(question, str) else question, **options)
        if not question.text.strip():
            raise UsageError("the question is empty", 'ask in words or with a name: clew search "where are users created"')
        if question.namespaces:
            from clew.search.mounted import check  # another store, which few questions look into

            check(question.namespaces, self.namespace, self._elsewhere)
        answer = self._answer(question, self._freshening.fresh(progress), language)
        changed = any(result.from_index and not result.mounted for result in answer.results) and not self._asks_model(question)
        if changed and self._freshening.distrust():
            answer = self._answer(question, self._freshening.fresh(progress))
        return replace(answer, hint=hint_for(answer, question, self._left_out(answer), is_empty=self._is_empty(answer)))

    def ask(self, text: str, *, step: Callable[[str], None] | None = None, language: LanguageModel | None = None) -> Written:
        """Have a language model (this one in place of the one that is set) read for a question as mode deep does, and write the answer, each sentence with
        its evidence. `step` is told each move.

        Raises UsageError for an empty question, NoIndex or IndexUnusable where nothing can be read; where no model can be asked, `results` answer.
        """
        if not text.strip():
            raise UsageError("the question is empty", 'ask in words: clew ask "how does a request get authenticated"')
        fresh = self._freshening.fresh()
        question = replace(self.question(text), mode="deep")
        found = written(self._lent(language), question, step)
        return to_written(text, found, self._shown(found, self._records(found)), fresh)

    def _records(self, found: Found) -> dict[str, FileRecord]:
        return self._store.files(self.namespace, {ranked.chunk.filepath for ranked in (*found.ranked, *found.pool)})

    def _shown(self, found: Found, records: dict[str, FileRecord]) -> tuple[Result, ...]:
        return tuple(show(self.root, ranked, records.get(ranked.chunk.filepath)) for ranked in found.ranked)

    def _answer(self, question: Question, fresh: Freshness, language: LanguageModel | None = None) -> Answer:
        borrowed = self._elsewhere.search(question) if self._elsewhere is not None else None
        known = self._told(question)
        read = self._read(question, known, language)
        with self._store.moment():
            pool = self._reranking.pool_for(question) if self._reranking is not None else 0
            found = read or self._searcher.search(self._scope_of(question), question, known, pool)
            records = self._records(found)
        found = reranked(self._reranking, question, found)  # outside of the moment: others do not wait for a model
        with self._store.moment():
            beside = self._beside(question, found)
        results = self._shown(found, records)
        results, missing = with_tables(self._tables if self._scope_of(question).namespaces else None, question, found.mode, results)
        confidence = found.confidence if found.ranked or not results else Confidence(results[0].score)
        if borrowed is not None:
            results, confidence = borrowed.beside(results, confidence, question.limit)
            missing = (*missing, *borrowed.warnings)
        said = found.warnings if confidence.level == "low" else tuple(warning for warning in found.warnings if warning != WEAK)
        packed = pack(results, question.max_tokens, found.gist, neighbours=beside)
        return Answer(
            query=question.text,
            mode=found.mode,
            results=packed.results,
            confidence=confidence.level,
            confidence_score=confidence.chance,
            warnings=tuple(dict.fromkeys((*fresh.warnings, *said, *missing))),
            stale=fresh.stale,
            route=found.reasons,
            gist=found.gist,
            withheld=found.withheld,
            neighbours=packed.neighbours,
            more=found.more if question.around or packed.neighbours != beside else "",
            synthesis=found.synthesis,
            evidence=found.evidence,
            missing=found.missing,
            count=lambda: packed.tokens,
        )

    def _read(self, question: Question, known: Told | None, language: LanguageModel | None) -> Found | None:
        """What a language model makes of it, where the mode asks for one, or is auto and may."""
        if not self._asks_model(question) or not self._scope_of(question).namespaces:
            return None
        return answered(self._lent(language), question, known)

    def _lent(self, language: LanguageModel | None) -> Ground:
        return replace(self._ground, language=lambda: language) if language else self._ground

    def _asks_model(self, question: Question) -> bool:
        return question.mode in TIERS or (question.mode == "auto" and may_read(self.settings, self.root))

    def _scope_of(self, question: Question) -> Scope:
        """The project's own namespace, unless the question is about others alone."""
        return self._scope if not question.namespaces or self.namespace in question.namespaces else Scope(())

    def _told(self, question: Question) -> Told | None:
        """What is known of the relation that is asked for. It is looked up before the moment of the search: the graph reads files, and others do not wait for that."""
        sought = self._searcher.sought(question)
        if sought is None:
            return None
        from clew.search.linking import told  # what it knows of the graph takes longer to load than most questions to answer

        return told(self._store, self._scope, sought, lambda: self._navigator)

    def _beside(self, question: Question, found: Found) -> tuple[Neighbour, ...]:
        """The definitions to be read beside an answer, where it has a budget that says what they may cost."""
        if found.mode == "structural" or not (question.max_tokens or question.around):
            return found.neighbours
        from clew.search.neighbours import neighbours  # rules of languages, which no other search needs

        return (*found.neighbours, *neighbours(self._store, self._scope, found.ranked, found.gist))

    def _left_out(self, answer: Answer) -> tuple[Skip, ...]:
        return () if answer.results else self._skips()

    def _is_empty(self, answer: Answer) -> bool:
        return not answer.results and not self._store.counts(self.namespace).files

    # -- structure --

    def symbol(self, name: str) -> Connections:
        """The definitions of a name: `name`, `Type.name`, `path:name`; where there is none, names much like it."""
        return self._navigator.symbol(name)

    def callers(self, name: str, depth: int = 1) -> Connections:
        """Who calls what this name means, and who calls those, so many levels deep. Raises UsageError for a depth out of range."""
        return self._navigator.callers(name, depth)

    def callees(self, name: str) -> Connections:
        """What the definitions of this name call, as far as it belongs to the project."""
        return self._navigator.callees(name)

    def importers(self, filepath: str) -> Importers:
        """The files that import a file; `filepath` is relative to the root. Raises UsageError when it is not indexed."""
        return self._navigator.importers(filepath)

    def impact(self, name: str) -> Impact:
        """What to look at before what a name means is changed: callers, tests, what overrides it, importers of its files."""
        return self._navigator.impact(name)

    def related(self, filepath: str, line: int) -> Related:
        """What belongs to a line of a file: its definition, what that calls, who calls it. Raises UsageError when the file is not indexed."""
        return self._navigator.related(filepath, line)

    def map(self, folder: str = "") -> ProjectMap:
        """The project, or a folder of it, on one page: its folders, and the files that others use most with their main definitions."""
        return self._navigator.map(folder)

    @cached_property
    def _navigator(self) -> Navigator:
        from clew.search.navigation import Navigator  # the graph takes as long to load as a search takes to answer, which needs none of it

        source = partial(read, self.root, rules=self.project.rules)
        return Navigator(self.root.name, source, self._store, self._scope, self._freshening.fresh)

    @cached_property
    def _ground(self) -> Ground:
        return Ground(
            self.root,
            self.project.rules,
            self._store,
            self._scope,
            self._searcher,
            lambda: self._navigator,
            self._language or no_language,
            float(limit_of(self.settings, "llm_seconds")),
            lambda: self._summaries.of(self.namespace) if self._summaries else {},
            limit_of(self.settings, "deep_rounds"),
            limit_of(self.settings, "deep_tokens"),
            may_go_deep(self.settings),
        )

    # -- reading --

    def files(self) -> tuple[str, ...]:
        """The paths of all indexed files, in order, relative to the root, after a look at the disk."""
        self._freshening.fresh()
        return tuple(sorted(path for path, record in self._store.files(self.namespace).items() if not record.skipped))

    def belongs(self, filepath: str) -> bool:
        """Whether a file is one that the index holds or will hold: not what is ignored, left out (as what may hold secrets is), or elsewhere."""
        record = self._store.files(self.namespace).get(filepath)
        return not record.skipped if record else filepath in walk(self.root, self.project.rules).files

    def outline(self, filepath: str) -> tuple[Definition, ...]:
        """The definitions of a file, in order of lines; `filepath` is relative to the root. Raises UsageError when it is not indexed."""
        self._freshening.fresh()
        if filepath not in self._store.files(self.namespace, (filepath,)):
            raise not_indexed(filepath)
        return self._store.outline(self._scope, filepath)

    def outlines(self, folder: str = "") -> dict[str, tuple[Definition, ...]]:
        """The definitions of each file in a folder and below (of all files without one), by path in order."""
        self._freshening.fresh()
        with self._store.moment():
            defined = {path: definitions for path, definitions, _ in self._store.outlines(self._scope)}
            records = self._store.files(self.namespace)
        inside = f"{folder.strip('/')}/" if folder.strip("/") else ""
        return {path: defined.get(path, ()) for path, one in sorted(records.items()) if not one.skipped and path.startswith(inside)}

    def read(self, filepath: str, line_start: int = 1, line_end: int | None = None) -> str:
        """Lines of a file as they stand on disk, 1-based and inclusive. Raises UsageError for a file that cannot be read."""
        reading = read(self.root, filepath, self.project.rules)
        if reading.document is None:
            raise UsageError(f"{filepath}: {reading.skipped}", "paths are relative to the project's root")
        return "\n".join(reading.document.lines[max(line_start, 1) - 1 : line_end])

    def status(self) -> Status:
        """What is indexed, what was left out and why, how the index stands to the disk, and by whom it is being written."""
        return state_of(self._upkeep, self._store, self.settings.warnings, self._remembered())

    def remembered(self) -> Remembered:
        """How often the vector of a question was known already."""
        return self._remembered()

    def _skips(self) -> tuple[Skip, ...]:
        return skips_of(self._store.files(self.namespace))
