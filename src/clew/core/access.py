"""Who asks, and what belongs to whom? Principals, their roles, and what is known of a namespace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from clew.core.chunk import Visibility

Role = Literal["viewer", "developer", "operator", "admin"]
ROLES: tuple[Role, ...] = ("viewer", "developer", "operator", "admin")
"""Each may do what those before it may."""
Permission = Literal["search", "read", "samples", "index", "delete", "manage"]
PERMISSIONS: tuple[Permission, ...] = ("search", "read", "samples", "index", "delete", "manage")
"""Search; read code; read values and statistics of databases; index; delete; say who may."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: a user of this machine, or the bearer of a token.

    `namespaces` and `permissions`, where they are not None, are all that a token was given, whatever its bearer may otherwise.
    """

    name: str
    role: Role = "viewer"
    teams: frozenset[str] = frozenset()
    namespaces: frozenset[str] | None = None
    permissions: frozenset[Permission] | None = None


@dataclass(frozen=True, slots=True)
class NamespaceRecord:
    """Whose a namespace is and who may see it. `grants` are roles in this namespace alone, by the principal's name."""

    name: str
    owner: str = ""
    team: str = ""
    visibility: Visibility = "private"
    grants: Mapping[str, Role] = field(default_factory=dict)
