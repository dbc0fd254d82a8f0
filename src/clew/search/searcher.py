"""How is a question answered? Read it, choose a way, ask the legs, rank the files, show the best chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from clew.core.answer import Citation, Neighbour, Question, Ranked
from clew.core.chunk import Chunk
from clew.core.protocols import ChunkStore, Embedder
from clew.core.query import Leg, Scope
from clew.search.choosing import chunks_of
from clew.search.confidence import FEW_LINES, NO_CONFIDENCE, TOP, WEAK, Confidence, confidence_in, most_lines, stands_apart
from clew.search.fusion import (
    DISCOUNT_BESIDE_VECTORS,
    FILE_DISCOUNT,
    MOST_EARLY,
    Evidence,
    Scale,
    Scored,
    candidates,
    definers,
    in_order,
    lines_of_answer,
    only_what_is_named,
)
from clew.search.legs import Look
from clew.search.legs.keyword import Rarity, by_keywords, rarity_of
from clew.search.legs.messages import Said, by_messages
from clew.search.legs.names import by_names
from clew.search.legs.vector import REBUILD, Meanings, by_meaning
from clew.search.question import Query, read
from clew.search.relations import Sought
from clew.search.report_rules import REPORT_RULES
from clew.search.router import LARGEST, Route, route, sought_in
from clew.search.rules import RULES, Asked, Rule, reasons, ruled

if TYPE_CHECKING:
    from clew.search.linking import Told

WORDS_PER_EF, LARGE = 2, 10_000
"""Hits of the keyword leg for each unit of ef, as files are ranked by the sum of their best chunks: among more chunks than that, 1 loses .006 and
4 gains nothing. Among fewer 1 ranks the same (.0015 less, .001 more without vectors; each hit costs 5 microseconds). More than one of a vector gains nothing."""
REPORT_HITS_PER_EF = 3
"""Of every leg, for a report: its many words are met by many chunks, and the file to be fixed is often far down."""


@dataclass(frozen=True, slots=True)
class Found:
    """The ranked chunks for a question, how they were found, and what was missing. `reasons` explain the way that was taken; `withheld` counts
    what was found and is too weak to be shown; `pool` are the lines that a reranker may choose from, where they were asked for; `neighbours`
    are the definitions of the name that was asked about, and `more` says how all that hangs on it is seen, where that is more than what is shown; `synthesis`, `evidence`, `missing` and `steps` are what reading in mode deep came to."""

    ranked: tuple[Ranked, ...] = ()
    mode: str = "fast"
    confidence: Confidence = NO_CONFIDENCE
    warnings: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    gist: frozenset[str] = frozenset()
    withheld: int = 0
    neighbours: tuple[Neighbour, ...] = ()
    more: str = ""
    pool: tuple[Ranked, ...] = ()
    synthesis: str = ""
    evidence: tuple[Citation, ...] = ()
    missing: str = ""
    steps: tuple[str, ...] = ()


class Gathered(NamedTuple):
    """What the legs say of a question; `model` made the vectors that were searched."""

    asked: Asked
    evidence: Evidence
    model: str
    warnings: tuple[str, ...]


class Shortlist(NamedTuple):
    """The files that the legs found, best first, without their chunks (`choosing.chunks_of` has them), and how they were weighed."""

    files: tuple[Scored, ...]
    scale: Scale
    asked: Asked
    rules: tuple[Rule, ...]
    warnings: tuple[str, ...] = ()


class Searcher:
    """Answers questions from a store; `embedder` is called when a question first needs vectors, and may be None; the `fallbacks` are for when it cannot
    answer, and `rebuild` says how an index gets vectors of its."""

    def __init__(
        self,
        store: ChunkStore,
        embedder: Callable[[], Embedder] | None,
        rules: Sequence[Rule] = RULES,
        report_rules: Sequence[Rule] = REPORT_RULES,
        fallbacks: Sequence[Callable[[], Embedder]] = (),
        rebuild: Callable[[], str] = lambda: REBUILD,
    ) -> None:
        self._store = store
        self._embedders = (embedder, *fallbacks) if embedder is not None else ()
        self._rebuild = rebuild
        self._rules = tuple(rules)
        self._report_rules = tuple(report_rules)

    def sought(self, question: Question) -> Sought | None:
        """The relation of a name that the question asks for, which the graph has to tell."""
        return sought_in(read(question.text), question)

    def search(self, scope: Scope, question: Question, told: Told | None = None, pool: int = 0) -> Found:
        """The best chunks for the question, at most `question.limit`, each file's best before any file's second; first what is `told` of the
        relation that it asks for. Where something is found, `pool` lines are kept beside them for a reranker.

        Raises UsageError for an unknown mode; in mode semantic ModelMismatch or IndexUnusable where there are no vectors to search.
        Any other fault of a leg becomes a warning, and the other legs answer.
        """
        query = read(question.text)
        if query.shape == "nothing":
            return Found(mode=route(query, question).mode)
        rarity = rarity_of(self._store, scope, query)
        way = route(query, question, rarity.chunks)
        if way.sought and told is not None:
            return self._related(scope, question, query, rarity, way, told)
        found = self._answer(scope, question, query, rarity, way, pool)
        if way.escalates and self._embedders and found.confidence.level in ("none", "low"):
            reason = f"mode hybrid: fast was not confident ({found.confidence.level})"
            wider = self._answer(scope, question, query, rarity, Route("hybrid", way.ef, reasons=(*way.reasons, reason)), pool)
            return _with_the_word(wider, found, question.limit) if len(rarity.weights) == 1 else wider
        return found

    def _related(self, scope: Scope, question: Question, query: Query, rarity: Rarity, way: Route, told: Told) -> Found:
        """What is told of a relation; then what words and meaning find, unless the relation is all that was asked and is known for certain."""
        known = told.shown(self._store, scope, question.filters, question.limit)
        first = known.ranked
        if not first:
            nothing = f"mode {way.mode}: no such relation is known of {told.sought.target}"
            found = self._answer(scope, question, query, rarity, way._replace(reasons=(nothing, *way.reasons[1:])))
            return replace(found, neighbours=told.definitions(), warnings=(*told.warnings, *found.warnings))
        ends = told.is_sure and told.sought.alone and told.sought.relation != "definition"
        rest = Found() if ends or len(first) >= question.limit else self._answer(scope, question, query, rarity, way)
        ids, least = {one.chunk.id for one in first}, first[-1].score
        others = tuple(replace(one, score=min(one.score, least)) for one in rest.ranked if one.chunk.id not in ids)
        beside = (one for one in told.definitions() if not any(_shows(ranked.chunk, one) for ranked in first))
        return Found(
            ranked=(*first, *others)[: question.limit],
            mode="structural",
            confidence=Confidence(first[0].score),
            warnings=(*told.warnings, *(warning for warning in rest.warnings if warning != WEAK)),
            reasons=way.reasons,
            gist=query.gist,
            neighbours=(*beside, *known.also),
            more=f"{told.places} places in all: `{told.more}`" if known.also and told.more else "",
        )

    def shortlist(self, scope: Scope, question: Question) -> Shortlist:
        """Every file that a wide look of all legs finds, for whoever reads on from there."""
        query = read(question.text)
        rarity = rarity_of(self._store, scope, query)
        return self._in_order(self._gathered(scope, question, query, rarity, Route("hybrid", LARGEST)))

    def _answer(self, scope: Scope, question: Question, query: Query, rarity: Rarity, way: Route, pool: int = 0) -> Found:
        gathered = self._gathered(scope, question, query, rarity, way)
        ranked, confidence = self._ranked(scope, gathered, max(question.limit, pool))
        is_open = way.mode == "semantic" or query.shape == "report"  # few of a report's words count, none for a nearest neighbour
        most = question.limit if is_open else most_lines(confidence, question.limit)
        if not most and stands_apart(gathered.evidence):
            most = min(question.limit, FEW_LINES)
        shown = ranked[:most]
        weak = (WEAK,) if shown and not is_open and confidence.level == "low" else ()
        return Found(
            ranked=shown,
            mode=way.mode,
            confidence=confidence if shown else NO_CONFIDENCE,
            warnings=(*gathered.warnings, *weak),
            reasons=way.reasons,
            gist=query.gist,
            withheld=0 if shown else len(ranked[: max(question.limit, TOP)]),
            pool=ranked[:pool] if shown else (),
        )

    def _gathered(self, scope: Scope, question: Question, query: Query, rarity: Rarity, way: Route) -> Gathered:
        """What the legs say."""
        is_report = query.shape == "report"
        look = Look(scope, query, question.filters, way.ef * (REPORT_HITS_PER_EF if is_report else 1))
        wide = look._replace(limit=way.ef * WORDS_PER_EF) if not is_report and rarity.chunks > LARGE else look
        words = by_keywords(self._store, wide, rarity.weights) if way.mode != "semantic" else Leg()
        names = by_names(self._store, look)
        said = by_messages(self._store, look, rarity.weights) if query.messages else Said()
        meanings = self._meanings(look, way.mode)
        evidence = Evidence(words, meanings.leg, (*names.definitions, *said.definitions))
        asked = Asked.of(query, rarity.weights, definers(evidence.definitions), bool(evidence.meanings.hits))
        warnings = (*rarity.warnings, *words.warnings, *names.warnings, *said.warnings, *meanings.leg.warnings, *_said(meanings))
        return Gathered(asked, evidence, meanings.model, warnings)

    def _in_order(self, gathered: Gathered) -> Shortlist:
        """All files that were found, best first."""
        asked, evidence = gathered.asked, gathered.evidence
        scale = Scale.of(evidence, asked.query.is_bare)
        is_report = asked.query.shape == "report"
        rules = self._report_rules if is_report else self._rules
        found = candidates(evidence, scale, DISCOUNT_BESIDE_VECTORS if asked.has_meaning and not is_report else FILE_DISCOUNT)
        asked = asked.among(found)
        files = in_order(Scored(file, ruled(file, asked, rules)) for file in only_what_is_named(found, asked.query))
        return Shortlist(tuple(files), scale, asked, rules, gathered.warnings)

    def _ranked(self, scope: Scope, gathered: Gathered, limit: int) -> tuple[tuple[Ranked, ...], Confidence]:
        """The lines of the answer, the best one scored by the confidence in the answer and the others in proportion."""
        every, scale, asked, rules, _ = self._in_order(gathered)
        is_report = asked.query.shape == "report"
        most = max(limit, TOP)  # whoever asks for one line is told the same confidence as who asks for ten
        files = [file._replace(chunks=chunks_of(file.candidate, scale, asked)) for file in every[:most]]
        lines = lines_of_answer(files, most, 0 if is_report else MOST_EARLY)  # a report asks for files
        chunks = self._store.chunks(scope, [line.hit.key for line in lines])
        lines = [line for line in lines if line.hit.key in chunks]
        confidence = confidence_in(files, [chunks[line.hit.key].text for line in lines], gathered.evidence.meanings, gathered.model, asked)
        unit = confidence.chance / lines[0].score if lines and lines[0].score > 0 else 0.0
        ranked = []
        for line in lines:
            chunk = chunks[line.hit.key]
            why = (*reasons(line.file, asked, rules), *line.remarks)
            ranked.append(Ranked(chunk, round(line.score * unit, 4), why, wanted=_named_lines(asked.query, chunk)))
        return tuple(ranked), confidence

    def _meanings(self, look: Look, mode: str) -> Meanings:
        if mode == "fast":
            return Meanings()
        found = by_meaning(self._store, self._embedders, look, self._rebuild)
        if mode == "semantic" and found.fault:
            raise found.fault
        return found


def _with_the_word(wider: Found, found: Found, limit: int) -> Found:
    """An answer to a single word: where that stands in the code is in it, at the end at least, however far its meaning is from everything."""
    if not wider.ranked and found.ranked:
        return found
    best = found.ranked[0] if found.ranked else None
    if best is None or any(ranked.chunk == best.chunk for ranked in wider.ranked):
        return wider
    kept = wider.ranked[: max(limit - 1, 0)]
    last = replace(best, score=min(best.score, kept[-1].score if kept else best.score))
    return replace(wider, ranked=(*kept, last))


def _named_lines(query: Query, chunk: Chunk) -> tuple[int, ...]:
    """The lines of a chunk that the question names: by a place, or by the frames of a trace."""
    named = [*(query.places if query.has_line else ()), *((frame.path, frame.line) for frame in query.frames)]
    file = chunk.filepath.rpartition("/")[2]
    here = {line for path, line in named if path.rpartition("/")[2] == file and chunk.line_start <= line <= chunk.line_end}
    return tuple(sorted(here))


def _shows(chunk: Chunk, one: Neighbour) -> bool:
    """Whether a chunk is, or begins, this definition."""
    return (chunk.filepath, chunk.symbol_name) == (one.filepath, one.symbol_name)


def _said(meanings: Meanings) -> tuple[str, ...]:
    fault = meanings.fault
    if fault is None:
        return ()
    return (f"{fault.message} ({fault.hint})" if fault.hint else fault.message,)
