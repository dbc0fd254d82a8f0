"""What does a store hold, whose is it, and who may see it? The façade of `clew namespace` and of the server, behind the one door."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Self

from clew.access.door import Audit, Door, Entry
from clew.core.access import ROLES, NamespaceRecord, Principal, Role
from clew.core.catalog import Changes
from clew.core.chunk import VISIBILITIES, Visibility
from clew.core.protocols import Store
from clew.errors import UsageError
from clew.setting_rules import is_namespace
from clew.stores.copying import Portable
from clew.stores.relabelling import relabel


@dataclass(frozen=True, slots=True)
class Known:
    """A namespace that the caller may see, their role in it, and what it holds."""

    record: NamespaceRecord
    role: Role
    files: int = 0
    chunks: int = 0
    root: str = ""


class Namespaces:
    """The namespaces of one store, seen by one principal. `own` is the project's, whose visibility is `set_by` its settings where these say one.

    What may not be seen is refused with the words for what there is not.
    """

    def __init__(self, store: Portable, who: Principal, own: str, *, set_by: str = "", audit: Audit | None = None) -> None:
        self._store = store
        self._who = who
        self.own = own
        self._set_by = set_by
        self._door = Door(store, audit) if audit else Door(store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        self._store.close()

    def all(self) -> tuple[Known, ...]:
        """Every namespace that may be seen, in order of name."""
        return tuple(self._known(record) for record in self._door.records(self._who))

    def one(self, name: str) -> Known:
        """One of them. Raises NoSuchNamespace."""
        return self._known(self._door.open(self._who, "search", name))

    def create(self, name: str, visibility: str = "private", team: str = "") -> Known:
        """Take a new name, as its owner. Raises UsageError for an illegal one, Forbidden for one that is taken or a role that does not reach."""
        if not is_namespace(name):
            raise UsageError(f"{name!r} cannot be a namespace", "it must be 3 to 63 of a-z, 0-9 and -, starting with a letter")
        facts = self._door.claimed(self._who, name, team, _visibility(visibility))
        self._apply(name, facts)
        return self.one(name)

    def change(self, name: str, visibility: str, team: str | None = None) -> Known:
        """Say who may see it, from the next question on; what is indexed of it is given the new visibility too."""
        if name == self.own and self._set_by:
            raise UsageError(f"the visibility of {name} is set in {self._set_by}", "change it there, or take it out")
        facts = self._door.changed(self._who, name, visibility=_visibility(visibility), team=team)
        owner = facts["owner"] or self._who.name  # who changes what was nobody's takes it
        with self._store.writer():
            relabel(self._store, name, {**facts, "owner": owner}, _visibility(visibility))
        self._door.told(Entry(self._who.name, "manage", (name,)))
        return self.one(name)

    def grant(self, name: str, to: str, role: str) -> Known:
        """Give somebody a role in it; `none` takes it away. Raises Forbidden for more than the caller's own."""
        if not to.strip():
            raise UsageError("nobody was named", "clew namespace grant viewer NAME_OF_THE_USER")
        given: dict[str, Role | None] = {**{one: one for one in ROLES}, "none": None}
        facts = self._door.granted(self._who, name, to, given[role])
        self._apply(name, {"grants": facts["grants"]})
        return self.one(name)

    def delete(self, name: str) -> None:
        """Forget all of it. Raises Forbidden, NoSuchNamespace, WriterBusy."""
        self._door.open(self._who, "delete", name)
        with self._store.writer():
            self._store.forget(name)
        self._door.told(Entry(self._who.name, "delete", (name,)))

    def _apply(self, name: str, facts: dict[str, str]) -> None:
        with self._store.writer():
            self._store.apply(Changes(name, facts=facts))
        self._door.told(Entry(self._who.name, "manage", (name,)))

    def _known(self, record: NamespaceRecord) -> Known:
        return known_of(self._store, record, self._door.role(self._who, record.name))


def known_of(store: Store, record: NamespaceRecord, role: Role) -> Known:
    """What a store holds of a namespace that a caller of this role has come to see."""
    counts = store.counts(record.name)
    return Known(record, role, counts.files, counts.chunks, store.facts(record.name).get("root", ""))


def _visibility(text: str) -> Visibility:
    found = next((one for one in VISIBILITIES if one == text), None)
    if found is None:
        raise UsageError(f"there is no visibility {text!r}", f"choose one of {', '.join(VISIBILITIES)}")
    return found
