"""What is asked of a place that an agent looks at? A project that lies here, or a namespace of a server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Protocol

from clew.core.document import Definition
from clew.core.graph import Connections, Impact, Importers, ProjectMap, Related


class Looked(Protocol):
    """Who answers questions about what is known, as the engine does."""

    def symbol(self, name: str) -> Connections:
        """The definitions of a name."""
        ...

    def callers(self, name: str) -> Connections:
        """Who calls what it means."""
        ...

    def callees(self, name: str) -> Connections:
        """What its definitions call."""
        ...

    def importers(self, filepath: str) -> Importers:
        """The files that import a file."""
        ...

    def impact(self, name: str) -> Impact:
        """What a change of it touches."""
        ...

    def related(self, filepath: str, line: int) -> Related:
        """What belongs to a line."""
        ...

    def map(self, folder: str = "") -> ProjectMap:
        """The project, or a folder, on one page."""
        ...

    def outline(self, filepath: str) -> tuple[Definition, ...]:
        """The definitions of a file."""
        ...

    def read(self, filepath: str, line_start: int = 1, line_end: int | None = None) -> str:
        """Lines of a file."""
        ...

    def belongs(self, filepath: str) -> bool:
        """Whether a file may be read."""
        ...


class Told(Protocol):
    """What is left of warnings that an agent need not be told."""

    def warnings(self, said: Sequence[str]) -> tuple[str, ...]:
        """Those that say something new."""
        ...


class Place(Protocol):
    """A place: its root, what of it may be seen, and who answers."""

    @property
    def root(self) -> PurePath:
        """What paths are relative to, as it is named to agents."""
        ...

    @property
    def below(self) -> str:
        """The folder that was named, where it is not all of it."""
        ...

    @property
    def engine(self) -> Looked:
        """Who answers."""
        ...

    @property
    def project(self) -> Told:
        """What is told of the project."""
        ...

    def path(self, spelled: str) -> str:
        """The path that a spelling means. Raises UsageError for one outside."""
        ...

    def files(self) -> tuple[str, ...]:
        """The indexed files."""
        ...

    def holds(self, path: str) -> bool:
        """Whether a path may be seen."""
        ...
