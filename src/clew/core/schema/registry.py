"""Which databases does a project have, and how does each stand? What was registered, and what became of the last attempts to read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from clew.core.schema.protocols import Wishes


@dataclass(frozen=True, slots=True)
class Registration:
    """A datasource: its name, its URL without any secret (`***`, `${VARIABLE}`), how it is to be read."""

    name: str
    url: str
    wishes: Wishes = field(default_factory=Wishes)


OTHER_URL = "another URL was given"
"""The drift of a datasource that was not read since its name means another database."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How reading a datasource went; times are seconds since 1970, 0 for never. `fault` is why the last attempt failed, empty when it did not, and `took` how many seconds that took;
    `stamp` is how a file looked when it was read; `drift` says in what the database differed from the snapshot when they were last compared."""

    read_at: int = 0
    tried_at: int = 0
    fault: str = ""
    took: float = 0.0
    stamp: str = ""
    drift: str = ""
    compared_at: int = 0


class Registry(Protocol):
    """Where registrations are kept, and what is secret in them, apart."""

    @property
    def vault(self) -> str:
        """The file in which secrets are kept."""
        ...

    def all(self) -> dict[str, Registration]:
        """Every registration by name, in order of names."""
        ...

    def put(self, registration: Registration, secrets: Mapping[str, str]) -> None:
        """Keep a registration, in the place of one of that name, with its secrets by place."""
        ...

    def secrets(self, name: str) -> dict[str, str]:
        """The secrets of a registration, those that are known on this machine."""
        ...

    def set_aside(self) -> tuple[str, ...]:
        """Put files that are damaged beside, and what can be read of them back in their places; returns where they are now."""
        ...

    def remove(self, name: str) -> None:
        """Forget a registration and its secrets."""
        ...


class Standings(Protocol):
    """Where standings are kept."""

    def standing(self, datasource: str) -> Standing:
        """How a datasource stands; that nothing is known, where nothing is."""
        ...

    def standings(self) -> dict[str, Standing]:
        """How every datasource stands of which anything is known."""
        ...

    def note(self, datasource: str, standing: Standing) -> None:
        """Keep how it stands now."""
        ...
