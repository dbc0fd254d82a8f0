"""What does `clew symbol` do? It shows where a name is defined."""

from __future__ import annotations

import click

from clew.interfaces.cli.connections import answer
from clew.interfaces.cli.options import json_option, project_option


@click.command
@click.argument("name")
@project_option
@json_option
def symbol(name: str, path: str, as_json: bool) -> int:
    """Show where NAME is defined: `name`, `Type.name`, or `path:name` for the one of a file or folder.

    Several definitions of one name are all listed. Exit code 1: there is none.
    """
    return answer(path, name, lambda engine: engine.symbol(name), "symbol", as_json=as_json)
