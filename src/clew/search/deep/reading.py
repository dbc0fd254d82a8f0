"""How does a question get read for? Move by move, within an allowance, until the model is done, goes in circles, or has used it up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.core.answer import Citation, Question
from clew.core.language import Allowance, Usage
from clew.core.tokens import count_tokens
from clew.core.visible import visible
from clew.errors import AllowanceSpent, ClewError
from clew.search.deep.desk import Desk
from clew.search.deep.moves import INSTRUCTIONS, Move
from clew.search.deep.notes import Notes, borne_out
from clew.search.deep.transcript import Transcript

if TYPE_CHECKING:
    from clew.core.language import LanguageModel
    from clew.search.searcher import Found
    from clew.search.tiers import Ground

SEEDS = 8
"""Places that plain search found, with which reading begins."""
FRAME_TOKENS = 800
"""What a request reads beside its evidence: instructions, fence, the shape of a move."""
OUTPUT_TOKENS = 12_000
"""What all replies of a question may hold: a move is some 60 tokens, an answer some 400, and some models think aloud."""
PROMPT_TOKENS = 8_000
"""Citation of one request at most: more of it, and small models lose the question."""
LEAST_PROMPT = 400
MOST_WASTED = 3
"""Replies of no use, or moves made before, in a row: it goes in circles."""

Step = Callable[[str], None]
"""Told each move in one line."""


def unheard(_: str) -> None:
    """Nobody follows."""


@dataclass(slots=True)
class Reading:
    """What reading has come to. `answer` is what the model wrote when it was done; `ended` says why it stopped where it was not done."""

    notes: Notes
    answer: str = ""
    missing: str = ""
    steps: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    ended: str = ""

    def result(self, again: Desk) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
        """The answer's sentences that are borne out, the evidence that still stands, and what is to be said of the rest."""
        standing = self.notes.still_there(again)
        text, dropped = borne_out(self.answer, standing)
        warnings = list(self.warnings)
        if self.ended:
            warnings.append(self.ended)
        if dropped:
            warnings.append(f"{dropped} sentences of the model rest on no evidence and are left out")
        if len(standing) < len(self.notes.kept):
            warnings.append(f"{len(self.notes.kept) - len(standing)} notes are left out: their files have changed meanwhile")
        return text, tuple(standing.values()), tuple(warnings)


def allowance_for(ground: Ground) -> Allowance:
    """What one question may cost."""
    return Allowance(Usage(ground.rounds, ground.tokens, OUTPUT_TOKENS), ground.seconds)


def read_for(ground: Ground, question: Question, found: Found, model: LanguageModel, allowance: Allowance, step: Step = unheard) -> Reading:
    """Make moves until the end. Never raises for what a model does."""
    desk = Desk(ground)
    reading = Reading(Notes(desk))
    transcript = Transcript(_head(question, found))
    seen: set[tuple[str, str, int, int]] = set()
    wasted = 0
    while not reading.ended:
        move = _asked(model, allowance, transcript, reading)
        if move is None:
            wasted += 1
        elif move.action == "done":
            reading.answer, reading.missing = move.text, " ".join(move.missing.split())
            _told(reading, step, "done")
            break
        elif move.key in seen or (move.action == "cat" and ("cat", desk.path(move.target), move.line_start, move.line_end) in seen):
            wasted += 1
            transcript.add(move.told(), "you did that before: make another move, or be done")
            _told(reading, step, f"{move.told()} (again)")
        else:
            wasted = 0
            seen |= {move.key, (move.action, desk.path(move.target), move.line_start, move.line_end)}
            transcript.add(move.told(), reading.notes.add(move) if move.action == "note" else desk.look(move))
            _told(reading, step, move.told())
        if wasted == MOST_WASTED and not reading.ended:
            reading.ended = "the language model went in circles: this is what it had found by then"
    return reading


def _asked(model: LanguageModel, allowance: Allowance, transcript: Transcript, reading: Reading) -> Move | None:
    """The next move; None where the reply was none, or there is none to come."""
    left = allowance.left
    room = min(left.input_tokens // max(left.requests, 1) - FRAME_TOKENS, PROMPT_TOKENS)
    notes = "\n".join(
        f"[{number}] {one.filepath}:{one.line_start}-{one.line_end} {one.why}" for number, one in enumerate(reading.notes.kept, 1)
    )
    try:
        return model.ask(INSTRUCTIONS, transcript.text(notes, left.requests, max(room, LEAST_PROMPT)), Move, allowance)
    except AllowanceSpent as fault:
        reading.ended = f"not read to the end: {fault.message}"
    except ClewError as fault:
        reading.ended = f"not read to the end: {fault.message}"
    except Exception as fault:  # noqa: BLE001 - a reply may be wrong in any way; none may cost the user his own answer
        transcript.add("(no move)", f"your reply was no move ({type(fault).__name__}): answer with one move in its shape")
        if not reading.warnings:
            reading.warnings.append("the language model gave replies of no use, which count as moves")
    return None


def _head(question: Question, found: Found) -> str:
    """The question, and where plain search would begin."""
    text = question.text
    while count_tokens(text) > PROMPT_TOKENS // 8:
        text = text[: len(text) * 3 // 4]
    places = [
        f"{visible(one.chunk.filepath)}:{one.chunk.line_start}-{one.chunk.line_end} {visible(one.chunk.signature or one.chunk.symbol_name)[:160]}"
        for one in found.ranked[:SEEDS]
    ]
    return "\n".join((f"question: {text}", "", "search found:", *(places or ["nothing"])))


def _told(reading: Reading, step: Step, text: str) -> None:
    reading.steps.append(text)
    step(visible(text))
