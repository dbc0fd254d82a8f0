"""What does `clew namespace grant` do? It gives somebody a role in one namespace, or takes it away."""

from __future__ import annotations

from pathlib import Path

import click

from clew.core.access import ROLES
from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines


@click.command("grant")
@click.argument("role", type=click.Choice((*ROLES, "none")))
@click.argument("who")
@click.argument("name", required=False)
@project_option
@json_option
def namespace_grant(role: str, who: str, name: str | None, path: str, as_json: bool) -> int:
    """Give WHO a role in a namespace, whatever its visibility; `none` takes it away. NAME is the project's own by default.

    viewer: search and read. developer: index, and see values of databases. operator: delete. admin: say who may. Nobody gives more than they have.
    """
    from clew.assembly import open_namespaces
    from clew.interfaces.rendering.namespaces import info_lines, namespace_object

    with open_namespaces(Path(path)) as namespaces:
        found = namespaces.grant(name or namespaces.own, who, role)
    if as_json:
        emit_json(namespace_object(found))
    else:
        emit_lines(info_lines(found))
    return 0
