"""What does `clew callees` do? It lists what a function or type calls."""

from __future__ import annotations

import click

from clew.interfaces.cli.connections import answer
from clew.interfaces.cli.options import json_option, project_option


@click.command
@click.argument("name")
@project_option
@json_option
def callees(name: str, path: str, as_json: bool) -> int:
    """List what NAME calls, as far as it is defined in the project: `name`, `Type.name`, or `path:name`.

    A call counts as certain where name, import and scope leave one definition; others are listed as possible. Exit code 1: it calls nothing.
    """
    return answer(path, name, lambda engine: engine.callees(name), "callees", as_json=as_json)
