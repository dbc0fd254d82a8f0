"""What does `clew token create` do? It makes a token and shows it, once."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, cast

import click

from clew.core.access import PERMISSIONS, ROLES
from clew.errors import UsageError
from clew.interfaces.cli.options import json_option, tokens_option
from clew.interfaces.cli.output import emit, emit_json, flush, note

if TYPE_CHECKING:
    from pathlib import Path

    from clew.core.access import Permission, Role

_UNITS = {"m": 60, "h": 3_600, "d": 86_400}
_NAME = re.compile(r"[^\x00-\x20\x7f](?:[^\x00-\x1f\x7f]{0,98}[^\x00-\x20\x7f])?")


@click.command("create")
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default="viewer", show_default="viewer", help="The role of its bearer.")
@click.option("--team", metavar="TEAM", multiple=True, help="A team that its bearer is of. May be repeated.")
@click.option("--namespace", metavar="NAME", multiple=True, help="Good for this namespace alone. May be repeated.")
@click.option(
    "--permission", type=click.Choice(PERMISSIONS), multiple=True, help="Good for this alone, whatever the role. May be repeated."
)
@click.option("--expires", metavar="TIME", default="90d", show_default="90d", help="When it ends: 12h, 90d, or never.")
@tokens_option
@json_option
def token_create(
    name: str,
    role: str,
    team: tuple[str, ...],
    namespace: tuple[str, ...],
    permission: tuple[str, ...],
    expires: str,
    tokens: Path | None,
    as_json: bool,
) -> int:
    """Make a token for NAME, and print it: it is not kept, and not shown again. What NAME owns or was granted in a namespace, its bearer has."""
    from clew.core.credentials import Credential
    from clew.interfaces.rendering.tokens import token_object
    from clew.setting_rules import is_namespace
    from clew.stores.tokens import opened

    if not _NAME.fullmatch(name):
        raise UsageError(f"{name[:100]!r} cannot be a name", "give one of at most 100 characters")
    for one in namespace:
        if not is_namespace(one):
            raise UsageError(f"{one!r} cannot be a namespace", "it must be 3 to 63 of a-z, 0-9 and -, starting with a letter")
    wanted = Credential(
        "", name, "", cast("Role", role), team, namespace or None, cast("tuple[Permission, ...]", permission) or None, expires=_end(expires)
    )
    kept, token = opened(tokens).create(wanted)
    if as_json:
        emit_json({**token_object(kept), "token": token})
    else:
        emit(token)
        flush()
        note("this is the only time that it is shown; its bearer sends it as: Authorization: Bearer TOKEN")
    return 0


def _end(text: str) -> int:
    """The second at which a token ends; 0 is never."""
    if text == "never":
        return 0
    found = re.fullmatch(r"([1-9][0-9]{0,4})([mhd])", text)
    if found is None:
        raise UsageError(f"{text!r} is no time", "give minutes, hours or days, such as 30m, 12h, 90d, or never")
    return int(time.time()) + int(found[1]) * _UNITS[found[2]]
