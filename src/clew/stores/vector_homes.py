"""Where may the vectors of a catalog live? In tables of a home, fed from the catalog by key; what a home loses is fed again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from clew.core.catalog import Vector, Vectors
    from clew.core.query import Scope


class Rows(NamedTuple):
    """Some chunks, a column at a time (every column of the table but `vector`, texts valid Unicode), and their vectors."""

    columns: Mapping[str, Sequence[Any]]
    vectors: Vectors


class Proposing(Protocol):
    """A table as it was when it was opened."""

    def propose(self, vector: Vector, scope: Scope | None, limit: int) -> list[tuple[str, str]]:
        """The keys of about the nearest rows in scope (None: of all)."""
        ...

    def close(self) -> None:
        """Give back what it holds."""
        ...


class VectorTable(Protocol):
    """The rows of one space. Whatever a method raises of its home's faults, the catalog has every row, or the snapshot has."""

    def is_whole(self) -> bool:
        """Whether it still holds what it was last fed, as far as that can be told without reading it all."""
        ...

    def rewrite(self, rows: Iterable[Rows], *, index_above: int) -> None:
        """Make it anew; above so many rows an approximate index is worth its making."""
        ...

    def update(self, deleted: Sequence[tuple[str, str]], rows: Iterator[Rows], *, index_above: int) -> None:
        """Delete rows by key, then insert or replace rows by key."""
        ...

    def vectors(self) -> Iterator[tuple[list[str], Vectors]]:
        """All checksums and vectors, some at a time."""
        ...

    def opened(self) -> Proposing:
        """The table as it is now, for searching."""
        ...


class VectorHome(Protocol):
    """The tables of one catalog."""

    @property
    def faults(self) -> tuple[type[Exception], ...]:
        """What it raises where something is missing, damaged, full or away."""
        ...

    @property
    def repair(self) -> str:
        """What a user can do where a table could not be written."""
        ...

    def table(self, name: str, dims: int) -> VectorTable:
        """The table of a space; it need not be there yet."""
        ...

    def listing(self, name: str) -> str:
        """What there is of a table, cheap to tell: it changes where the table is lost or was written by someone else. Empty where there is none."""
        ...

    def is_there(self, name: str, recorded: str) -> bool:
        """Whether what was listed once is there, times and owners aside."""
        ...

    def drop(self, name: str) -> None:
        """Delete a table, there or not."""
        ...

    def drop_others(self, known: Collection[str]) -> None:
        """Delete what is left of tables of other names, and of former homes."""
        ...
