"""How does mode deep answer, and `clew ask`? With what a language model found by reading, checked; where it found nothing, as plain search answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.core.answer import Citation, Question, Ranked
from clew.core.query import Filters
from clew.errors import ClewError
from clew.search.confidence import UNLIKELY, WEAK, Confidence
from clew.search.deep.desk import Desk
from clew.search.deep.reading import Step, allowance_for, read_for, unheard

if TYPE_CHECKING:
    from clew.core.language import Allowance
    from clew.search.searcher import Found
    from clew.search.tiers import Ground

KEPT = 10
SHOWN_LINES = 12
"""Lines of evidence that a result shows."""


def deep(
    ground: Ground, question: Question, step: Step = unheard, *, known: Found | None = None, allowance: Allowance | None = None
) -> Found:
    """The evidence first, then what mode hybrid finds, or what is `known`, where reading then begins; how it came about is the last of the reasons of
    that, and the first one otherwise. Never raises for what a model does: a warning says what is missing."""
    found = known or ground.plain(replace(question, mode="hybrid", limit=max(question.limit, KEPT)))
    found = replace(found, mode="deep", reasons=found.reasons if known else found.reasons[1:])
    try:
        model = ground.language()
    except ClewError as fault:
        reason = f"answered as mode hybrid answers: {fault.message}" + (f" ({fault.hint})" if fault.hint else "")
        return replace(found, ranked=found.ranked[: question.limit], warnings=(*found.warnings, reason))
    allowance = allowance or allowance_for(ground)
    reading = read_for(ground, question, found, model, allowance, step)
    text, evidence, warnings = reading.result(Desk(ground))
    spent = allowance.spent
    story = f"mode deep: {model.name} made {len(reading.steps)} moves ({spent.requests} calls, {spent.input_tokens} tokens read, {spent.output_tokens} written)"
    weak = tuple(warning for warning in found.warnings if warning != WEAK or not evidence)
    ranked = (*_as_results(ground, evidence, found), *found.ranked)
    if not evidence:
        warnings = (*warnings, "nothing was found by reading: these are the results of plain search")
    return replace(
        found,
        ranked=tuple(_once(ranked))[: question.limit],
        confidence=found.confidence if found.ranked or not evidence else Confidence(UNLIKELY),
        withheld=0 if evidence else found.withheld,
        warnings=(*weak, *warnings),
        reasons=(*found.reasons, story) if known else (story, *found.reasons),
        synthesis=text,
        evidence=evidence,
        missing=reading.missing,
        steps=tuple(reading.steps),
    )


def _as_results(ground: Ground, evidence: Sequence[Citation], found: Found) -> Iterator[Ranked]:
    """The chunks that hold the evidence, as sure as the answer is, with the lines that it names."""
    best = found.ranked[0].score if found.ranked else UNLIKELY
    with ground.store.moment():
        for one in evidence:
            hits = [hit for hit in ground.store.at(ground.scope, one.filepath, one.line_start, Filters()) if hit.filepath == one.filepath]
            chunks = ground.store.chunks(ground.scope, [hit.key for hit in hits])
            for chunk in chunks.values():
                last = min(one.line_end, chunk.line_end, max(one.line_start, chunk.line_start) + SHOWN_LINES - 1)
                lines = tuple(range(max(one.line_start, chunk.line_start), last + 1))
                yield Ranked(chunk, best, (f"evidence: {one.why}" if one.why else "evidence",), lines=lines)


def _once(ranked: Sequence[Ranked]) -> Iterator[Ranked]:
    """Each chunk once, with the lines and reasons of all its evidence."""
    of_chunk: dict[tuple[str, str], Ranked] = {}
    for one in ranked:
        key = (one.chunk.namespace, one.chunk.id)
        known = of_chunk.get(key)
        if known is None:
            of_chunk[key] = one
        elif known.lines and one.lines:
            of_chunk[key] = replace(known, lines=tuple(sorted({*known.lines, *one.lines})), reasons=(*known.reasons, *one.reasons))
        else:
            of_chunk[key] = replace(known, reasons=(*known.reasons, *one.reasons))
    yield from of_chunk.values()
