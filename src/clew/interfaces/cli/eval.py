"""What does `clew eval` do? It asks questions made from the project itself, and says how often each way to search is right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew.errors import UsageError
from clew.interfaces.cli.options import embedder_option, json_option, project_argument
from clew.interfaces.cli.output import emit_json, emit_lines, note

if TYPE_CHECKING:
    from clew.evaluation.running import Evaluation

NOTHING_FOUND = 1
QUESTIONS = 200
"""Enough that a share is known to within .07; a project of 5,000 chunks takes some ten seconds."""
MOST_QUESTIONS = 100_000


@click.command("eval")
@project_argument
@click.option("--questions", metavar="N", type=int, default=QUESTIONS, show_default=str(QUESTIONS), help="Questions to make, at most.")
@click.option("--seed", metavar="N", type=int, default=1, show_default="1", help="Which questions are drawn; the same for the same seed.")
@click.option("--save", metavar="FILE", help="Write the questions with the files that answer them, a JSON object a line.")
@click.option("--from", "source", metavar="FILE", help='Ask these instead: lines like {"query": "…", "files": ["…"]}.')
@embedder_option
@json_option
def eval(  # noqa: A001 - the name of the command
    path: str, questions: int, seed: int, save: str | None, source: str | None, embedder: str | None, as_json: bool
) -> int:
    """Measure how well clew answers on a project, beside a search with grep. Changes nothing in the project.

    Questions are first sentences of documentation, which is cut out of a temporary copy before that is indexed and asked, and subjects of recent
    commits, answered by the files that they changed. Exit code 0: asked, 1: no question could be made.
    """
    if not 1 <= questions <= MOST_QUESTIONS:
        raise UsageError(f"--questions cannot be {questions}", f"it must be from 1 to {MOST_QUESTIONS:,}")
    if save is not None:
        _check_writable(Path(save))
    done = _run(Path(path), questions, seed, source, embedder)
    if save is not None:
        from clew.evaluation.asked import write_questions

        write_questions(Path(save), done.asked)
    if as_json:
        from clew.interfaces.rendering.evaluation import evaluation_object

        emit_json(evaluation_object(done))
    else:
        from clew.interfaces.rendering.evaluation import evaluation_lines

        emit_lines(evaluation_lines(done))
        for remark in done.notes:
            note(f"note: {remark}")
    return 0 if done.asked else NOTHING_FOUND


def _check_writable(file: Path) -> None:
    """Minutes of asking should not end in a file that cannot be written."""
    try:
        with file.open("a", encoding="utf-8"):
            pass
    except OSError as fault:
        raise UsageError(f"{file} cannot be written: {fault.strerror or fault}", "give --save another file") from fault


def _run(path: Path, questions: int, seed: int, source: str | None, embedder: str | None) -> Evaluation:
    from clew.evaluation.asked import read_questions
    from clew.evaluation.running import evaluate
    from clew.index.updater import Progress
    from clew.interfaces.cli.progress import progress_bar
    from clew.settings import load_settings
    from clew.sources.project import project_root

    if not path.is_dir():
        raise UsageError(f"there is no folder {str(path)!r}", "give a project's folder, or one inside it")
    own = read_questions(Path(source)) if source is not None else []
    if source is not None and not own:
        raise UsageError(f"{source} holds no questions", 'a line is like {"query": "where are users created", "files": ["src/users.py"]}')
    root = project_root(path)
    settings = load_settings(root, {"embedder": embedder})
    for warning in settings.warnings:
        note(f"warning: {warning}")
    with progress_bar() as bar:
        show = bar or (lambda _: None)
        return evaluate(root, settings, questions, seed, own, lambda phase, done, total: show(Progress(phase, done, total)))
