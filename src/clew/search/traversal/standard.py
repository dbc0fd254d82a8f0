"""How does mode standard answer? A language model goes from folders to files to chunks in three calls at most; what plain search found stands below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.core.answer import Question, Ranked
from clew.core.language import Allowance, Usage
from clew.core.query import Hit
from clew.errors import ClewError
from clew.search.confidence import UNLIKELY, Confidence
from clew.search.traversal.picking import Picking, all_fit
from clew.search.traversal.tree import Node, Tree

if TYPE_CHECKING:
    from clew.search.searcher import Found
    from clew.search.tiers import Ground

MOST_FOLDERS, MOST_FILES, MOST_CHUNKS = 3, 5, 10
CALLS = 3
INPUT_TOKENS, OUTPUT_TOKENS = 6_000, 6_000
"""What one question may cost: three lists of numbers are some 200 tokens to write, but a model that thinks aloud needs more."""
KEPT = 10
"""Results of plain search that stay among the first 20, whatever the model says."""
LOOKED_AROUND = 3
"""Files that plain search ranks first are offered whichever folders are chosen: a wrong turn at the first fork costs nothing."""
PICKED = "chosen by the language model"


def standard(ground: Ground, question: Question, found: Found | None = None, allowance: Allowance | None = None) -> Found:
    """The model's choice first, then what mode hybrid finds (`found`, where that is known, with KEPT results at least).

    Never raises for what a model does: a warning says what is missing.
    """
    found = replace(found or ground.plain(replace(question, mode="hybrid", limit=max(question.limit, KEPT))), mode="standard")
    try:
        model = ground.language()
    except ClewError as fault:
        reason = f"answered as mode hybrid answers: {fault.message}" + (f" ({fault.hint})" if fault.hint else "")
        return replace(found, ranked=found.ranked[: question.limit], warnings=(*found.warnings, reason))
    allowance = allowance or Allowance(Usage(CALLS, INPUT_TOKENS, OUTPUT_TOKENS), ground.seconds)
    picking = Picking(question.text, model, allowance)
    chosen = walk(ground, question, picking)
    return replace(
        found,
        ranked=_joined(ground, chosen, found)[: question.limit],
        confidence=found.confidence if found.ranked or not chosen else Confidence(UNLIKELY),
        withheld=0 if chosen else found.withheld,
        warnings=(*found.warnings, *picking.warnings),
        reasons=(f"mode standard: {picking.story}", *found.reasons[1:]),
    )


def walk(ground: Ground, question: Question, picking: Picking) -> list[Hit]:
    """The chunks that are chosen, each file's first before any file's second; none where the model chose nothing at any level."""
    with ground.store.moment():
        shortlist = ground.searcher.shortlist(ground.scope, question)
    try:
        summaries = ground.summaries()
    except ClewError as fault:
        picking.warnings.append(f"summaries are left out: {fault.message}")
        summaries = {}
    tree = Tree(ground.store, ground.scope, shortlist, question.filters, summaries)
    inside = None
    if all_fit(tree.files(), len(tree.ordered), picking.room):
        picking.levels_left -= 1
    else:
        inside = [node.path for node in picking.pick("folders", tree.folders(), MOST_FOLDERS)] or None
    files = [node.path for node in picking.pick("files", _around(tree, inside), MOST_FILES)]
    chunks = [node.hit for node in picking.pick("definitions", tree.chunks(files), MOST_CHUNKS) if node.hit]
    if not picking.told:
        return []
    seen = {hit.filepath for hit in chunks}
    others = [hit for path in files if path not in seen if (hit := tree.best_chunk(path))]
    return list(_in_turn([*chunks, *others]))[:MOST_CHUNKS]


def _around(tree: Tree, inside: Sequence[str] | None) -> Iterator[Node]:
    """The files of the chosen folders, and after the first of them those that plain search ranks first wherever they are."""
    first = list(tree.files(only=tree.ordered[:LOOKED_AROUND])) if inside is not None else []
    yield from first
    seen = {node.path for node in first}
    yield from (node for node in tree.files(inside) if node.path not in seen)


def _in_turn(hits: Iterable[Hit]) -> Iterator[Hit]:
    """The first chunk of each file, then the others, in their order."""
    rest: list[Hit] = []
    seen: set[str] = set()
    for hit in hits:
        if hit.filepath in seen:
            rest.append(hit)
        else:
            seen.add(hit.filepath)
            yield hit
    yield from rest


def _joined(ground: Ground, chosen: Sequence[Hit], found: Found) -> tuple[Ranked, ...]:
    """What was chosen, as sure as the answer is, then what was found and not chosen."""
    known = {ranked.chunk.id: ranked for ranked in found.ranked}
    with ground.store.moment():
        chunks = ground.store.chunks(ground.scope, [hit.key for hit in chosen])
    best = found.ranked[0].score if found.ranked else UNLIKELY
    picked = {}
    for hit in chosen:
        if chunk := chunks.get(hit.key):
            before = known.get(hit.id)
            why = (PICKED, *(before.reasons if before else ()))
            picked[hit.id] = replace(before, score=best, reasons=why) if before else Ranked(chunk, best, why)
    return (*picked.values(), *(ranked for ranked in found.ranked if ranked.chunk.id not in picked))
