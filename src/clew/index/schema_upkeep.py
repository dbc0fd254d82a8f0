"""How do the snapshots of a project's databases stay current? Each is read when asked, a file also when it changed; what was read last goes on serving."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from clew.core.schema.addresses import HIDDEN, Filled, file_of, filled, redacted, variables, with_file
from clew.core.schema.contracts import HeldValues, Snapshot, Unread
from clew.core.schema.identity import Difference, difference, fingerprint, in_a_line
from clew.core.schema.protocols import Reflector, SchemaStore, Wishes
from clew.core.schema.registry import Registration, Registry, Standing, Standings
from clew.errors import ClewError, IndexUnusable, WriterBusy
from clew.index.schema_enrichment import Enriched
from clew.index.schema_refresh import Refreshed

Outcome = Literal["new", "changed", "unchanged", "failed"]
BESIDE = ("", "-wal")
"""Endings of files in which a database file's content may stand."""
PATIENCE = 10
"""After a failure, questions try again when this many times the time it took has passed: at once where it was refused, after minutes where it hung."""
FAULT_OF_OURS = "please report it: clew db index should have named what it could not read"


@dataclass(frozen=True, slots=True)
class Reading:
    """How one datasource was read. `fault` is what kept it from being read; then `snapshot` is the one that goes on serving, if there is any."""

    name: str
    outcome: Outcome
    snapshot: Snapshot | None = None
    fault: ClewError | None = None
    refreshed: Refreshed | None = None
    warnings: tuple[str, ...] = field(default=())
    seconds: float = 0.0
    enriched: Enriched | None = None


class SchemaUpkeep:
    """Reads the databases of a project. `refresh` brings the chunks of a snapshot up to date, `describe` has a language model describe its tables,
    `variable` gives the value of one of the environment."""

    def __init__(
        self,
        root: Path,
        registry: Registry,
        schemas: SchemaStore,
        standings: Standings,
        reflect: Reflector,
        refresh: Callable[[Snapshot], Refreshed | None],
        variable: Callable[[str], str | None],
        describe: Callable[[Snapshot], Enriched],
        keep_values: Callable[[str, Sequence[HeldValues]], None],
    ) -> None:
        self._root = root
        self._registry = registry
        self._schemas = schemas
        self._standings = standings
        self._reflect = reflect
        self._refresh = refresh
        self._variable = variable
        self._describe = describe
        self._keep_values = keep_values

    def read(self, registration: Registration, *, enrich: bool = False) -> Reading:
        """Read a datasource and keep what it is now: a new version where its structure changed; `enrich` has its tables described before they are
        embedded. Never raises for what is wrong with this one."""
        started = time.monotonic()
        before = self._schemas.latest(registration.name)
        stamp = self.stamp(registration)
        try:
            taken = self._taken(registration, registration.wishes)
        except ClewError as fault:
            self._failed(registration.name, fault, started)
            return Reading(registration.name, "failed", before, fault, seconds=_since(started))
        snapshot = self._schemas.register(taken.model_copy(update={"held": ()}))
        remarks = self._values_kept(registration.name, taken.held)
        now = int(time.time())
        self._note(registration.name, Standing(read_at=now, tried_at=now, stamp=stamp, compared_at=now))
        enriched = self._describe(snapshot) if enrich else None
        refreshed, warnings = self._refreshed(snapshot)
        notes = (enriched.note,) if enriched and enriched.note else ()
        outcome: Outcome = "new" if before is None else "unchanged" if before.version == snapshot.version else "changed"
        said = (*snapshot.warnings, *remarks, *notes, *warnings)
        return Reading(registration.name, outcome, snapshot, None, refreshed, said, _since(started), enriched)

    def live(self, registration: Registration) -> Snapshot:
        """What the database is now, without statistics; not kept. Raises Unreachable, UsageError, MissingExtra."""
        started = time.monotonic()
        try:
            return self._taken(registration, replace(registration.wishes, statistics=False, values=False))
        except ClewError as fault:
            self._failed(registration.name, fault, started)
            raise

    def compare(self, registration: Registration) -> Difference:
        """In what the database differs from its latest snapshot; noted, so that answers say it. Raises as `live` does."""
        known = self._schemas.latest(registration.name) or Snapshot(datasource=registration.name, dialect="")
        found = difference(known, self.live(registration))
        now = int(time.time())
        standing = self._standings.standing(registration.name)
        self._note(registration.name, replace(standing, tried_at=now, compared_at=now, fault="", drift=in_a_line(found)))
        return found

    def refresh_changed_file(self, registration: Registration, standing: Standing) -> ClewError | None:
        """Where a datasource is a file that changed since it was read, look at its structure, and read it again where that is another.
        Returns what hindered that."""
        stamp = self.stamp(registration)
        if not stamp or stamp == standing.stamp or not is_worth_trying(standing):
            return None
        try:
            live = self.live(registration)
            known = self._schemas.latest(registration.name)
            if known is None or known.fingerprint != fingerprint(live) or difference(known, live).tables:
                return self.read(registration).fault
            self._note(registration.name, replace(standing, stamp=stamp, fault="", drift="", tried_at=int(time.time())))
        except ClewError as fault:
            return fault
        return None

    def stamp(self, registration: Registration) -> str:
        """How the file of a datasource, or the folder, looks; empty where it is none."""
        path = _path(os.fspath(self._root), registration.url)
        return looks(path) if path else ""

    def _taken(self, registration: Registration, wishes: Wishes) -> Snapshot:
        """What a datasource is now, without a secret in it. Raises ClewError, also for what a driver should not have raised."""
        address = self._address(registration)
        fault: ClewError
        try:
            taken = self._reflect(registration.name, address.url, wishes)
        except ClewError as raised:
            fault = _without(raised, address.secrets)
        except Exception as raised:  # noqa: BLE001 - the door of one datasource: a fault in reading it must not cost the others theirs
            fault = ClewError(redacted(f"it could not be read ({type(raised).__name__}: {raised})", address.secrets), FAULT_OF_OURS)
        else:
            return _cleaned(taken, address.secrets)
        raise fault from None  # the cause may hold the URL

    def _address(self, registration: Registration) -> Filled:
        url = registration.url
        if path := file_of(url):
            url = with_file(url, os.fspath(self._root / path))
        secrets = self._registry.secrets(registration.name) if HIDDEN in url else {}
        return filled(url, secrets, self._variable)

    def _failed(self, name: str, fault: ClewError, started: float) -> None:
        standing = self._standings.standing(name)
        self._note(name, replace(standing, tried_at=int(time.time()), took=_since(started), fault=fault.message))

    def _note(self, name: str, standing: Standing) -> None:
        """Keep how it stands, where that can be written: an answer does not hang on it."""
        with suppress(IndexUnusable, WriterBusy):
            self._standings.note(name, standing)

    def _values_kept(self, name: str, held: Sequence[HeldValues]) -> tuple[str, ...]:
        """The values of columns kept; what hinders that costs nothing else."""
        try:
            self._keep_values(name, held)
        except ClewError as fault:
            return (f"values of columns are not kept: {fault.message}",)
        return ()

    def _refreshed(self, snapshot: Snapshot) -> tuple[Refreshed | None, tuple[str, ...]]:
        """The snapshot's chunks brought up to date; what hinders that costs their vectors, never the snapshot."""
        try:
            done = self._refresh(snapshot)
            return done, (done.warning,) if done is not None and done.warning else ()
        except ClewError as fault:
            return None, (f"searched by words alone: {said_of_chunks(fault)}",)


