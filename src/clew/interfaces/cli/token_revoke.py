"""What does `clew token revoke` do? It takes a token back: the next request with it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clew.errors import UsageError
from clew.interfaces.cli.options import json_option, tokens_option
from clew.interfaces.cli.output import emit, emit_json

if TYPE_CHECKING:
    from pathlib import Path


@click.command("revoke")
@click.argument("token", metavar="ID_OR_NAME")
@tokens_option
@json_option
def token_revoke(token: str, tokens: Path | None, as_json: bool) -> int:
    """Take back the token of this id, or all of this name."""
    from clew.interfaces.rendering.tokens import token_object
    from clew.stores.tokens import opened

    gone = opened(tokens).revoke(token)
    if not gone:
        raise UsageError(f"there is no token {token!r}", "clew token list names those there are")
    if as_json:
        emit_json({"revoked": [token_object(one) for one in gone]})
    else:
        emit(f"taken back: {', '.join(one.id for one in gone)}")
    return 0
