"""What is a token? Something that its bearer shows to a server; what is kept of it lets nobody in."""

from __future__ import annotations

from dataclasses import dataclass

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
