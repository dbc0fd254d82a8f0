"""What does `clew namespace create` do? It takes a name in a store before anything is indexed under it."""

from __future__ import annotations

from pathlib import Path

import click

from clew.core.chunk import VISIBILITIES
from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines


@click.command("create")
@click.argument("name")
@click.option("--visibility", type=click.Choice(VISIBILITIES), default="private", show_default=True, help="Who may see it.")
@click.option(
    "--team", metavar="TEAM", default="", help="Whose it is, beside you: who is of the team sees it when it is of visibility team."
)
@project_option
@json_option
def namespace_create(name: str, visibility: str, team: str, path: str, as_json: bool) -> int:
    """Take a name in a project's store. `clew index` with the setting namespace fills it."""
    from clew.assembly import open_namespaces
    from clew.interfaces.rendering.namespaces import info_lines, namespace_object

    with open_namespaces(Path(path)) as namespaces:
        found = namespaces.create(name, visibility, team)
    if as_json:
        emit_json(namespace_object(found))
    else:
        emit_lines(info_lines(found))
    return 0
