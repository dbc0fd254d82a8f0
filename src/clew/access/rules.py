"""May they? Visibility says who sees a namespace, a role what they may do in it; a token may hold less than its bearer."""

from __future__ import annotations

from clew.core.access import ROLES, NamespaceRecord, Permission, Principal, Role

_FROM: dict[Permission, Role] = {
    "search": "viewer",
    "read": "viewer",
    "samples": "developer",
    "index": "developer",
    "delete": "operator",
    "manage": "admin",
}
"""The least role that has each permission."""


def permissions_of(role: Role) -> frozenset[Permission]:
    """What a role may do."""
    return frozenset(permission for permission, least in _FROM.items() if ROLES.index(least) <= ROLES.index(role))


def role_in(who: Principal, record: NamespaceRecord) -> Role | None:
    """The role of a principal in a namespace; None for who may not know that there is one.

    An owner is its admin. Everybody sees a public namespace, and who is of its team one of a team, with the role they have everywhere; an admin
    sees all. A grant counts for the namespace that it names; the greatest of what applies counts.
    """
    if who.namespaces is not None and record.name not in who.namespaces:
        return None
    if record.owner and record.owner == who.name:
        return "admin"
    open_to_all = record.visibility == "public" or who.role == "admin"
    in_team = record.visibility == "team" and bool(record.team) and record.team in who.teams
    roles = [who.role] if open_to_all or in_team else []
    if who.name in record.grants:
        roles.append(record.grants[who.name])
    return max(roles, key=ROLES.index, default=None)


def sees(who: Principal, record: NamespaceRecord) -> bool:
    """Whether a principal may know that a namespace is there."""
    return role_in(who, record) is not None


def may(who: Principal, permission: Permission, record: NamespaceRecord) -> bool:
    """Whether a principal may do this in the namespace."""
    role = role_in(who, record)
    allowed = who.permissions is None or permission in who.permissions
    return role is not None and allowed and permission in permissions_of(role)


def may_grant(who: Principal, role: Role, record: NamespaceRecord) -> bool:
    """Whether a principal may give somebody this role in the namespace: who manages it, and never above their own."""
    own = role_in(who, record)
    return own is not None and may(who, "manage", record) and ROLES.index(role) <= ROLES.index(own)
