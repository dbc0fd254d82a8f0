"""What does `clew db index` do? It reads databases, and keeps what they are now."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from clew.interfaces.cli.db_wishes import wish_options, wished
from clew.interfaces.cli.options import embedder_option, json_option, project_option
from clew.interfaces.cli.output import emit, emit_json, emit_lines, note

if TYPE_CHECKING:
    from clew.index.schema_upkeep import Reading


@click.command("index")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@project_option
@click.option("--rebuild", is_flag=True, help="Begin anew: the history of versions is lost.")
@click.option("--enrich", is_flag=True, help="Have the language model of the setting `llm` describe tables, once each.")
@wish_options
@embedder_option
@json_option
def db_index(names: tuple[str, ...], path: str, rebuild: bool, enrich: bool, embedder: str | None, as_json: bool, **wishes: Any) -> int:
    """Read databases (all of the project, or those named) and keep what they are now: a new version where the structure changed.

    What is said of how to read them counts from now on. One that cannot be read costs the others nothing: its last version goes on serving. The exit code is then the one of the first such.
    """
    from clew.interfaces.cli.db_opening import databases
    from clew.interfaces.rendering.schema_plain import reading_lines
    from clew.interfaces.rendering.schema_wire import index_object

    def told(one: Reading) -> None:
        if not as_json:
            emit_lines(reading_lines(one))
        for warning in one.warnings:
            note(f"warning: {one.name}: {warning}")

    started = time.monotonic()
    with databases(path, {"embedder": embedder}) as opened:
        if rebuild:
            opened.discard()
        readings = opened.index(names, enrich=enrich, progress=told, **wished(wishes))
    failed = [one.fault for one in readings if one.fault is not None]
    if as_json:
        emit_json(index_object(readings, time.monotonic() - started))
    elif failed and len(readings) > 1:
        emit(f"partial: {len(failed)} of {len(readings)} databases could not be read")
    return failed[0].exit_code if failed else 0
