"""Which commands are there for tokens?"""

from __future__ import annotations

import click

from clew.interfaces.cli.app import Commands

NAMES = ("create", "list", "revoke")


@click.group(cls=Commands, names=NAMES, prefix="token_")
def token() -> None:
    """Make, list and take back the tokens that `clew serve` asks for."""
