"""How are tokens shown? As JSON and as a line each, never with what would let somebody in."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from clew.core.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.core.credentials import Credential


def token_object(one: Credential) -> dict[str, Any]:
    """What `token … --json` prints of one. `namespaces` and `permissions` are null where it is good for all that its bearer may."""
    return {
        "id": one.id,
        "name": one.name,
        "role": one.role,
        "teams": list(one.teams),
        "namespaces": None if one.namespaces is None else list(one.namespaces),
        "permissions": None if one.permissions is None else list(one.permissions),
        "created": one.created,
        "expires": one.expires,
    }


def token_lines(found: Sequence[Credential]) -> Iterator[str]:
    """A line each."""
    width = max((len(one.name) for one in found), default=0)
    for one in found:
        over = " (over)" if one.is_expired(time.time()) else ""
        end = f"until {time.strftime('%Y-%m-%d %H:%M', time.localtime(one.expires))}{over}" if one.expires else "without end"
        teams = f"of {', '.join(one.teams)}" if one.teams else ""
        only = f"only in {', '.join(one.namespaces)}" if one.namespaces is not None else ""
        may = f"only to {', '.join(one.permissions)}" if one.permissions is not None else ""
        yield "  ".join(visible(part) for part in (one.id, f"{one.name:<{width}}", one.role, end, teams, only, may) if part)
