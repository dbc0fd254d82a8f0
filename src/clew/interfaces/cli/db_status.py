"""What does `clew db status` do? It tells the truth about the databases: what is known of each, and whether that still holds."""

from __future__ import annotations

import click

from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines


@click.command("status")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@project_option
@click.option("--offline", is_flag=True, help="Do not connect: say what is known.")
@json_option
def db_status(names: tuple[str, ...], path: str, offline: bool, as_json: bool) -> int:
    """Say how each database stands: its versions, what could not be read of it, and, after a look at it, whether it is still what was read."""
    from clew.interfaces.cli.db_opening import databases
    from clew.interfaces.rendering.schema_plain import status_lines
    from clew.interfaces.rendering.schema_wire import status_object

    with databases(path) as opened:
        listed = opened.status(names, live=not offline)
    if as_json:
        emit_json(status_object(listed))
    else:
        emit_lines(line for one in listed for line in status_lines(one))
    return next((one.fault.exit_code for one in listed if one.fault is not None), 0)
