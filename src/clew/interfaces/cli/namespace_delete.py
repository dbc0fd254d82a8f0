"""What does `clew namespace delete` do? It forgets all that a store holds under a name."""

from __future__ import annotations

from pathlib import Path

import click

from clew.errors import UsageError
from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit, emit_json


@click.command("delete")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Really do it: without, it is only told what would go.")
@project_option
@json_option
def namespace_delete(name: str, yes: bool, path: str, as_json: bool) -> int:
    """Forget all that is indexed under a name, and the name. Files of projects are not touched."""
    from clew.assembly import open_namespaces

    with open_namespaces(Path(path)) as namespaces:
        found = namespaces.one(name)
        if not yes:
            raise UsageError(
                f"{name} holds {found.chunks:,} chunks of {found.files:,} files", f"clew namespace delete {name} --yes forgets them"
            )
        namespaces.delete(name)
    if as_json:
        emit_json({"deleted": name, "files": found.files, "chunks": found.chunks})
    else:
        emit(f"{name} is gone: {found.chunks:,} chunks of {found.files:,} files")
    return 0
