"""Which state of a schema is meant? A version, the one before it, what the database is now; and the tables of one that a name means."""

from __future__ import annotations

import difflib

from clew.core.schema.addresses import masked_argument
from clew.core.schema.contracts import Snapshot, Table
from clew.core.schema.identity import Difference, difference
from clew.core.schema.protocols import SchemaStore
from clew.databases.registered import Registered
from clew.errors import NoIndex, UsageError
from clew.index.schema_serving import Serving
from clew.index.schema_upkeep import SchemaUpkeep

LIVE, PREVIOUS = "live", "previous"
"""Stand, after an @, for what the database is now, and for the version before the latest."""


class States:
    """The states of a project's schemas."""

    def __init__(self, registered: Registered, schemas: SchemaStore, serving: Serving, upkeep: SchemaUpkeep) -> None:
        self._registered = registered
        self._schemas = schemas
        self._serving = serving
        self._upkeep = upkeep

    def snapshot(self, name: str, version: str = "") -> Snapshot:
        """A version of a datasource, the latest where none is named, or the `previous` one. Raises UsageError, NoIndex."""
        self._registered.only(name)
        version = self._before_the_latest(name) if version == PREVIOUS else version
        found = self._schemas.get(name, version) if version else self._serving.latest((name,)).get(name)
        if found is None and version:
            kept = ", ".join(self._schemas.versions(name)) or "none"
            raise UsageError(f"{name} has no version {version}", f"kept are: {kept}")
        if found is None:
            raise NoIndex(f"{name} was not read yet", f"read it: clew db index {name}")
        return found

    def difference(self, before: str, after: str) -> Difference:
        """In what two states differ, as people write them; see `Databases.diff`."""
        name, version = self._meant(before)
        if not after and version in ("", LIVE):
            found = self._upkeep.compare(self._registered.only(name))
            is_taken_in = not found.tables and not version and len(self._schemas.versions(name)) > 1
            return difference(self.snapshot(name, PREVIOUS), self.snapshot(name)) if is_taken_in else found
        if not after:
            return self.difference(before, name)
        other, wanted = self._meant(after)
        if wanted == LIVE and version == "" and name == other:
            return self._upkeep.compare(self._registered.only(name))
        return difference(self._at(name, version), self._at(other, wanted))

    def _before_the_latest(self, name: str) -> str:
        kept = self._schemas.versions(name)
        if len(kept) < 2:
            raise UsageError(f"of {name} no version before the latest is kept", f"kept are: {', '.join(kept) or 'none'}")
        return kept[-2]

    def _meant(self, text: str) -> tuple[str, str]:
        """Datasource and version that a state's text means."""
        name, mark, version = text.partition("@")
        if mark or name in self._registered.names():
            return name, version
        self._registered.chosen()  # where there is none at all, that is what is wrong
        holders = [one for one in self._registered.names() if name in self._schemas.versions(one)]
        if len(holders) != 1:
            raise UsageError(
                f"{masked_argument(text)!r} is neither a database nor a version of one",
                "give NAME, NAME@VERSION, NAME@previous or NAME@live",
            )
        return holders[0], name

    def _at(self, name: str, version: str) -> Snapshot:
        if version != LIVE:
            return self.snapshot(name, version)
        return self._upkeep.live(self._registered.only(name)).model_copy(update={"version": LIVE})


def tables_called(snapshot: Snapshot, asked: str) -> tuple[Table, ...]:
    """The tables that a name means: exactly, else whatever the case. Raises UsageError naming the nearest."""
    bare = asked.replace('"', "").replace("`", "")
    exact = [one for one in snapshot.tables if {asked, bare} & {one.full_name, one.name}]
    found = exact or [one for one in snapshot.tables if bare.lower() in (one.full_name.lower(), one.name.lower())]
    if not found:
        for one in snapshot.unread:
            if bare.lower() in (one.name.lower(), f"{one.schema_name}.{one.name}".lower()):
                raise UsageError(f"{one.name} could not be read: {one.reason}", f"clew db index {snapshot.datasource} tries again")
        owner = next(
            (one for one in snapshot.tables for name in (one.full_name, one.name) if bare.lower().startswith(f"{name.lower()}.")), None
        )
        if owner is not None:
            raise UsageError(
                f"{snapshot.datasource} has no table {asked!r}",
                f"clew db show {snapshot.datasource}.{owner.full_name} shows the table and its columns",
            )
        close = difflib.get_close_matches(bare, [name for one in snapshot.tables for name in (one.full_name, one.name)], n=3)
        hint = f"did you mean {', '.join(dict.fromkeys(close))}?" if close else f"clew db show {snapshot.datasource} lists its tables"
        raise UsageError(f"{snapshot.datasource} has no table {asked!r}", hint)
    return tuple(found)