def said_of_chunks(fault: ClewError) -> str:
    """What is wrong with the index of schemas and what repairs it: it is made by another command than that of the code."""
    hint = fault.hint.replace("`clew index", "`clew db index")
    return f"{fault.message} ({hint})" if hint else fault.message


def is_worth_trying(standing: Standing) -> bool:
    """Whether a datasource that could not be read may be tried again by a question, which waits for it."""
    return not standing.fault or time.time() - standing.tried_at >= PATIENCE * standing.took


@lru_cache(2_048)
def _path(root: str, url: str) -> str:
    """The file or folder of a datasource; empty where it is none, or one that a variable names."""
    path = file_of(url)
    return os.path.join(root, path) if path and not variables(path) else ""  # noqa: PTH118 - once for each database of each question


def looks(path: str) -> str:
    """How a file looks, by which a change is seen; a folder by all that is in it. `gone` where there is nothing."""
    if os.path.isdir(path):  # noqa: PTH112 - false, where Path.is_dir raises, for a name that is too long
        inside = sorted(os.path.join(where, name) for where, _, names in os.walk(path) for name in names)  # noqa: PTH118
        return hashlib.sha256(" ".join(f"{name}:{_looks(name)}" for name in inside).encode("utf-8", "surrogateescape")).hexdigest()
    return " ".join(one for ending in BESIDE if (one := _looks(path + ending))) or "gone"


def _looks(path: str) -> str:
    try:
        found = os.stat(path)  # noqa: PTH116 - once for each database of each question
    except OSError:
        return ""
    return f"{found.st_size}@{found.st_mtime_ns}#{found.st_ino}"


def _since(started: float) -> float:
    return round(time.monotonic() - started, 3)


def _without(fault: ClewError, secrets: Sequence[str]) -> ClewError:
    """The same fault, its words without secrets."""
    return fault.__class__(redacted(fault.message, secrets), redacted(fault.hint, secrets))


def _cleaned(taken: Snapshot, secrets: Sequence[str]) -> Snapshot:
    """The snapshot, what was said on the way without secrets."""
    if not secrets:
        return taken
    unread = tuple(Unread(schema_name=one.schema_name, name=one.name, reason=redacted(one.reason, secrets)) for one in taken.unread)
    tables = tuple(
        one.model_copy(update={"degraded": tuple(redacted(text, secrets) for text in one.degraded)}) if one.degraded else one
        for one in taken.tables
    )
    warnings = tuple(redacted(text, secrets) for text in taken.warnings)
    return taken.model_copy(update={"unread": unread, "warnings": warnings, "tables": tables})
