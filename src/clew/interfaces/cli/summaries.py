"""How are files and folders described from the command line? What it will cost is said first, then what it did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clew.interfaces.cli.output import emit_json, emit_lines, note
from clew.settings import MOST_SUMMARY_TOKENS

if TYPE_CHECKING:
    from clew.core.answer import Summarised


def show_cost(path: Path, embedder: str | None, *, as_json: bool) -> int:
    """What `index --mode standard --dry-run` prints."""
    from clew.assembly import open_engine
    from clew.interfaces.rendering.plain import summaries_plan
    from clew.interfaces.rendering.wire import summaries_object

    with open_engine(path, {"embedder": embedder}, create=False) as engine:
        plan = engine.summarise(plan=True)
    if as_json:
        emit_json({"summaries": summaries_object(plan)})
    else:
        emit_lines([summaries_plan(plan)])
    return 0


def describe(path: Path, embedder: str | None, most_tokens: int | None, *, quiet: bool) -> Summarised:
    """Have what is not described yet described; a person is told the cost first, on stderr."""
    from clew.assembly import open_engine
    from clew.interfaces.cli.progress import progress_bar
    from clew.interfaces.rendering.plain import summaries_plan

    with open_engine(path, {"embedder": embedder}) as engine, progress_bar() as progress:
        if not quiet:
            note(summaries_plan(engine.summarise(plan=True)))
        done = engine.summarise(most_tokens=most_tokens or MOST_SUMMARY_TOKENS, progress=progress)
    if done.note and not quiet:
        note(f"warning: {done.note}")
    return done
