"""What is a mount? Namespaces of another store that are searched beside a project's own, without being copied."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mount:
    """A store, and those of its namespaces that are meant; none means all that may be mounted.

    `store` is the folder of another project, or an address (`mongodb://…`). `origin` is the file that says so; `is_trusted` whether the user wrote
    it, and not whoever wrote the project.
    """

    store: str
    namespaces: tuple[str, ...] = ()
    origin: str = ""
    is_trusted: bool = True

    @property
    def is_address(self) -> bool:
        """Whether it stands on a server, not in a folder."""
        return "://" in self.store
