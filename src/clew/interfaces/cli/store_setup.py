"""What does `clew store setup` do? It makes the indexes of a database, and waits until they can be asked."""

from __future__ import annotations

from pathlib import Path

import click

from clew.interfaces.cli.options import json_option, project_argument
from clew.interfaces.cli.output import emit_json, emit_lines, note


@click.command("setup")
@project_argument
@click.option("--store", "address", metavar="ADDRESS", help="The database, instead of the one that is set (mongodb://HOST/DATABASE).")
@json_option
def store_setup(path: str, address: str | None, as_json: bool) -> int:
    """Make the indexes that a database lacks, bring the others to their present form, and wait until all can be asked."""
    from clew.assembly_stores import open_shared

    store = open_shared(Path(path), {"store": address})
    try:
        found = store.setup(said=note)
    finally:
        store.close()
    if as_json:
        emit_json({"indexes": [one._asdict() for one in found]})
    else:
        emit_lines([f"{one.collection}: {one.name} is {one.status}" for one in found])
    return 0
