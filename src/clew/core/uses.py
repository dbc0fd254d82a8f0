"""Where does code use a table?"""

from __future__ import annotations

from typing import NamedTuple


class Use(NamedTuple):
    """A place of the code that uses a table, and as what."""

    filepath: str
    line: int
    symbol_name: str
    how: str

    def __str__(self) -> str:
        name = f" {self.symbol_name}" if self.symbol_name else ""
        return f"{self.filepath}:{self.line}{name} ({self.how})"
