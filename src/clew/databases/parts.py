"""What do the databases of a project stand on that is put together elsewhere?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from clew.core.schema.meaning import Meanings
from clew.core.schema.protocols import SchemaVectors

if TYPE_CHECKING:
    from clew.search.uses import Uses


class Meant(NamedTuple):
    """What people added to the databases, the same object while their files are the same; and what is wrong in those."""

    meanings: Meanings
    warnings: tuple[str, ...] = ()


class Chunks(Protocol):
    """Where what is embedded of schemas lives; opened when it is needed."""

    def vectors(self) -> SchemaVectors | None:
        """The vector leg; None where nothing is embedded yet."""
        ...

    def outdated(self, versions: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """The datasources whose vectors are of another version than is asked for."""
        ...

    def forget(self, datasource: str) -> None:
        """Delete all of a datasource."""
        ...

    def discard(self) -> None:
        """Delete all of it, damaged or not."""
        ...

    def close(self) -> None:
        """Give back files and locks."""
        ...


class CodeBeside(Protocol):
    """The indexed code of the project, if it is; opened when it is needed."""

    def opened(self) -> Uses | None:
        """What tells which code uses a table; None where no code is indexed."""
        ...

    def close(self) -> None:
        """Give back files and locks."""
        ...
