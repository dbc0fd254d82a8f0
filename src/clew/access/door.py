"""What may this caller reach? The one door: who asks for namespaces by name or for all there are gets a scope, or a refusal that tells nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from clew.access.records import record_of, to_facts
from clew.access.rules import may, may_grant, role_in, sees
from clew.core.access import ROLES, NamespaceRecord, Permission, Principal, Role
from clew.core.chunk import VISIBILITIES, Visibility
from clew.core.query import Scope
from clew.errors import Forbidden, NoSuchNamespace


class Facts(Protocol):
    """What the door needs of a store: which namespaces there are, and what is kept with each."""

    def namespaces(self) -> tuple[str, ...]:
        """Every namespace, in order."""
        ...

    def facts(self, namespace: str) -> dict[str, str]:
        """What is kept with a namespace; nothing for one that there is not."""
        ...


@runtime_checkable
class AtOnce(Protocol):
    """A store that is far away, and tells all of it in one answer."""

    def all_facts(self) -> dict[str, dict[str, str]]:
        """What is kept with each namespace, in order of name."""
        ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the audit log. `text` is the question, where that is kept at all; `seconds` how long it took."""

    who: str
    what: str
    namespaces: tuple[str, ...] = ()
    allowed: bool = True
    results: int = 0
    seconds: float = 0.0
    text: str = ""


Audit = Callable[[Entry], None]


def _unkept(_: Entry) -> None:
    """Nothing is written down."""


class Door:
    """Decides for one store. Nothing is cached: what was taken from somebody a moment ago is gone with their next question."""

    def __init__(self, store: Facts, audit: Audit = _unkept) -> None:
        self._store = store
        self._audit = audit

    def records(self, who: Principal) -> tuple[NamespaceRecord, ...]:
        """The namespaces that a principal may know of, in order of name."""
        store = self._store
        facts = store.all_facts() if isinstance(store, AtOnce) else {name: store.facts(name) for name in store.namespaces()}
        every = (record_of(name, known) for name, known in facts.items())
        return tuple(record for record in every if sees(who, record))

    def scope(self, who: Principal, permission: Permission = "search", names: Sequence[str] = ()) -> Scope:
        """All namespaces in which this is permitted, or those of `names`.

        Raises NoSuchNamespace for a name that there is not, in the same words as for one that this principal may not see, and Forbidden where a
        namespace is seen but the role does not reach.
        """
        known = {record.name: record for record in self.records(who)}
        chosen = tuple(dict.fromkeys(names)) or tuple(name for name, record in known.items() if may(who, permission, record))
        for name in chosen:
            self._checked(who, permission, name, known)
        return Scope(chosen, VISIBILITIES)

    def open(self, who: Principal, permission: Permission, name: str) -> NamespaceRecord:
        """One namespace, for this purpose. Raises as `scope` does."""
        return self._checked(who, permission, name, {record.name: record for record in self.records(who)})

    def role(self, who: Principal, name: str) -> Role:
        """The role that a principal has in a namespace. Raises NoSuchNamespace."""
        record = next((one for one in self.records(who) if one.name == name), None)
        role = role_in(who, record) if record else None
        if role is None:
            raise no_such_namespace(name)
        return role

    def claimed(self, who: Principal, name: str, team: str = "", visibility: Visibility = "private") -> dict[str, str]:
        """The facts that make a new namespace the principal's own. Raises Forbidden where their role may not index, and for a name that is taken,
        whoever has it."""
        allowed = who.namespaces is None or name in who.namespaces
        if not (allowed and may(who, "index", NamespaceRecord(name, visibility="public"))):
            raise self._refused(who, "index", name)
        if name in self._store.namespaces() or self._store.facts(name):
            raise Forbidden(f"the name {name!r} cannot be taken", "choose another one")
        return to_facts(NamespaceRecord(name, who.name, team, visibility))

    def granted(self, who: Principal, name: str, to: str, role: Role | None) -> dict[str, str]:
        """The facts with this role for another principal in the namespace, or with none. Raises NoSuchNamespace, and Forbidden for who does not
        manage it and for a role above their own."""
        record = self.open(who, "manage", name)
        above = max((role, record.grants.get(to)), key=lambda one: ROLES.index(one) if one else -1)
        if above is not None and not may_grant(who, above, record):
            raise Forbidden(f"nobody gives or takes a role above their own: {above}", f"ask an admin of {name}")
        others = {known: given for known, given in record.grants.items() if known != to}
        return to_facts(replace(record, grants={**others, to: role} if role else others))

    def changed(self, who: Principal, name: str, *, visibility: Visibility | None = None, team: str | None = None) -> dict[str, str]:
        """The facts with another visibility or team. Raises as `open` does for manage."""
        record = self.open(who, "manage", name)
        team = record.team if team is None else team
        return to_facts(replace(record, visibility=visibility or record.visibility, team=team))

    def told(self, entry: Entry) -> None:
        """Write down what was done."""
        self._audit(entry)

    def _checked(self, who: Principal, permission: Permission, name: str, known: Mapping[str, NamespaceRecord]) -> NamespaceRecord:
        record = known.get(name)
        if record is None:
            self._audit(Entry(who.name, permission, (name,), allowed=False))
            raise no_such_namespace(name)
        if not may(who, permission, record):
            raise self._refused(who, permission, name)
        return record

    def _refused(self, who: Principal, permission: Permission, name: str) -> Forbidden:
        self._audit(Entry(who.name, permission, (name,), allowed=False))
        return Forbidden(f"{who.name} may not {WORDS[permission]} {name}", f"ask an admin of {name} for a role that may")


WORDS: dict[Permission, str] = {
    "search": "search in",
    "read": "read code of",
    "samples": "read values of",
    "index": "index into",
    "delete": "delete from",
    "manage": "manage",
}


def no_such_namespace(name: str, hint: str = "`clew namespace list` names those there are") -> NoSuchNamespace:
    """The refusal for what there is not and for what may not be seen: the same bytes, from here alone."""
    return NoSuchNamespace(f"there is no namespace {name!r} that you may use", hint)
