"""What does `clew search` do? It answers one question, or a file of them."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.errors import UsageError
from clew.interfaces.cli.options import AsJson, EmbedderName, ProjectPath
from clew.interfaces.cli.output import emit, emit_json, emit_lines, note, on_terminal

if TYPE_CHECKING:
    from clew.core.answer import Answer
    from clew.engine import Engine

NOTHING_FOUND = 1


def search(
    query: Annotated[
        str | None, typer.Argument(metavar="QUERY", help="The question: words, a name, or a path.", show_default=False)
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option("--batch", metavar="FILE", help="Answer a file of questions, a JSON object a line (- is stdin).", show_default=False),
    ] = None,
    path: ProjectPath = ".",
    mode: Annotated[str | None, typer.Option("--mode", metavar="MODE", help="auto, fast, semantic or hybrid.", show_default="auto")] = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", help="Results.", show_default="10")] = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", metavar="NAME", help="Only this language. Repeatable.", show_default=False)
    ] = None,
    symbol_type: Annotated[
        list[str] | None,
        typer.Option("--symbol-type", metavar="TYPE", help="Only this kind: function, class, … Repeatable.", show_default=False),
    ] = None,
    inside: Annotated[
        list[str] | None, typer.Option("--in", metavar="PATH", help="Only this folder, file or glob. Repeatable.", show_default=False)
    ] = None,
    namespace: Annotated[
        list[str] | None, typer.Option("--namespace", metavar="NAME", help="Only this namespace. Repeatable.", show_default=False)
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", metavar="N", help="The answer never exceeds this size.", show_default="no bound")
    ] = None,
    ef: Annotated[int, typer.Option("--ef", metavar="N", help="Candidates that each leg looks at; 0 chooses by the question.")] = 0,
    rerank: Annotated[bool, typer.Option("--rerank", help="Let the configured reranker order the results.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show the score and the reasons of each result.")] = False,
    embedder: EmbedderName = None,
    as_json: AsJson = False,
) -> int:
    """Answer a question about a project. The first search makes the index.

    A query that starts with - goes after --. What a result is worth is in the exit code: 0 found, 1 nothing found.
    """
    options = {"mode": mode, "limit": limit, "language": language or None, "symbol_type": symbol_type or None, "in": inside or None}
    options |= {"namespace": namespace or None, "max_tokens": max_tokens, "ef": ef, "rerank": rerank}
    if (query is None) == (batch is None):
        raise UsageError("give one question, or a file of them with --batch", 'for example: clew search "where are users created"')
    if batch is not None:
        return _answer_batch(batch, options | {"path": path}, embedder)
    with _opened(path, embedder) as engine:
        return _answer_one(engine, options | {"query": query}, explain=explain, as_json=as_json)


def _opened(path: str, embedder: str | None) -> Engine:
    from clew.assembly import open_engine

    engine = open_engine(Path(path), {"embedder": embedder})
    for warning in engine.settings.warnings:
        note(f"warning: {warning}")
    return engine


def _answer_batch(source: str, options: dict[str, Any], embedder: str | None) -> int:
    from clew.interfaces.cli.batch import answer_all

    with ExitStack() as opened:
        return answer_all(cache(lambda path: opened.enter_context(_opened(path, embedder))), source, options)


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
    if explain:
        note(f"mode {answer.mode}, confidence {answer.confidence}, {answer.tokens} tokens")
    if not answer.results:
        note("nothing found")
    if answer.hint:
        note(answer.hint)
