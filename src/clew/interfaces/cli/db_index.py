"""What does `clew db index` do? It reads databases, and keeps what they are now."""

from __future__ import annotations

import time

import click

from clew.interfaces.cli.options import embedder_option, json_option, project_option
from clew.interfaces.cli.output import emit, emit_json, emit_lines, note


@click.command("index")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@project_option
@click.option("--rebuild", is_flag=True, help="Begin anew: the history of versions is lost.")
@click.option("--enrich", is_flag=True, help="Have the language model of the setting `llm` describe tables, once each.")
@click.option(
    "--values/--no-values",
    default=None,
    help="From now on, keep the distinct values of columns of text, so that questions find them; never of those that look personal.",
)
@click.option(
    "--statistics/--no-statistics",
    default=None,
    help="From now on, also read row counts and what a bounded sample of rows says of each column.",
)
@embedder_option
@json_option
def db_index(
    names: tuple[str, ...],
    path: str,
    rebuild: bool,
    enrich: bool,
    values: bool | None,
    statistics: bool | None,
    embedder: str | None,
    as_json: bool,
) -> int:
    """Read databases (all of the project, or those named) and keep what they are now: a new version where the structure changed.

    One that cannot be read costs the others nothing: its last version goes on serving. The exit code is then the one of the first such.
    """
    from clew.interfaces.cli.db_opening import databases
    from clew.interfaces.rendering.schema_plain import reading_lines
    from clew.interfaces.rendering.schema_wire import index_object

    started = time.monotonic()
    readings = []
    with databases(path, {"embedder": embedder}) as opened:
        if rebuild:
            opened.discard()
        for one in opened.index(names, enrich=enrich, values=values, statistics=statistics):
            readings.append(one)
            if not as_json:
                emit_lines(reading_lines(one))
            for warning in one.warnings:
                note(f"warning: {one.name}: {warning}")
    failed = [one.fault for one in readings if one.fault is not None]
    if as_json:
        emit_json(index_object(readings, time.monotonic() - started))
    elif failed and len(readings) > 1:
        emit(f"partial: {len(failed)} of {len(readings)} databases could not be read")
    return failed[0].exit_code if failed else 0
