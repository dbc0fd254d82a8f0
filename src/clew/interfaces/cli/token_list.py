"""What does `clew token list` do? It says which tokens are good, and for what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clew.interfaces.cli.options import json_option, tokens_option
from clew.interfaces.cli.output import emit_json, emit_lines

if TYPE_CHECKING:
    from pathlib import Path


@click.command("list")
@tokens_option
@json_option
def token_list(tokens: Path | None, as_json: bool) -> int:
    """List the tokens that were made and not taken back. The tokens themselves are not kept."""
    from clew.interfaces.rendering.tokens import token_lines, token_object
    from clew.stores.tokens import opened

    found = opened(tokens).all()
    if as_json:
        emit_json({"tokens": [token_object(one) for one in found]})
    else:
        emit_lines(token_lines(found))
    return 0
