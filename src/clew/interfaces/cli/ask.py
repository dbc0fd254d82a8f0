"""What does `clew ask` do? It has a language model read for a question, and prints the answer with its evidence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines, flush, note, on_terminal

if TYPE_CHECKING:
    from clew.core.answer import Written

NOTHING_FOUND = 1


@click.command
@click.argument("question")
@project_option
@click.option("--explain", is_flag=True, help="Say each move as it is made, and what all of them cost.")
@json_option
def ask(question: str, path: str, explain: bool, as_json: bool) -> int:
    """Have a language model read the code for a question, and write the answer with its evidence.

    The model is the one that `llm` names (docs/tiers.md). Every sentence rests on lines that were checked; without a model, or where it finds
    nothing, the results of an ordinary search are printed, with a warning. Exit code 0: answered or found, 1: neither.
    """
    from clew.assembly import open_engine

    follows = explain or on_terminal(sys.stderr)
    with open_engine(Path(path)) as engine:
        for warning in engine.settings.warnings:
            note(f"warning: {warning}")
        written = engine.ask(question, step=(lambda move: note(f"… {move}")) if follows else None)
        root = str(engine.root)
    if as_json:
        from clew.interfaces.rendering.wire import written_object

        emit_json(written_object(written, root))
    else:
        _show(written, explain=explain)
    return 0 if written.evidence or written.results else NOTHING_FOUND


def _show(written: Written, *, explain: bool) -> None:
    from clew.core.answer import Answer
    from clew.interfaces.rendering.plain import answer_lines, written_lines

    for warning in written.warnings:
        note(f"warning: {warning}")
    emit_lines(written_lines(written))
    if written.results:
        emit_lines(answer_lines(Answer(written.question, "hybrid", written.results)))
    if not written.evidence and not written.results:
        note("nothing found")
    flush()
    if explain:
        note(written.story)
