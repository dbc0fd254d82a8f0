"""What does `clew status` do? It tells the truth about the index."""

from __future__ import annotations

from pathlib import Path

import click

from clew.interfaces.cli.options import json_option, project_argument
from clew.interfaces.cli.output import emit_json, emit_lines


@click.command
@project_argument
@json_option
def status(path: str, as_json: bool) -> int:
    """Say what is indexed, what was left out and why."""
    from clew.assembly import open_engine
    from clew.interfaces.rendering.plain import status_lines
    from clew.interfaces.rendering.wire import status_object

    with open_engine(Path(path), create=False) as engine:
        state = engine.status()
    if as_json:
        emit_json(status_object(state))
    else:
        emit_lines(status_lines(state))
    return 0
