"""What do a project's databases add to an answer? Tables beside its code, where there are any; what hinders that costs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from clew.core.answer import Question, Result
from clew.errors import ClewError

if TYPE_CHECKING:
    from clew.search.tables import Tables


class TablesBeside(Protocol):
    """The databases of the project, of which there may be none, or some later."""

    def opened(self) -> Tables | None:
        """What is known of their tables; None where nothing is."""
        ...

    def close(self) -> None:
        """Give back files and locks."""
        ...


def with_tables(
    beside: TablesBeside | None, question: Question, mode: str, results: tuple[Result, ...]
) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """The results with what the databases have to do with them, and a warning where they could not be asked."""
    try:
        tables = beside.opened() if beside is not None else None
        return (tables.beside(question, mode, results) if tables is not None else results), ()
    except ClewError as fault:
        repair = " (`clew db index --rebuild` makes it anew)" if "--rebuild" in fault.hint else ""
        return results, (f"tables were not searched: {fault.message}{repair}",)
