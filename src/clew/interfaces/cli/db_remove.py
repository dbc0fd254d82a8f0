"""What does `clew db remove` do? It forgets a database."""

from __future__ import annotations

import click

from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit, emit_json


@click.command("remove")
@click.argument("name")
@project_option
@json_option
def db_remove(name: str, path: str, as_json: bool) -> int:
    """Forget a database: its URL, its password, all that was read of it. The database itself is not touched."""
    from clew.interfaces.cli.db_opening import databases

    with databases(path) as opened:
        opened.remove(name)
    if as_json:
        emit_json({"removed": name})
    else:
        emit(f"{name} is forgotten")
    return 0
