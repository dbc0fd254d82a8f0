"""What does `clew namespace info` do? It tells all that is known of one namespace."""

from __future__ import annotations

from pathlib import Path

import click

from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines


@click.command("info")
@click.argument("name", required=False)
@project_option
@json_option
def namespace_info(name: str | None, path: str, as_json: bool) -> int:
    """Tell whose a namespace is, who may see it, your role in it and what it holds. NAME is the project's own by default."""
    from clew.assembly import open_namespaces
    from clew.interfaces.rendering.namespaces import info_lines, namespace_object

    with open_namespaces(Path(path)) as namespaces:
        found = namespaces.one(name or namespaces.own)
    if as_json:
        emit_json(namespace_object(found))
    else:
        emit_lines(info_lines(found))
    return 0
