"""What does `clew db search` do? It answers one question about databases, or a file of them."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from clew.errors import UsageError
from clew.interfaces.cli.options import embedder_option, json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines, flush, note

if TYPE_CHECKING:
    from clew.core.schema.answer import SchemaAnswer, SchemaQuestion

NOTHING_FOUND = 1
MAX_TOKENS = 2_000
"""What the DDL of a question's tables needs, nearly always; whole tables of ordinary schemas take 1,000."""
MAX_COUNT = 2**31 - 1
_OPTIONS = ("query", "db", "limit", "max_tokens", "schema_version")


@click.command("search")
@click.argument("query", required=False)
@click.option("--batch", metavar="FILE", help="Answer a file of questions, a JSON object a line (- is stdin).")
@project_option
@click.option("--db", metavar="NAME", multiple=True, help="Only this database. May be repeated.  [default: all]")
@click.option("--limit", metavar="N", type=int, help="Number of tables.  [default: 10]")
@click.option("--max-tokens", metavar="N", type=int, help=f"A size that the DDL never exceeds; 0 sets no bound.  [default: {MAX_TOKENS}]")
@click.option("--schema-version", metavar="VERSION", help="Ask a version that is kept.  [default: the latest]")
@click.option("--explain", is_flag=True, help="Show what proposed each table and column, and what was dropped.")
@embedder_option
@json_option
def db_search(query: str | None, batch: str | None, path: str, embedder: str | None, explain: bool, as_json: bool, **options: Any) -> int:
    """Find the tables, columns and joins that a question needs. A database that was never read is read first.

    A QUERY that starts with - goes after --. Exit code 0: found, 1: nothing that has to do with the question; what is nearest is
    shown all the same.
    """
    if (query is None) == (batch is None):
        raise UsageError("give one question, or a file of them with --batch", 'for example: clew db search "revenue per customer"')
    if batch is not None:
        return _answer_batch(batch, {**options, "path": path}, embedder, explain=explain)
    from clew.interfaces.cli.db_opening import databases

    with databases(path, {"embedder": embedder}) as opened:
        answer = opened.search(asked({**options, "query": query}, explain=explain))
    if as_json:
        from clew.interfaces.rendering.schema_wire import schema_answer_object

        emit_json(schema_answer_object(answer, explain=explain))
    else:
        _show(answer, explain=explain)
    return NOTHING_FOUND if answer.confidence == "none" else 0


def _answer_batch(source: str, options: dict[str, Any], embedder: str | None, *, explain: bool) -> int:
    from clew.interfaces.cli.batch import answer_all
    from clew.interfaces.cli.db_opening import databases
    from clew.interfaces.rendering.schema_wire import schema_answer_object

    with ExitStack() as opened:
        databases_of = cache(lambda path: opened.enter_context(databases(path, {"embedder": embedder})))

        def answered(project: str, given: dict[str, Any]) -> dict[str, Any]:
            return schema_answer_object(databases_of(project).search(asked(given, explain=explain)), explain=explain)

        return answer_all(answered, source, options)


def asked(given: dict[str, Any], *, explain: bool = False) -> SchemaQuestion:
    """The question that options ask; None counts as not given. Raises UsageError for an unknown one, a wrong type, a number out of range."""
    from clew.core.schema.answer import SchemaQuestion

    for name in given:
        if name not in _OPTIONS:
            raise UsageError(f"unknown option {name!r}", f"there are {', '.join(_OPTIONS)}")
    query = given.get("query")
    if not isinstance(query, str) or not query.strip():
        raise UsageError("the question is empty", 'ask in words: clew db search "revenue per customer"')
    version = given.get("schema_version") or ""
    if not isinstance(version, str):
        raise UsageError("schema_version must be a version that is kept")
    return SchemaQuestion(
        text=query,
        datasources=_names(given.get("db") or ()),
        limit=_number(given, "limit", 10, 1, 1_000),
        max_tokens=_number(given, "max_tokens", MAX_TOKENS, 0, MAX_COUNT),
        schema_version=version,
        explain=explain,
    )


def _names(value: Any) -> tuple[str, ...]:
    several = (value,) if isinstance(value, str) else value
    if not isinstance(several, list | tuple) or not all(isinstance(one, str) and one for one in several):
        raise UsageError("db must be one or several names of databases")
    return tuple(several)


def _number(given: dict[str, Any], name: str, default: int, least: int, most: int) -> int:
    value = given.get(name)
    value = default if value is None else value
    if type(value) is not int or not least <= value <= most:
        raise UsageError(f"{name} cannot be {value!r}", f"it must be a whole number from {least} to {most}")
    return value


def _show(answer: SchemaAnswer, *, explain: bool) -> None:
    from clew.interfaces.rendering.schema_plain import schema_answer_lines, trace_lines

    for warning in answer.warnings:
        note(f"warning: {warning}")
    emit_lines(schema_answer_lines(answer))
    flush()  # where both streams go to one place, remarks come after the answer
    if explain:
        for line in trace_lines(answer):
            note(line)
    if not answer.tables and not answer.metrics:
        note("nothing found")
