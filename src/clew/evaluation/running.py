"""How is an evaluation carried out? Questions are made, a copy of the project is indexed, and each question is asked in every mode."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.assembly import assemble, rules
from clew.core.answer import Question
from clew.engine import Engine
from clew.errors import ClewError, UsageError
from clew.evaluation.asked import DOCSTRING, Asked, sample
from clew.evaluation.commits import questions_from
from clew.evaluation.copying import Progress, Source, documented, read_source, write_copy
from clew.evaluation.grep import Grep
from clew.evaluation.reading import Read, grepped, printed, read_through
from clew.evaluation.scores import Score, table
from clew.settings import Settings
from clew.sources import git
from clew.stores.embedded import EmbeddedStore

GREP = "grep"
VECTOR_MODES = ("semantic", "hybrid")
COMMITS_READ = 20
"""Commits that are looked at for each question from one: most are about no code, or about too much of it."""
MOST_SECONDS = 120
"""After which no more questions are asked, and what has been asked is counted."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came of it. `notes` say what was left out and why; `asked` are the questions that were answered, `skipped` how many were not."""

    root: Path
    asked: tuple[Asked, ...]
    rows: tuple[Score, ...]
    files: int
    chunks: int
    seconds: float
    seed: int
    notes: tuple[str, ...] = ()


def evaluate(
    root: Path, settings: Settings, count: int, seed: int, own: Sequence[Asked] = (), progress: Progress = lambda *_: None
) -> Evaluation:
    """Evaluate the project at `root` with questions made from it, or with one's own.

    Nothing is written in the project: the copy and its index are in a temporary folder that is deleted. Where no question can be made,
    the evaluation is empty and its notes say what is missing. Raises UsageError when none of one's own has an indexed file.
    """
    started = time.monotonic()
    source = read_source(root, rules(settings), seed, progress)
    notes = [f"{source.left_out} files are beyond the size of an evaluation and were left out"] if source.left_out else []
    made = list(own) if own else _made(source, count, seed, progress, notes)
    with tempfile.TemporaryDirectory(prefix="clew-eval-") as folder:
        copy = Path(folder) / "copy"
        copy.mkdir()
        there, texts = write_copy(source, made, copy)
        asked = _own(there, own, notes) if own else _both_kinds(there, count, seed)
        read, chunks = [], 0
        if asked:
            with assemble(copy, settings, EmbeddedStore.open(Path(folder) / "index")) as engine:
                engine.index(progress=lambda now: progress(now.phase, now.done, now.total))
                read = _ask_all(engine, Grep(texts), asked, progress, notes)
                chunks = engine.status().chunks
    answered = asked[: len(read)]
    seconds = time.monotonic() - started
    return Evaluation(root, tuple(answered), tuple(table(answered, read)), len(texts), chunks, seconds, seed, tuple(notes))


def _own(there: Sequence[Asked], own: Sequence[Asked], notes: list[str]) -> Sequence[Asked]:
    """Those of one's own questions that can be asked. Raises UsageError where there are none."""
    if not there:
        raise UsageError("none of the questions is answered by an indexed file", "`files` are paths from the project's root")
    if len(there) < len(own):
        lost = len(own) - len(there)
        notes.append(f"{lost} questions were dropped: their files, or the documentation that they were made from, are not there")
    return there


def _made(source: Source, count: int, seed: int, progress: Progress, notes: list[str]) -> list[Asked]:
    """Questions from documentation and from history, more than are asked."""
    from_code = documented(source, count, seed, progress)
    if not from_code:
        notes.append("no questions from documentation: no definition has a sentence of five words or more that says what it does")
    history = git.recent_commits(str(source.root), count * COMMITS_READ)
    if isinstance(history, git.Refused):
        notes.append(f"no questions from commits: {history.reason or 'the project is not in git'}")
        return from_code
    from_history = list({one.query: one for one in questions_from(history, source.documents.keys())}.values())
    if not from_history:
        notes.append("no questions from commits: none is about few files that are still there, in words")
    return [*from_code, *from_history[:count]]


def _both_kinds(asked: Sequence[Asked], count: int, seed: int) -> list[Asked]:
    """Half of the questions of each kind, as far as there are so many; the newest commits were taken before."""
    kinds = [[one for one in asked if (one.kind == DOCSTRING) == documents] for documents in (True, False)]
    shares = [max(count // 2, count - len(other)) for other in reversed(kinds)]
    return sample([one for kind, share in zip(kinds, shares, strict=True) for one in sample(kind, share, seed)], count, seed)


def _modes(engine: Engine, notes: list[str]) -> list[str]:
    """The modes that can be compared: those with vectors only where there are any."""
    try:
        engine.search(Question("vectors", mode=VECTOR_MODES[0]))
    except ClewError as fault:
        notes.append(f"modes {' and '.join(VECTOR_MODES)} were not asked: {fault.message}")
        return ["fast"]
    return ["fast", *VECTOR_MODES]


def _ask_all(engine: Engine, grep: Grep, asked: Sequence[Asked], progress: Progress, notes: list[str]) -> list[dict[str, Read]]:
    """What each way gives for each question, until the time is up: then as many questions for every one of them."""
    modes = _modes(engine, notes)
    read: list[dict[str, Read]] = []
    started = time.monotonic()
    for number, one in enumerate(asked, 1):
        if read and time.monotonic() - started > MOST_SECONDS:
            notes.append(f"time was up after {len(read)} of {len(asked)} questions")
            break
        found = {GREP: read_through(grepped(grep, one.query), one.files)}
        for mode in modes:
            found[mode] = read_through(printed(engine.search(Question(one.query, mode=mode))), one.files)
        read.append(found)
        progress("asking", number, len(asked))
    return read
