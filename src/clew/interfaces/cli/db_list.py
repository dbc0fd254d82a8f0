"""What does `clew db list` do? It names the databases of a project."""

from __future__ import annotations

import click

from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines


@click.command("list")
@project_option
@json_option
def db_list(path: str, as_json: bool) -> int:
    """List the registered databases, and what was read of them last. Does not connect."""
    from clew.interfaces.cli.db_opening import databases
    from clew.interfaces.rendering.schema_plain import list_lines
    from clew.interfaces.rendering.schema_wire import list_object

    with databases(path) as opened:
        listed = opened.listed()
    if as_json:
        emit_json(list_object(listed))
    else:
        emit_lines(list_lines(listed))
    return 0
