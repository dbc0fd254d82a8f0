"""What does `clew namespace list` do? It names what a store holds, as far as you may see it."""

from __future__ import annotations

from pathlib import Path

import click

from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines


@click.command("list")
@project_option
@json_option
def namespace_list(path: str, as_json: bool) -> int:
    """Name the namespaces of a project's store, whose they are and who may see them."""
    from clew.assembly import open_namespaces
    from clew.interfaces.rendering.namespaces import namespace_lines, namespace_object

    with open_namespaces(Path(path)) as namespaces:
        found = namespaces.all()
    if as_json:
        emit_json({"namespaces": [namespace_object(one) for one in found]})
    else:
        emit_lines(namespace_lines(found))
    return 0
