"""How is a server set up? The table `[serve]` of the user's own settings: a project's file says nothing of it, nor does the project's author."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from clew.core.access import ROLES
from clew.core.credentials import ASYMMETRIC, Identity
from clew.errors import UsageError

MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class Serving:
    """Bounds and sinks of a server. `requests` are those of one principal in a minute; `seconds` those that one may take; `drain` those that a stop waits."""

    requests: int = 600
    seconds: int = 30
    body: int = 1_000_000
    threads: int = 8
    waiting: int = 200
    drain: int = 10
    hosts: tuple[str, ...] = ()
    audit: str = ""
    audit_text: bool = False
    audit_bytes: int = 50_000_000
    audit_kept: int = 5
    metrics: bool = False
    log: bool = False
    telemetry: bool = False
    identity: Identity | None = None


_LEAST, _MOST = 1, 1_000_000_000


def configured(table: object, origin: str) -> Serving:
    """What a `[serve]` table says, with `[serve.identity]` in it. Raises UsageError naming the key and what is allowed."""
    if table is None:
        return Serving()
    given = _table(table, "serve", origin)
    identity = given.pop("identity", None)
    made = replace(Serving(), **_values(given, Serving, "serve", origin))
    return replace(made, identity=_identity(identity, origin)) if identity is not None else made


def _identity(table: object, origin: str) -> Identity:
    given = _table(table, "serve.identity", origin)
    roles = _table(given.pop("roles", {}), "serve.identity.roles", origin)
    if isinstance(given.get("audience"), str):
        given["audience"] = [given["audience"]]
    made = replace(Identity(), **_values(given, Identity, "serve.identity", origin), roles=roles)
    for name, missing in (("issuer", not made.issuer), ("audience", not made.audience), ("jwks", not made.jwks)):
        if missing:
            raise UsageError(
                f"serve.identity in {origin} has no {name}", "give issuer, audience and jwks: without them a signature proves nothing"
            )
    for algorithm in made.algorithms:
        if algorithm not in ASYMMETRIC:
            raise UsageError(f"serve.identity in {origin} names the algorithm {algorithm!r}", f"it must be one of {', '.join(ASYMMETRIC)}")
    for role in (made.role, *roles.values()):
        if role not in ROLES:
            raise UsageError(f"serve.identity in {origin} names the role {role!r}", f"there are {', '.join(ROLES)}")
    return made


def _values(given: Mapping[str, Any], kind: type[Any], name: str, origin: str) -> dict[str, Any]:
    known = {one.name: one.default for one in fields(kind)}
    found: dict[str, Any] = {}
    for key, value in given.items():
        if key not in known:
            raise UsageError(f"{name} in {origin} has an unknown key: {key}", f"known: {', '.join(known)}")
        default = known[key]
        usual = tuple(value) if isinstance(default, tuple) and isinstance(value, list) else value
        fits = type(usual) is type(default) and (not isinstance(usual, tuple) or all(isinstance(one, str) for one in usual))
        if not fits or (type(usual) is int and not (0 if key == "leeway" else _LEAST) <= usual <= _MOST):
            raise UsageError(f"{name}.{key} in {origin} cannot be {str(value)[:60]!r}", f"it must be like {default!r}")
        found[key] = usual
    return found


def _table(value: object, name: str, origin: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{name} in {origin} is no table", f"write [{name}] and its keys below")
    return dict(value)
