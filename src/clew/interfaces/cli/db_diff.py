"""What does `clew db diff` do? It says in what two states of a schema differ."""

from __future__ import annotations

import click

from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines


@click.command("diff")
@click.argument("before", metavar="A")
@click.argument("after", metavar="[B]", default="")
@project_option
@json_option
def db_diff(before: str, after: str, path: str, as_json: bool) -> int:
    """Say in what two states differ. A state is NAME (its latest version), NAME@VERSION, a version alone, NAME@previous or NAME@live.

    With NAME alone: what changed last, which is the database now against the latest version, or, where these are the same, that against the one before.
    Another state alone is compared with the latest version.
    """
    from clew.interfaces.cli.db_opening import databases
    from clew.interfaces.rendering.schema_plain import difference_lines
    from clew.interfaces.rendering.schema_wire import difference_object

    with databases(path) as opened:
        found = opened.diff(before, after)
    if as_json:
        emit_json(difference_object(found))
    else:
        emit_lines(difference_lines(found))
    return 0
