"""How does mode auto go on where it is not sure? The model checks what was found; where nothing of it fits, it walks the tree, and may read: in one budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.core.answer import Question, Ranked
from clew.core.language import Allowance, Usage
from clew.errors import ClewError
from clew.search.gate import settled, unsettled
from clew.search.traversal.agreeing import agreed
from clew.search.traversal.picking import FRAME_TOKENS, QUESTION_TOKENS, Picking
from clew.search.traversal.standard import CALLS, INPUT_TOKENS, KEPT, MOST_CHUNKS, OUTPUT_TOKENS, PICKED, SUPPORTED, walked_to
from clew.search.traversal.tree import Node, chunk_title

if TYPE_CHECKING:
    from clew.core.language import LanguageModel
    from clew.search.searcher import Found
    from clew.search.tiers import Ground

CHECKING_TOKENS = 2_000
"""What one checking call may read: the titles of ten results, and its frame."""
CHECKS = 2
"""Calls that check: the second only where the first would change the order, of the same results in another order."""


def cascade(ground: Ground, question: Question, found: Found) -> Found:
    """What was found, where the gate lets it pass; else with what the model says of it, chooses or reads in its place. Never raises for what a model does."""
    if why := settled(found):
        return _told(found, f"gate: stopped, {why}")
    found = _told(found, f"gate: {unsettled(found)}")
    try:
        model = ground.language()
    except ClewError as fault:
        missing = f"the language model was not asked: {fault.message}" + (f" ({fault.hint})" if fault.hint else "")
        return replace(found, warnings=(*found.warnings, missing))
    whole = budget(ground)
    found, is_over = checked(question, found, model, whole, goes_on=ground.goes_deep)
    if is_over:
        return found
    wide = found if question.limit >= KEPT else _beside(ground.plain(replace(question, mode="hybrid", limit=KEPT)), found)
    read, walked = walked_to(ground, question, wide, model, whole.part(Usage(CALLS, INPUT_TOKENS, OUTPUT_TOKENS)))
    if walked.agreed:
        return _told(read, "gate: stopped, the model chose the same files twice")
    if not ground.goes_deep or walked.is_gone:
        return read
    from clew.search.deep.deep import deep  # the tiers are one folder each, and this one leads into the other

    return deep(ground, question, known=_told(read, "gate: the model chose other files the second time"), allowance=whole.part(whole.left))


def budget(ground: Ground) -> Allowance:
    """What a question may cost in all: four calls, or, where mode auto goes on to mode deep, what that may."""
    calls, tokens, wrote = 1 + CALLS, CHECKING_TOKENS + INPUT_TOKENS, OUTPUT_TOKENS
    if ground.goes_deep:
        calls, tokens, wrote = max(calls, ground.rounds), max(tokens, ground.tokens), 2 * wrote
    return Allowance(Usage(calls, tokens, wrote), ground.seconds)


def checked(question: Question, found: Found, model: LanguageModel, whole: Allowance, *, goes_on: bool) -> tuple[Found, bool]:
    """The results, those first that the model names, if it does so of two orders, and whether that is the answer. It is not where the model names none
    of them; where it names others the second time, the order stands, and `goes_on` says whether more is done."""
    checking = Picking(
        question.text,
        model,
        whole.part(Usage(CHECKS, CHECKS * CHECKING_TOKENS, OUTPUT_TOKENS)),
        levels_left=CHECKS,
        most_room=CHECKING_TOKENS - FRAME_TOKENS - QUESTION_TOKENS,
    )
    shown = found.ranked[:MOST_CHUNKS]
    nodes = [Node(one.chunk.filepath, chunk_title(one.chunk), id=one.chunk.id) for one in shown]
    first = checking.pick("results", nodes, len(nodes), shuffled=question.text) if nodes else []
    if not checking.told:
        return replace(found, warnings=(*found.warnings, *checking.warnings)), bool(checking.warnings)
    if not first:
        return _told(found, f"{checking.story}: nothing that was found was confirmed"), False
    if {one.id for one in first} == {one.id for one in nodes[: len(first)]}:
        return _told(found, f"{checking.story}: gate: stopped, the model confirms what is first"), True
    second = checking.pick("results", nodes, len(nodes), shuffled=f"{question.text} ")
    both = agreed([one.id for one in first], [one.id for one in second], len(nodes)) if checking.told == CHECKS else ()
    found = replace(found, ranked=_first(both, found), warnings=(*found.warnings, *checking.warnings))
    if both:
        return _told(found, f"{checking.story}: gate: stopped, the model confirms the same twice"), True
    return _told(found, f"{checking.story}: it confirmed others the second time"), checking.is_gone or not goes_on


def _told(found: Found, reason: str) -> Found:
    return replace(found, reasons=(*found.reasons, reason))


def _beside(wide: Found, found: Found) -> Found:
    """More results of the same question, with what is known of it."""
    return replace(wide, warnings=found.warnings, reasons=found.reasons)


def _first(confirmed: Sequence[str], found: Found) -> tuple[Ranked, ...]:
    """What was confirmed, as sure as the best was, then the others; behind the first result, where plain search has it far down."""
    if not confirmed:
        return found.ranked
    ranked = {one.chunk.id: one for one in found.ranked}
    is_far = confirmed[0] not in list(ranked)[:SUPPORTED]
    kept = (ranked.pop(found.ranked[0].chunk.id),) if is_far and found.ranked[0].chunk.id not in confirmed else ()
    first = [ranked.pop(id_) for id_ in confirmed]
    best = found.ranked[0].score
    return (*kept, *(replace(one, score=best, reasons=(PICKED, *one.reasons)) for one in first), *ranked.values())
