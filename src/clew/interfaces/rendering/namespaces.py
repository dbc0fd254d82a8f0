"""How are namespaces shown? As JSON, as a line each, as facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.core.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.namespaces import Known


def namespace_object(known: Known) -> dict[str, Any]:
    """What `namespace … --json` prints of one."""
    record = known.record
    return {
        "namespace": record.name,
        "owner": record.owner,
        "team": record.team,
        "visibility": record.visibility,
        "grants": dict(record.grants),
        "role": known.role,
        "files": known.files,
        "chunks": known.chunks,
        "root": known.root,
    }


def namespace_lines(found: Sequence[Known]) -> Iterator[str]:
    """A line each."""
    width = max((len(one.record.name) for one in found), default=0)
    for one in found:
        whose = ", ".join(filter(None, (one.record.owner, one.record.team and f"team {one.record.team}")))
        told = (
            f"{one.record.name:<{width}}",
            f"{one.record.visibility:<7}",
            f"{one.files:,} files",
            f"{one.chunks:,} chunks",
            whose,
            one.root,
        )
        yield "  ".join(visible(part) for part in told if part)


def info_lines(known: Known) -> Iterator[str]:
    """A fact a line."""
    record = known.record
    facts = {
        "namespace": record.name,
        "visibility": record.visibility,
        "owner": record.owner,
        "team": record.team,
        "grants": ", ".join(f"{who} {role}" for who, role in sorted(record.grants.items())),
        "your role": known.role,
        "files": f"{known.files:,}",
        "chunks": f"{known.chunks:,}",
        "root": known.root,
    }
    yield from (f"{name:<10}  {visible(value)}" for name, value in facts.items() if value)
