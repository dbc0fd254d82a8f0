"""What does `clew callers` do? It lists who calls a function or type."""

from __future__ import annotations

import click

from clew.interfaces.cli.connections import answer
from clew.interfaces.cli.options import json_option, project_option


@click.command
@click.argument("name")
@click.option("--depth", metavar="N", type=int, default=1, show_default="1", help="Also who calls the callers, so many levels deep.")
@project_option
@json_option
def callers(name: str, depth: int, path: str, as_json: bool) -> int:
    """List who calls NAME: `name`, `Type.name`, or `path:name`.

    A call counts as certain where name, import and scope leave one definition; others are listed as possible. Exit code 1: nobody calls it.
    """
    return answer(path, name, lambda engine: engine.callers(name, depth), "callers", as_json=as_json)
