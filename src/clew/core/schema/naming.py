"""What are the parts of a schema called in an index? Ids that carry the version, written so that they can be read back, and namespaces."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

Kind = Literal["datasource", "table", "column", "relationship", "metric"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_PLAIN = re.compile(r"[^\W]+(?:[-$ ][^\W]+)*")
"""Names that mean themselves in an id: words, with single blanks, hyphens and dollars inside. Any other one is quoted as in JSON."""
_ID = re.compile(r"schema\.(\w+):(.*):([^:]*)", re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|->|[.,]|[^".,]+?(?=->|[.,]|$)')
_ARROW = "->"
_SHOWN = 20
"""Letters of a datasource's name that its namespaces begin with, for people; the digest tells two apart."""


class Named(NamedTuple):
    """What an id says: of a datasource or a metric `name` alone, of a relationship the table that refers and the first column by which it does."""

    kind: Kind
    schema_name: str = ""
    name: str = ""
    column: str = ""
    version: str = ""


def quoted(part: str) -> str:
    """A name as it stands in an id."""
    return part if _PLAIN.fullmatch(part) else json.dumps(part)


def dotted(*parts: str) -> str:
    """Names joined to one that can be taken apart again; an empty schema is left out."""
    return ".".join(quoted(part) for place, part in enumerate(parts) if part or place)


def chunk_id(kind: Kind, name: str, version: str) -> str:
    """`schema.<kind>:<name>:<version>`; `name` is made by `dotted` or `relationship_name`."""
    return f"schema.{kind}:{name}:{version}"


def relationship_name(table: Sequence[str], columns: Sequence[str], referred: Sequence[str], referred_columns: Sequence[str]) -> str:
    """`public.orders.customer_id->public.customers.id`, of several columns each end's names with commas."""
    ends = ((table, columns), (referred, referred_columns))
    return _ARROW.join(f"{dotted(*end)}.{','.join(map(quoted, names))}" for end, names in ends)


def read_id(text: str) -> Named | None:
    """What a chunk's id names; None for what is no id of a schema's chunk."""
    found = _ID.fullmatch(text)
    kind = next((one for one in KINDS if found and one == found[1]), None)
    if found is None or kind is None:
        return None
    parts = _first_names(found[2])
    version = found[3]
    if kind in ("datasource", "metric"):
        return Named(kind, "", parts[0] if parts else "", "", version)
    if kind == "table":
        return Named(kind, *_with_schema(parts), "", version)
    return Named(kind, *_with_schema(parts[:-1]), parts[-1] if parts else "", version)


def _first_names(text: str) -> list[str]:
    """The names up to the first comma or arrow: of a relationship those of the table that refers, and its first column."""
    names: list[str] = []
    for token in _TOKEN.findall(text):
        if token in (_ARROW, ","):
            break
        if token != ".":
            names.append(json.loads(token) if token.startswith('"') else token)
    return names


def _with_schema(parts: Sequence[str]) -> tuple[str, str]:
    return (parts[0], parts[1]) if len(parts) > 1 else ("", parts[0] if parts else "")


def namespace_of(datasource: str, version: str = "") -> str:
    """The namespace of a version's chunks; without a version, the one that says which version is in force."""
    digest = hashlib.sha256(f"{datasource}\0{version}".encode("utf-8", "surrogatepass")).hexdigest()
    shown = re.sub(r"[^a-z0-9]+", "-", datasource.lower())[:_SHOWN].strip("-")
    return f"db-{f'{shown}-' if shown else ''}{digest[:16]}"
