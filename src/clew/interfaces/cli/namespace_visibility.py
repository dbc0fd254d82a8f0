"""What does `clew namespace visibility` do? It says who may see a namespace, from the next question on."""

from __future__ import annotations

from pathlib import Path

import click

from clew.core.chunk import VISIBILITIES
from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines


@click.command("visibility")
@click.argument("visibility", type=click.Choice(VISIBILITIES))
@click.argument("name", required=False)
@click.option("--team", metavar="TEAM", help="The team that sees it when it is of visibility team.")
@project_option
@json_option
def namespace_visibility(visibility: str, name: str | None, team: str | None, path: str, as_json: bool) -> int:
    """Let nobody else (private), a team, or everybody who may use the store (public) see a namespace. NAME is the project's own by default."""
    from clew.assembly import open_namespaces
    from clew.interfaces.rendering.namespaces import info_lines, namespace_object

    with open_namespaces(Path(path)) as namespaces:
        found = namespaces.change(name or namespaces.own, visibility, team)
    if as_json:
        emit_json(namespace_object(found))
    else:
        emit_lines(info_lines(found))
    return 0
