"""What is a token? Something that its bearer shows to a server; what is kept of it lets nobody in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from clew.core.access import Permission, Principal, Role

PREFIX = "clew"
"""What each token begins with, so that whoever finds one knows what it is."""


@dataclass(frozen=True, slots=True)
class Credential:
    """What is kept of a token: the `digest` of its secret part alone. Times are seconds since 1970; `expires` 0 is never.

    `namespaces` and `permissions`, where they are not None, are all that it is good for, whatever its bearer may otherwise.
    """

    id: str
    name: str
    digest: str
    role: Role = "viewer"
    teams: tuple[str, ...] = ()
    namespaces: tuple[str, ...] | None = None
    permissions: tuple[Permission, ...] | None = None
    created: int = 0
    expires: int = 0

    @property
    def principal(self) -> Principal:
        """Who shows it."""
        return Principal(
            self.name,
            self.role,
            frozenset(self.teams),
            None if self.namespaces is None else frozenset(self.namespaces),
            None if self.permissions is None else frozenset(self.permissions),
        )

    def is_expired(self, now: float) -> bool:
        """Whether its time is over."""
        return bool(self.expires) and now >= self.expires


ASYMMETRIC = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""How a token may be signed: by a key of which only its maker has the secret half. A shared secret would let whoever checks tokens make them."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who signs the tokens of other makers (JWT, as of OpenID Connect), and what their claims mean here. `jwks` is a file or an address with their public keys;
    `roles` gives roles for values of `role_claim`, the greatest of which counts, and `role` is that of all others."""

    issuer: str = ""
    audience: tuple[str, ...] = ()
    jwks: str = ""
    algorithms: tuple[str, ...] = ("RS256", "ES256", "EdDSA")
    leeway: int = 30
    name_claim: str = "sub"
    teams_claim: str = ""
    role_claim: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    role: Role = "viewer"
