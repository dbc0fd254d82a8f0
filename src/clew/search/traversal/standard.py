"""How does mode standard answer? A language model goes from folders to files to chunks in three calls at most; beside what plain search found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from clew.core.answer import Question, Ranked
from clew.core.language import Allowance, Usage
from clew.core.query import Hit
from clew.errors import ClewError
from clew.search.confidence import UNLIKELY, Confidence
from clew.search.traversal.agreeing import Walked
from clew.search.traversal.picking import Picking, all_fit
from clew.search.traversal.tree import Node, Tree

if TYPE_CHECKING:
    from clew.core.language import LanguageModel
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
RIVALS = 12
"""Files that plain search ranks first whose definitions are offered beside those of the chosen files: only what is chosen again among them counts for more."""
SUPPORTED = 5
"""Among so many files of plain search is what comes before its first result: what it did not find goes behind that."""
PICKED = "chosen by the language model"


def standard(ground: Ground, question: Question) -> Found:
    """The model's choice beside what mode hybrid finds. Never raises for what a model does: a warning says what is missing."""
    found = ground.plain(replace(question, mode="hybrid", limit=max(question.limit, KEPT)))
    try:
        model = ground.language()
    except ClewError as fault:
        reason = f"answered as mode hybrid answers: {fault.message}" + (f" ({fault.hint})" if fault.hint else "")
        return replace(found, mode="standard", ranked=found.ranked[: question.limit], warnings=(*found.warnings, reason))
    found = replace(found, reasons=found.reasons[1:])
    read, _ = walked_to(ground, question, found, model, Allowance(Usage(CALLS, INPUT_TOKENS, OUTPUT_TOKENS), ground.seconds))
    return replace(read, reasons=(read.reasons[-1], *read.reasons[:-1]))


def walked_to(ground: Ground, question: Question, found: Found, model: LanguageModel, allowance: Allowance) -> tuple[Found, Walked]:
    """What was found (KEPT results at least) and where the model walked to; how that came about is the last reason."""
    picking = Picking(question.text, model, allowance)
    walked = walk(ground, question, picking)
    return replace(
        found,
        mode="standard",
        ranked=tuple(islice(_joined(ground, walked, found), question.limit)),
        confidence=found.confidence if found.ranked or not walked.is_chosen else Confidence(UNLIKELY),
        withheld=0 if walked.is_chosen else found.withheld,
        warnings=(*found.warnings, *picking.warnings),
        reasons=(*found.reasons, f"mode standard: {picking.story}"),
    ), walked


def walk(ground: Ground, question: Question, picking: Picking) -> Walked:
    """Down the tree: folders, files, chunks. Among the chunks are those of files that plain search ranks first, whether they were chosen or not."""
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
    told = picking.told
    files = [node.path for node in picking.pick("files", _around(tree, inside), MOST_FILES)]
    chose_files, told = picking.told > told, picking.told
    rivals = [path for path in tree.ordered[:RIVALS] if path not in files]
    picked = picking.pick("definitions", tree.chunks(files, rivals), MOST_CHUNKS, shuffled=question.text)
    chunks = tuple(node.hit for node in picked if node.hit)
    seen = {hit.filepath for hit in chunks}
    others = [hit for path in files if path not in seen if (hit := tree.best_chunk(path))]
    return Walked(tuple(files), chunks, tuple(others), tuple(rivals), chose_files, picking.told > told, picking.is_gone)


def _around(tree: Tree, inside: Sequence[str] | None) -> Iterator[Node]:
    """The files of the chosen folders, and after the first of them those that plain search ranks first wherever they are."""
    first = list(tree.files(only=tree.ordered[:LOOKED_AROUND])) if inside is not None else []
    yield from first
    seen = {node.path for node in first}
    yield from (node for node in tree.files(inside) if node.path not in seen)


def _joined(ground: Ground, walked: Walked, found: Found) -> Iterator[Ranked]:
    """What the model chose twice, as sure as the answer is; then what was found, and after its first KEPT results what the model chose once."""
    first, later = walked.in_order(MOST_CHUNKS)
    known = {one.chunk.id: one for one in found.ranked}
    with ground.store.moment():
        chunks = ground.store.chunks(ground.scope, [hit.key for hit in (*first, *later) if hit.id not in known])
    best, least = (found.ranked[0].score, found.ranked[-1].score) if found.ranked else (UNLIKELY, UNLIKELY)
    shown = set[str]()

    def once(ranked: Iterable[Ranked]) -> Iterator[Ranked]:
        for one in ranked:
            if one.chunk.id not in shown:
                shown.add(one.chunk.id)
                yield one

    def picked(hits: Iterable[Hit], score: float) -> Iterator[Ranked]:
        for hit in hits:
            before, chunk = known.get(hit.id), chunks.get(hit.key)
            if before:
                yield replace(before, score=max(score, before.score), reasons=(PICKED, *before.reasons))
            elif chunk:
                yield Ranked(chunk, score, (PICKED,))

    files = list(dict.fromkeys(one.chunk.filepath for one in found.ranked))
    if walked.agreed and walked.agreed[0] not in files[:SUPPORTED]:
        yield from once(found.ranked[:1])
    yield from once(picked(first, best))
    yield from once(found.ranked[:KEPT])
    yield from once(picked(later, least))
    yield from once(found.ranked[KEPT:])
