"""How is it kept whose a namespace is? As facts, beside the namespace itself, so that every store keeps it in the same transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping

from clew.core.access import ROLES, NamespaceRecord, Role
from clew.core.chunk import VISIBILITIES, Visibility

SAID = "said_visibility"
"""The fact in which a visibility is kept that was said by a command: one that a setting says counts as long as the setting does."""


def record_of(name: str, facts: Mapping[str, str]) -> NamespaceRecord:
    """What the facts of a namespace say; what they do not say, or say in an unknown way, lets nobody in."""
    visibilities: dict[str, Visibility] = {one: one for one in VISIBILITIES}
    visibility = visibilities.get(facts.get("visibility", ""), "private")
    return NamespaceRecord(name, facts.get("owner", ""), facts.get("team", ""), visibility, _grants(facts.get("grants", "")))


def to_facts(record: NamespaceRecord) -> dict[str, str]:
    """The facts that say it."""
    return {
        "owner": record.owner,
        "team": record.team,
        "visibility": record.visibility,
        SAID: record.visibility,
        "grants": json.dumps(dict(sorted(record.grants.items())), ensure_ascii=False) if record.grants else "",
    }


def _grants(text: str) -> dict[str, Role]:
    try:
        given = json.loads(text) if text else {}
    except ValueError:
        return {}
    roles = {role: role for role in ROLES}
    known = given.items() if isinstance(given, dict) else ()
    return {name: roles[role] for name, role in known if isinstance(role, str) and role in roles}
