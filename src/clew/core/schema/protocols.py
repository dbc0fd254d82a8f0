"""Which parts of the databases' side can be exchanged?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypedDict

from clew.core.schema.contracts import HeldValues, Snapshot


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a database is to be read. No `schemas`: all that are not the system's own. Statistics only when asked, from at most `sample_rows`
    rows a table; columns that look personal give no values unless `pii_values`. `values`: also the distinct values of columns of text, by which
    questions find them; never those of columns that look personal. `timeout_s` bounds each statement, `total_s` the whole."""

    schemas: tuple[str, ...] = ()
    statistics: bool = False
    samples: int = 5
    sample_rows: int = 10_000
    pii_values: bool = False
    values: bool = False
    timeout_s: float = 10.0
    total_s: float = 300.0


class Changed(TypedDict, total=False):
    """Wishes that are to be otherwise, by their names; those that are not named stay as they are."""

    schemas: tuple[str, ...]
    statistics: bool
    samples: int
    sample_rows: int
    pii_values: bool
    values: bool
    timeout_s: float
    total_s: float


class Reflector(Protocol):
    """Reads a datasource. Never writes, never ends over one broken table: what cannot be read is named in `unread`."""

    def __call__(self, name: str, url: str, wishes: Wishes) -> Snapshot:
        """The snapshot of what stands behind a URL (secrets filled in), not yet versioned. Raises UsageError for a URL that means nothing,
        Unreachable where nothing answers in time, MissingExtra where a driver is not installed."""
        ...


class SchemaStore(Protocol):
    """Where snapshots live: immutable, by datasource and version, the last few of each."""

    def register(self, snapshot: Snapshot) -> Snapshot:
        """Keep a snapshot and return it with fingerprint and version; one of the structure of the latest is the latest, whatever else it says
        (its statistics and descriptions are renewed, its version stays)."""
        ...

    def get(self, datasource: str, version: str) -> Snapshot | None:
        """This version, or None."""
        ...

    def latest(self, datasource: str) -> Snapshot | None:
        """The current one, or None."""
        ...

    def versions(self, datasource: str) -> tuple[str, ...]:
        """All kept versions, the oldest first."""
        ...

    def datasources(self) -> tuple[str, ...]:
        """Every datasource with a snapshot, in order."""
        ...

    def forget(self, datasource: str) -> None:
        """Delete all snapshots of a datasource."""
        ...


class Proposal(NamedTuple):
    """A chunk that a vector leg proposes: of a table (`column` empty), a column, a relationship (the first column that refers), a metric or
    a datasource (`table` is its name)."""

    datasource: str
    kind: str
    schema_name: str
    table: str
    column: str
    score: float


class SchemaVectors(Protocol):
    """The vector leg over schema chunks; what it raises (any ClewError) never empties an answer."""

    @property
    def model(self) -> str:
        """The name of the model that makes the vectors: cosines of two models mean different things."""
        ...

    def nearest(self, question: str, versions: Sequence[tuple[str, str]], kinds: Sequence[str], limit: int) -> tuple[Proposal, ...]:
        """The best chunks of these (datasource, version) pairs and kinds, by cosine, best first."""
        ...


class Holder(NamedTuple):
    """A column that holds a value: `key` are the folded words by which it was asked, `text` is how the database spells it."""

    datasource: str
    schema_name: str
    table: str
    column: str
    key: str
    text: str


class HeldCount(NamedTuple):
    """How much of a datasource's values is kept; `left_out` names columns that have more than the bound, and why."""

    columns: int = 0
    values: int = 0
    left_out: tuple[str, ...] = ()


class SchemaValues(Protocol):
    """Where values of columns are looked up; what it raises (any ClewError) never empties an answer."""

    def holding(self, keys: Sequence[str], datasources: Sequence[str]) -> tuple[Holder, ...]:
        """The columns of these datasources that hold values of these folded words, in order."""
        ...


class ValueStore(SchemaValues, Protocol):
    """Where values of columns are kept."""

    def keep(self, datasource: str, held: Sequence[HeldValues]) -> None:
        """Keep these, in the place of all of the datasource that were kept."""
        ...

    def count(self, datasource: str) -> HeldCount:
        """How much is kept."""
        ...

    def discard(self) -> None:
        """Delete all of it, damaged or not."""
        ...
