"""What does `clew db` do? It leads through databases: one command a verb."""

from __future__ import annotations

import click

from clew.interfaces.cli.app import Commands

NAMES = ("add", "list", "index", "search", "show", "diff", "status", "check", "remove")


@click.group(cls=Commands, names=NAMES, prefix="db_")
def db() -> None:
    """Find the tables, columns and joins that a question needs. `clew db add` registers a database, `clew db search` asks.

    Exit codes as everywhere; db index, status and search with several databases end with the code of the first that could not be read.
    """
