"""What does `clew namespace` do? It says what is kept under which name, whose it is, and who may see it: one command a verb."""

from __future__ import annotations

import click

from clew.interfaces.cli.app import Commands

NAMES = ("list", "info", "create", "visibility", "grant", "delete")


@click.group(cls=Commands, names=NAMES, prefix="namespace_")
def namespace() -> None:
    """Say whose the namespaces of a project's store are, and who may see them.

    On this machine you may what the files let you; on a server a token's role counts (`clew serve`).
    """
