"""What does following names need to know of a project? What its files say, and which of them hold a word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from clew.core.graph import Facts, Symbol


class Project(Protocol):
    """A project as the graph sees it; whoever has one reads files only when they are asked for."""

    @property
    def name(self) -> str:
        """The name of its folder."""
        ...

    @property
    def files(self) -> Mapping[str, str]:
        """The language of each file by path, in order of paths."""
        ...

    def facts(self, filepath: str) -> Facts | None:
        """What a file says of names; None for one that is gone or whose language has no facts."""
        ...

    def holding(self, word: str) -> tuple[str, ...]:
        """The files that hold a word, and perhaps some that hold one much like it, in order."""
        ...

    def named(self, name: str) -> tuple[Symbol, ...]:
        """The definitions whose last name is this one, in order."""
        ...

    def lines(self, filepath: str) -> tuple[str, ...]:
        """The lines of a file as it stands; none of one that cannot be read."""
        ...
