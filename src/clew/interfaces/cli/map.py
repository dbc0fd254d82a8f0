"""What does `clew map` do? It shows a project on one page."""

from __future__ import annotations

from pathlib import Path

import click

from clew.core.visible import visible
from clew.errors import UsageError
from clew.interfaces.cli.connections import NOTHING_FOUND, remarks
from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines
from clew.interfaces.cli.places import in_project, project_start

MAX_TOKENS = 2_000
"""A page that is read whole."""
FEWEST_TOKENS = 50


@click.command("map")
@click.argument("folder", required=False)
@click.option(
    "--max-tokens", metavar="N", type=int, default=MAX_TOKENS, show_default=str(MAX_TOKENS), help="A size that the map never exceeds."
)
@project_option
@json_option
def map(folder: str | None, max_tokens: int, path: str, as_json: bool) -> int:  # noqa: A001 - commands are found by their names
    """Show a project, or a FOLDER of it, on one page: folders with their numbers of files, and the files that others use most with their main definitions."""
    from clew.assembly import open_engine
    from clew.interfaces.rendering.overview import fitted, map_lines, map_object

    if max_tokens < FEWEST_TOKENS:
        raise UsageError(f"a map does not fit into {max_tokens} tokens", f"give it {FEWEST_TOKENS} or more")
    with open_engine(_start(path, folder)) as engine:
        inside = in_project(engine.root, folder) if folder else "."
        found = fitted(engine.map("" if inside == "." else inside), max_tokens)
    if as_json:
        emit_json(map_object(found))
    else:
        emit_lines(map_lines(found))
        remarks(found.warnings, [] if found.files else [f"no file of {visible(found.name)} is in the index"])
    return 0 if found.files else NOTHING_FOUND


def _start(path: str, folder: str | None) -> Path:
    """Where the project is sought: as `--path` says, else around the folder."""
    return project_start(None, str(Path(folder) / "any")) if folder and path == "." else Path(path)
