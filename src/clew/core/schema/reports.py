"""What do the databases of a project say of themselves? Added, listed, shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.core.schema.contracts import Snapshot, Table
from clew.core.schema.identity import Difference, in_a_line
from clew.core.schema.protocols import HeldCount
from clew.core.schema.registry import Registration, Standing
from clew.errors import ClewError


@dataclass(frozen=True, slots=True)
class Added:
    """What adding did: `outcome` is added, replaced or unchanged; `has_secrets` says that some were given, and kept apart on this machine;
    `set_aside` are files that were damaged, where they are now."""

    registration: Registration
    outcome: str
    has_secrets: bool = False
    set_aside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """A datasource as it is listed: `kept` are its versions, the oldest first, `snapshot` the latest, `values` how many of its values are kept."""

    registration: Registration
    standing: Standing
    snapshot: Snapshot | None = None
    kept: tuple[str, ...] = ()
    drift: Difference | None = None
    fault: ClewError | None = None
    values: HeldCount = field(default_factory=HeldCount)

    @property
    def drifted(self) -> str:
        """In what the database is another than its snapshot, in a line: as seen just now, else as known; empty where it is not."""
        return self.standing.drift if self.drift is None else in_a_line(self.drift)


@dataclass(frozen=True, slots=True)
class Shown:
    """A datasource, or some tables of it."""

    snapshot: Snapshot
    tables: tuple[Table, ...]
    warnings: tuple[str, ...] = ()
