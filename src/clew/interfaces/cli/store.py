"""What does `clew store` do? It looks after databases that hold indexes: one command a verb."""

from __future__ import annotations

import click

from clew.interfaces.cli.app import Commands

NAMES = ("setup", "copy")


@click.group(cls=Commands, names=NAMES, prefix="store_")
def store() -> None:
    """Prepare a database for indexes, and copy an index from one store into another."""
