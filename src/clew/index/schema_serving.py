"""Which snapshots answer a question, and what has to be said of them? What was never read is read, a file that changed again; else the last one serves."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Protocol

from clew.core.schema.contracts import Snapshot
from clew.core.schema.protocols import SchemaStore
from clew.core.schema.registry import OTHER_URL, Registration, Standing, Standings
from clew.errors import ClewError, Unreachable, UsageError
from clew.index.schema_upkeep import SchemaUpkeep, is_worth_trying


class Marked(SchemaStore, Standings, Protocol):
    """A store that also tells cheaply whether a latest snapshot is another one than before."""

    def marks(self) -> dict[str, str]:
        """What changes whenever the latest snapshot of a datasource does, by datasource."""
        ...

    def discard(self) -> None:
        """Delete all of it, damaged or not."""
        ...


class Serving:
    """The snapshots of a project, as questions need them; those that are current are kept in memory."""

    def __init__(self, schemas: Marked, upkeep: SchemaUpkeep) -> None:
        self._schemas = schemas
        self._upkeep = upkeep
        self._snapshots: dict[str, tuple[str, Snapshot]] = {}

    def made_current(self, chosen: Sequence[Registration]) -> tuple[list[str], list[ClewError]]:
        """Read what was never read, and files that changed. Returns what an answer has to say of each, and what hindered the reading."""
        there = self._schemas.marks()
        before = self._schemas.standings()
        faults: dict[str, ClewError] = {}
        for one in chosen:
            standing = before.get(one.name, Standing())
            is_other = one.name not in there or standing.drift == OTHER_URL
            fault = (
                self._read_anew(one, standing, is_known=one.name in there) if is_other else self._upkeep.refresh_changed_file(one, standing)
            )
            if fault is not None:
                faults[one.name] = fault
        after = self._schemas.standings()
        warnings: list[str] = []
        for one in chosen:
            is_missing = one.name in faults and one.name not in there
            warnings += _remarks(one.name, after.get(one.name, Standing()), faults.get(one.name), is_missing=is_missing)
        return warnings, list(faults.values())

    def _read_anew(self, one: Registration, standing: Standing, *, is_known: bool) -> ClewError | None:
        if is_worth_trying(standing):
            return self._upkeep.read(one).fault
        if is_known:
            return None
        return Unreachable(f"{one.name} was never read: {standing.fault}", f"clew db index {one.name}")

    def latest(self, names: Sequence[str]) -> dict[str, Snapshot]:
        """The latest snapshots of these datasources, read again only where they are others than before."""
        marks = self._schemas.marks()
        for name in names:
            known = self._snapshots.get(name)
            if name in marks and (known is None or known[0] != marks[name]):
                snapshot = self._schemas.latest(name)
                if snapshot is not None:
                    self._snapshots[name] = (marks[name], snapshot)
        return {name: self._snapshots[name][1] for name in names if name in marks and name in self._snapshots}

    def asked(self, chosen: Sequence[Registration], version: str) -> tuple[Snapshot, ...]:
        names = tuple(one.name for one in chosen)
        if not version:
            return tuple(self.latest(names).values())
        found = tuple(one for name in names if (one := self._schemas.get(name, version)) is not None)
        if not found:
            raise UsageError(f"no version {version} is kept of {', '.join(names)}", "clew db status names those that are")
        return found

    def mark(self, name: str) -> str:
        """What changes whenever the latest snapshot does that was given out."""
        return self._snapshots[name][0] if name in self._snapshots else ""


def ago(moment: int) -> str:
    """How long ago a moment is, in words."""
    seconds = max(0, int(time.time()) - moment)
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit} ago"
    return "just now" if seconds < 60 else "a minute ago"


def _remarks(name: str, standing: Standing, fault: ClewError | None, *, is_missing: bool) -> Iterator[str]:
    """What an answer has to say of a datasource."""
    reason = standing.fault or (fault.message if fault is not None else "")
    if is_missing:
        yield f"{name} is left out, it was never read: {reason}"
    elif reason:
        tried = ago(standing.tried_at) if standing.fault else "now"
        yield f"{name} could not be read {tried} ({reason}): answered from its snapshot, taken {ago(standing.read_at)}"
    if standing.drift:
        yield f"{name} was another than its snapshot {ago(standing.compared_at)} ({standing.drift}): clew db index {name} takes it in"
