"""When are two snapshots the same schema, and in what do they differ? Pure: a fingerprint over structure, a version made of it, a difference."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clew.core.schema.contracts import Check, Column, ForeignKey, Snapshot, Table, UniqueKey

Verb = Literal["added", "removed", "changed"]
_DIGITS = 8
"""Hex digits of the fingerprint in a version: four billion, and the second stands before it."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference inside a table. `part` is what differs (column, primary key, foreign key, unique key, check, kind, definition, partition,
    description, column description), `name` which one; `before` and `after` are empty where there is none."""

    part: str
    verb: Verb
    name: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class TableChange:
    """How one table differs: it came, it went, or `changes` says what of it did."""

    schema_name: str
    name: str
    verb: Verb
    changes: tuple[Change, ...] = ()

    @property
    def full_name(self) -> str:
        """`schema.table`, for people."""
        return f"{self.schema_name}.{self.name}" if self.schema_name else self.name


@dataclass(frozen=True, slots=True)
class Difference:
    """Tables that differ, in order of their keys. `is_structural` False: nothing but descriptions do."""

    before: str
    after: str
    tables: tuple[TableChange, ...] = ()
    is_structural: bool = False


def fingerprint(snapshot: Snapshot) -> str:
    """SHA-256, in hex, over what is structure: not the order of parts, nor names of constraints, texts, statistics, guesses, or the datasource's name."""
    tables = sorted(_canonical(table) for table in snapshot.tables)
    content = json.dumps([snapshot.dialect, tables], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def version_of(taken_at: int, mark: str) -> str:
    """`YYYYMMDDhhmmss_<first 8 of the fingerprint>`, in UTC."""
    return f"{time.strftime('%Y%m%d%H%M%S', time.gmtime(max(taken_at, 0)))}_{mark[:_DIGITS]}"


def difference(before: Snapshot, after: Snapshot) -> Difference:
    """What was added, removed and changed from one snapshot to another; of a name written in other case nothing is guessed."""
    old, new = {one.key: one for one in before.tables}, {one.key: one for one in after.tables}
    tables = tuple(_table_changes(old, new))
    return Difference(before=before.version, after=after.version, tables=tables, is_structural=fingerprint(before) != fingerprint(after))


def in_a_line(found: Difference) -> str:
    """A difference in one line; empty where the structure is the same."""
    if not found.is_structural:
        return ""
    names = {verb: [one.full_name for one in found.tables if one.verb == verb] for verb in ("added", "removed", "changed")}
    return "; ".join(f"{verb} {_some(tables)}" for verb, tables in names.items() if tables) or "changed"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")


def _table_changes(old: Mapping[tuple[str, str], Table], new: Mapping[tuple[str, str], Table]) -> Iterator[TableChange]:
    for key in sorted(old.keys() | new.keys()):
        if key not in new:
            yield TableChange(*key, verb="removed")
        elif key not in old:
            yield TableChange(*key, verb="added")
        elif changes := tuple(_changes(old[key], new[key])):
            yield TableChange(*key, verb="changed", changes=changes)


def _changes(old: Table, new: Table) -> Iterator[Change]:
    yield from _field("kind", old.kind, new.kind)
    yield from _columns(old, new)
    yield from _field("primary key", ", ".join(old.primary_key), ", ".join(new.primary_key))
    yield from _several("foreign key", map(_key_text, _declared(old)), map(_key_text, _declared(new)))
    yield from _several("unique key", map(_unique_text, old.unique_keys), map(_unique_text, new.unique_keys))
    yield from _several("check", (one.text for one in old.checks), (one.text for one in new.checks))
    yield from _field("definition", old.definition, new.definition)
    yield from _field("partition", old.partition, new.partition)
    yield from _field("description", old.description, new.description)


def _columns(old: Table, new: Table) -> Iterator[Change]:
    before, after = {one.name: one for one in old.columns}, {one.name: one for one in new.columns}
    for name in dict.fromkeys((*before, *after)):
        if name not in after:
            yield Change("column", "removed", name, before=_column_text(before[name]))
        elif name not in before:
            yield Change("column", "added", name, after=_column_text(after[name]))
        else:
            was, now = before[name], after[name]
            yield from _field("column", _column_text(was), _column_text(now), name)
            yield from _field("column description", was.description, now.description, name)


def _field(part: str, before: str, after: str, name: str = "") -> Iterator[Change]:
    if before != after:
        yield Change(part, "added" if not before else "removed" if not after else "changed", name, before, after)


def _several(part: str, before: Iterator[str], after: Iterator[str]) -> Iterator[Change]:
    """Parts without a name of their own: each is there so often, or not."""
    old, new = Counter(before), Counter(after)
    yield from (Change(part, "removed", before=one) for one in sorted((old - new).elements()))
    yield from (Change(part, "added", after=one) for one in sorted((new - old).elements()))


def _column_text(column: Column) -> str:
    """A column's structure as one line, for people."""
    words = [column.dtype or "no type"]
    words += [f"({', '.join(column.allowed)})"] if column.allowed else []
    words += [f"of {column.base}"] if column.base else []
    words += [] if column.nullable else ["not null"]
    words += [f"default {column.default}"] if column.default else []
    words += [f"generated {column.generated}"] if column.generated else []
    words += ["identity"] if column.is_identity else []
    return " ".join(words)


def _key_text(key: ForeignKey) -> str:
    referred = f"{key.referred_schema}.{key.referred_table}" if key.referred_schema else key.referred_table
    enforced = "" if key.is_enforced else " not enforced"
    return f"({', '.join(key.columns)}) -> {referred} ({', '.join(key.referred_columns)}){enforced}"


def _unique_text(key: UniqueKey) -> str:
    return f"({', '.join(key.columns)})"


def _declared(table: Table) -> tuple[ForeignKey, ...]:
    return tuple(key for key in table.foreign_keys if not key.inferred)


def _canonical(table: Table) -> str:
    """A table's structure as text that is the same in whatever order its parts came."""
    parts: dict[str, Any] = {
        "schema": table.schema_name,
        "name": table.name,
        "kind": table.kind,
        "columns": _sorted([_column(one) for one in table.columns]),
        "primary_key": list(table.primary_key),
        "foreign_keys": _sorted([_foreign_key(one) for one in _declared(table)]),
        "unique_keys": sorted(sorted(one.columns) for one in table.unique_keys),
        "checks": sorted(map(_check, table.checks)),
        "definition": table.definition,
        "partition": table.partition,
    }
    return json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def _column(one: Column) -> list[Any]:
    return [one.name, one.dtype, one.nullable, one.default, one.generated, one.is_identity, list(one.allowed), one.base]


def _foreign_key(one: ForeignKey) -> list[Any]:
    """Which column refers to which is kept, in which order the pairs were named is not."""
    pairs = _sorted([list(pair) for pair in zip(one.columns, one.referred_columns, strict=False)])
    loose = [len(one.columns), len(one.referred_columns)]  # a key without referred columns means the primary key
    return [one.referred_schema, one.referred_table, pairs or [list(one.columns), list(one.referred_columns)], loose, one.is_enforced]


def _check(one: Check) -> str:
    return one.text


def _sorted(rows: Sequence[list[Any]]) -> list[list[Any]]:
    """Rows in an order that mixed kinds of values do not hinder."""
    return sorted(rows, key=lambda row: json.dumps(row, ensure_ascii=True))
