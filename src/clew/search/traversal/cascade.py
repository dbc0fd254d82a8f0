"""How does mode auto go on where it is not sure? One call checks what was found; only if nothing of it fits, the model walks the tree, within one budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.core.answer import Question, Ranked
from clew.core.language import Allowance, Usage
from clew.errors import ClewError
from clew.search.gate import settled, unsettled
from clew.search.traversal.picking import FRAME_TOKENS, QUESTION_TOKENS, Picking
from clew.search.traversal.standard import CALLS, INPUT_TOKENS, KEPT, MOST_CHUNKS, OUTPUT_TOKENS, PICKED, standard
from clew.search.traversal.tree import Node, chunk_title

if TYPE_CHECKING:
    from clew.search.searcher import Found
    from clew.search.tiers import Ground

CHECKING_TOKENS = 2_000
"""What the checking call may read: the titles of ten results, and its frame."""


def cascade(ground: Ground, question: Question, found: Found) -> Found:
    """What was found, where the gate lets it pass; else with what the model says of it, or chooses in its place. Never raises for what a model does."""
    if why := settled(found):
        return replace(found, reasons=(*found.reasons, f"gate: stopped, {why}"))
    gate = f"gate: {unsettled(found)}"
    try:
        model = ground.language()
    except ClewError as fault:
        missing = f"the language model was not asked: {fault.message}" + (f" ({fault.hint})" if fault.hint else "")
        return replace(found, warnings=(*found.warnings, missing), reasons=(*found.reasons, gate))
    allowance = Allowance(Usage(1 + CALLS, CHECKING_TOKENS + INPUT_TOKENS, OUTPUT_TOKENS), ground.seconds)
    checking = Picking(question.text, model, allowance, levels_left=1, most_room=CHECKING_TOKENS - FRAME_TOKENS - QUESTION_TOKENS)
    confirmed = checking.pick("results", _results(found), MOST_CHUNKS) if found.ranked else []
    warnings = tuple(checking.warnings)
    if checking.is_gone or (checking.told and confirmed):
        said = f"; {checking.story}" if checking.told else ""
        ranked = _first(confirmed, found) if checking.told else found.ranked
        return replace(found, ranked=ranked, warnings=(*found.warnings, *warnings), reasons=(*found.reasons, gate + said))
    wide = found if question.limit >= KEPT else ground.plain(replace(question, mode="hybrid", limit=KEPT))
    read = standard(ground, question, wide, allowance)
    return replace(read, warnings=(*read.warnings, *warnings), reasons=(*read.reasons, f"{gate}; nothing that was found was confirmed"))


def _results(found: Found) -> Iterator[Node]:
    return (Node(one.chunk.filepath, chunk_title(one.chunk), id=one.chunk.id) for one in found.ranked[:MOST_CHUNKS])


def _first(confirmed: Sequence[Node], found: Found) -> tuple[Ranked, ...]:
    """What was confirmed, as sure as the best was, then the others."""
    ranked = {one.chunk.id: one for one in found.ranked}
    first = [ranked.pop(node.id) for node in confirmed]
    best = found.ranked[0].score
    return (*(replace(one, score=best, reasons=(PICKED, *one.reasons)) for one in first), *ranked.values())
