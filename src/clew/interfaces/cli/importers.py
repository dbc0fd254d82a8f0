"""What does `clew importers` do? It lists the files that import a file."""

from __future__ import annotations

import click

from clew.interfaces.cli.connections import NOTHING_FOUND, remarks
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.output import emit_json, emit_lines
from clew.interfaces.cli.places import opened


@click.command
@click.argument("file")
@click.option("--path", metavar="PATH", help="The project.  [default: the one around the file]")
@json_option
def importers(file: str, path: str | None, as_json: bool) -> int:
    """List the files that import FILE, each with the line. Exit code 1: there is none."""
    from clew.interfaces.rendering.connections import importer_lines, importers_object

    with opened(path, file) as (engine, filepath):
        found = engine.importers(filepath)
    if as_json:
        emit_json(importers_object(found))
    else:
        emit_lines(importer_lines(found))
        remarks(found.warnings, [] if found.importers else [f"no file imports {filepath}"])
    return 0 if found.importers else NOTHING_FOUND
