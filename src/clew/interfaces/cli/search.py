"""What does `clew search` do? It answers one question, or a file of them."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clew.errors import UsageError
from clew.interfaces.cli.options import embedder_option, json_option, project_option
from clew.interfaces.cli.output import emit, emit_json, emit_lines, flush, note, on_terminal

if TYPE_CHECKING:
    from clew.core.answer import Answer
    from clew.engine import Engine

NOTHING_FOUND = 1


@click.command
@click.argument("query", required=False)
@click.option("--batch", metavar="FILE", help="Answer a file of questions, a JSON object a line (- is stdin).")
@project_option
@click.option(
    "--mode",
    metavar="MODE",
    help="auto, fast (words and names), semantic (meaning), hybrid (both), structural (what hangs on a name), standard or deep (a language model chooses, or reads).  [default: auto]",
)
@click.option("--limit", metavar="N", type=int, help="Number of results.  [default: 10]")
@click.option("--language", metavar="NAME", multiple=True, help="Only this language. May be repeated.")
@click.option("--symbol-type", metavar="TYPE", multiple=True, help="Only this kind: function, class, … May be repeated.")
@click.option("--in", metavar="PATH", multiple=True, help="Only this folder, file or glob. May be repeated.")
@click.option("--namespace", metavar="NAME", multiple=True, help="Only this namespace. May be repeated.")
@click.option("--max-tokens", metavar="N", type=int, help="A size that the answer never exceeds.  [default: no bound]")
@click.option("--ef", metavar="N", type=int, help="Candidates that each leg looks at.  [default: by the question]")
@click.option("--rerank", is_flag=True, help="Let the configured reranker order the results.")
@click.option("--explain", is_flag=True, help="Show the score and the reasons of each result.")
@embedder_option
@json_option
def search(query: str | None, batch: str | None, path: str, embedder: str | None, explain: bool, as_json: bool, **options: Any) -> int:
    """Answer a question about a project. The first search makes the index.

    A QUERY that starts with - goes after --. Exit code 0: found, 1: nothing found.
    """
    if (query is None) == (batch is None):
        raise UsageError("give one question, or a file of them with --batch", 'for example: clew search "where are users created"')
    if batch is not None:
        return _answer_batch(batch, {**options, "path": path}, embedder)
    with _opened(path, embedder) as engine:
        return _answer_one(engine, {**options, "query": query}, explain=explain, as_json=as_json)


def _opened(path: str, embedder: str | None) -> Engine:
    from clew.assembly import open_engine

    engine = open_engine(Path(path), {"embedder": embedder})
    for warning in engine.settings.warnings:
        note(f"warning: {warning}")
    return engine


def _answer_batch(source: str, options: dict[str, Any], embedder: str | None) -> int:
    from clew.interfaces.cli.batch import answer_all
    from clew.interfaces.cli.questions import question
    from clew.interfaces.rendering.wire import answer_object

    with ExitStack() as opened:
        engine_of = cache(lambda path: opened.enter_context(_opened(path, embedder)))

        def answered(project: str, asked: dict[str, Any]) -> dict[str, Any]:
            engine = engine_of(project)
            return answer_object(engine.search(question(engine, asked)))

        return answer_all(answered, source, options)


def _answer_one(engine: Engine, options: dict[str, Any], *, explain: bool, as_json: bool) -> int:
    from clew.interfaces.cli.progress import progress_bar
    from clew.interfaces.cli.questions import question

    with progress_bar() as progress:
        answer = engine.search(question(engine, options), progress=progress)
    if as_json:
        from clew.interfaces.rendering.wire import answer_object

        emit_json(answer_object(answer))
    else:
        _show(answer, engine.settings.color, explain=explain)
    return 0 if answer.results else NOTHING_FOUND


def _show(answer: Answer, color: str, *, explain: bool) -> None:
    for warning in answer.warnings:
        note(f"warning: {warning}")
    if answer.results and (color == "always" or (color == "auto" and on_terminal(sys.stdout))):
        from clew.interfaces.rendering.pretty import answer_text

        emit(answer_text(answer, explain=explain))
    else:
        from clew.interfaces.rendering.plain import answer_lines

        emit_lines(answer_lines(answer, explain=explain))
    flush()  # where both streams go to one place, remarks come after the answer
    if explain:
        note(f"mode {answer.mode}, confidence {answer.confidence}, {answer.tokens} tokens")
        note("; ".join(answer.route))
    if not answer.results:
        note("nothing found")
    if answer.hint:
        note(answer.hint)
