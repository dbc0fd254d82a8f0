"""What does `clew gc` do? It makes an index as small as it gets."""

from __future__ import annotations

from pathlib import Path

import click

from clew.interfaces.cli.options import json_option, project_argument
from clew.interfaces.cli.output import emit, emit_json


@click.command
@project_argument
@json_option
def gc(path: str, as_json: bool) -> int:
    """Make an index as small as it gets: vectors of models used before, unused pages and old versions go. Nothing has to be indexed again."""
    from clew.assembly import open_engine
    from clew.interfaces.rendering.plain import thinned_line
    from clew.interfaces.rendering.wire import thinned_object

    with open_engine(Path(path), create=False) as engine:
        thinned = engine.gc()
    if as_json:
        emit_json(thinned_object(thinned))
    else:
        emit(thinned_line(thinned))
    return 0
