"""What does `clew impact` do? It lists what to look at before something is changed."""

from __future__ import annotations

from pathlib import Path

import click

from clew.interfaces.cli.connections import NOTHING_FOUND, not_named, remarks
from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines


@click.command
@click.argument("name")
@project_option
@json_option
def impact(name: str, path: str, as_json: bool) -> int:
    """List what to look at before NAME is changed: callers (three levels), tests, what overrides it or builds upon it, importers of its file.

    NAME is `name`, `Type.name`, or `path:name`. Exit code 1: there is no such definition.
    """
    from clew.assembly import open_engine
    from clew.interfaces.rendering.connections import impact_lines, impact_object

    with open_engine(Path(path)) as engine:
        found = engine.impact(name)
    if as_json:
        emit_json(impact_object(found))
    else:
        emit_lines(impact_lines(found))
        remarks(found.warnings, [] if found.symbols else [not_named(name, found.near)])
    return 0 if found.symbols else NOTHING_FOUND
