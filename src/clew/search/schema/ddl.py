"""How is a part of a schema written as SQL that runs as it stands? One column a line, what is known of it as a comment.

Left out is what would need something that is not shown: defaults, generated columns' expressions, checks (these stand in comments), keys to
tables that are not in the answer. A view is shown by its columns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from clew.core.schema.contracts import Column, ForeignKey, Snapshot, Table
from clew.core.visible import visible
from clew.search.schema.identifiers import literal, path, quoted
from clew.search.schema.links import Link
from clew.search.schema.words import name_words, text_words

_BREAKS = re.compile(r"\s+")
MAX_COMMENT = 120
"""Characters of a description that are shown: it says what the column is in its first sentence, or never."""
MAX_CHECK = 80
_FEWEST = 2
MAX_SHOWN_VALUES = 3
"""Samples shown of a column: enough to see how a value is written."""
_NAMES_TYPES = frozenset(("postgres", "duckdb"))
"""Dialects where an enum is a type that must be there before the table."""
_ADDS_KEYS_LATER = frozenset(("postgres", "mysql", "tsql", "oracle", "redshift", "snowflake"))
"""Dialects that can add a key to a table that is there already: the only way to write keys that go in a circle."""


class Part(NamedTuple):
    """A table of an answer, by its place in the snapshot, and the columns of it that are shown, in the table's order."""

    place: int
    columns: tuple[str, ...]


class Wording(NamedTuple):
    """What is said beside the structure."""

    samples: bool = True
    comments: bool = True
    added: Mapping[tuple[int, str], str] = {}


def render(snapshot: Snapshot, parts: Sequence[Part], links: Iterable[Link] = (), wording: Wording | None = None) -> str:
    """Statements that make these tables, in an order in which they run."""
    said = wording or Wording()
    shown = {part.place: frozenset(part.columns) for part in parts}
    order = _in_order(snapshot, parts, shown)
    lines = [*_schemas(snapshot, order), *_types(snapshot, order)]
    made: set[int] = set()
    later: list[str] = []
    likely = _likely(snapshot, links, shown)
    for part in order:
        made.add(part.place)
        lines.append(_table(snapshot, part, shown, made, likely.get(part.place, ()), said))
        later += _added_keys(snapshot, part, shown, made)
    return "\n".join([*lines, *later])


def _in_order(snapshot: Snapshot, parts: Sequence[Part], shown: Collection[int]) -> list[Part]:
    """Tables that others refer to before those; circles are entered where the order says."""
    places = {snapshot.tables[place].key: place for place in shown}
    by_place = {part.place: part for part in parts}
    found: dict[int, Part] = {}
    for part in parts:
        stack = [(part.place, False)]
        entered: set[int] = set()
        while stack:
            place, is_done = stack.pop()
            if place in found:
                continue
            if is_done:
                found[place] = by_place[place]
                continue
            if place in entered:
                continue
            entered.add(place)
            stack.append((place, True))
            referred = [places.get((key.referred_schema, key.referred_table)) for key in snapshot.tables[place].foreign_keys]
            stack += [(other, False) for other in reversed(referred) if other is not None and other not in found]
    return list(found.values())


def _schemas(snapshot: Snapshot, parts: Sequence[Part]) -> list[str]:
    if snapshot.dialect == "sqlite":
        return []
    names = {snapshot.tables[part.place].schema_name for part in parts} - {"", snapshot.default_schema}
    return [f"CREATE SCHEMA IF NOT EXISTS {quoted(name, snapshot.dialect)};" for name in sorted(names)]


def _types(snapshot: Snapshot, parts: Sequence[Part]) -> list[str]:
    """Enums that the shown columns are of, once each."""
    if snapshot.dialect not in _NAMES_TYPES:
        return []
    found: dict[str, str] = {}
    for part in parts:
        for column in _columns(snapshot, part):
            name = column.dtype.removesuffix("[]")
            if column.allowed and not re.match(r"(?i)\s*enum\b", name):
                labels = ", ".join(literal(label, snapshot.dialect) for label in column.allowed)
                found.setdefault(name, f"CREATE TYPE {name} AS ENUM ({labels});")
    return list(found.values())


def _table(
    snapshot: Snapshot, part: Part, shown: Mapping[int, frozenset[str]], made: set[int], likely: Sequence[ForeignKey], said: Wording
) -> str:
    table = snapshot.tables[part.place]
    head = f"CREATE TABLE {_path(snapshot, table)} ("
    items = [(_column(column, snapshot.dialect), _about(part.place, column, snapshot, said)) for column in _columns(snapshot, part)]
    items += [(constraint, "") for constraint in _constraints(snapshot, part, shown, made)]
    lines = []
    for number, (item, comment) in enumerate(items):
        comma = "," if number < len(items) - 1 else ""
        lines.append(f"  {item}{comma}" + (f" -- {comment}" if comment else ""))
    notes = _notes(snapshot, table, shown[part.place], likely, said)
    return "\n".join([*(f"-- {one_line(note)}" for note in notes), head, *lines, ");"])


def _columns(snapshot: Snapshot, part: Part) -> list[Column]:
    wanted = frozenset(part.columns)
    return [column for column in snapshot.tables[part.place].columns if column.name in wanted]


def _column(column: Column, dialect: str) -> str:
    return f"{quoted(column.name, dialect)} {one_line(column.dtype)}".rstrip()


def _about(place: int, column: Column, snapshot: Snapshot, said: Wording) -> str:
    """What a column's comment says: its description, labels or values, what a glossary adds."""
    if not said.comments:
        return ""
    parts = [one_line(column.description, MAX_COMMENT)] if _says_more(column.description, column.name) else []
    if added := said.added.get((place, column.name)):
        parts.append(one_line(added, MAX_COMMENT))
    if column.generated:
        parts.append("generated: " + one_line(column.generated, MAX_CHECK))
    if column.statistics and column.statistics.samples and said.samples and not column.pii and not column.allowed:
        values = ", ".join(literal(one_line(value, 40), snapshot.dialect) for value in column.statistics.samples[:MAX_SHOWN_VALUES])
        parts.append("e.g. " + values)
    return "; ".join(parts)


def _says_more(description: str, name: str) -> bool:
    return bool(description) and text_words(description) != frozenset(name_words(name))


def _constraints(snapshot: Snapshot, part: Part, shown: Mapping[int, frozenset[str]], made: set[int]) -> list[str]:
    table, dialect = snapshot.tables[part.place], snapshot.dialect
    columns = shown[part.place]
    found = []
    if table.primary_key and set(table.primary_key) <= columns:
        found.append(f"PRIMARY KEY ({_list(table.primary_key, dialect)})")
    found += [f"UNIQUE ({_list(key, dialect)})" for key in _referred(snapshot, table, shown) if set(key) != set(table.primary_key)]
    for key, place in _keys(snapshot, part, shown):
        if place in made or dialect not in _ADDS_KEYS_LATER:
            if dialect == "duckdb" and place not in made:
                continue  # it can neither refer to a table that comes later nor add the key afterwards
            found.append(_key(snapshot, key))
    return found


def _added_keys(snapshot: Snapshot, part: Part, shown: Mapping[int, frozenset[str]], made: set[int]) -> list[str]:
    """Keys to tables that come later, for dialects that can add them afterwards."""
    if snapshot.dialect not in _ADDS_KEYS_LATER:
        return []
    name = _path(snapshot, snapshot.tables[part.place])
    return [f"ALTER TABLE {name} ADD {_key(snapshot, key)};" for key, place in _keys(snapshot, part, shown) if place not in made]


def _keys(snapshot: Snapshot, part: Part, shown: Mapping[int, frozenset[str]]) -> list[tuple[ForeignKey, int]]:
    """Declared keys of which both ends are shown, and whose other end is unique, as SQL demands."""
    table = snapshot.tables[part.place]
    places = {snapshot.tables[place].key: place for place in shown}
    found: dict[tuple[tuple[str, ...], int, tuple[str, ...]], tuple[ForeignKey, int]] = {}
    for key in table.foreign_keys:
        place = places.get((key.referred_schema, key.referred_table))
        if place is None or table.kind in ("view", "materialized_view") or len(key.columns) != len(key.referred_columns):
            continue
        is_shown = set(key.columns) <= shown[part.place] and set(key.referred_columns) <= shown[place]
        if is_shown and _is_unique(snapshot.tables[place], key.referred_columns):
            found.setdefault((key.columns, place, key.referred_columns), (key, place))
    return list(found.values())


def _is_unique(table: Table, columns: Collection[str]) -> bool:
    return any(set(columns) == set(key) for key in (table.primary_key, *(unique.columns for unique in table.unique_keys)) if key)


def _referred(snapshot: Snapshot, table: Table, shown: Mapping[int, frozenset[str]]) -> list[tuple[str, ...]]:
    """Unique keys of a table that a shown key refers to."""
    found: dict[tuple[str, ...], None] = {}
    for place in shown:
        for key in snapshot.tables[place].foreign_keys:
            if (key.referred_schema, key.referred_table) == table.key:
                for unique in table.unique_keys:
                    if set(unique.columns) == set(key.referred_columns) and set(unique.columns) <= shown.get(
                        _place(snapshot, table), frozenset()
                    ):
                        found[unique.columns] = None
    return list(found)


def _place(snapshot: Snapshot, table: Table) -> int:
    return next(place for place, one in enumerate(snapshot.tables) if one is table)


def _key(snapshot: Snapshot, key: ForeignKey) -> str:
    other = path(key.referred_schema, key.referred_table, snapshot.dialect, snapshot.default_schema)
    return f"FOREIGN KEY ({_list(key.columns, snapshot.dialect)}) REFERENCES {other} ({_list(key.referred_columns, snapshot.dialect)})"


def _likely(snapshot: Snapshot, links: Iterable[Link], shown: Mapping[int, frozenset[str]]) -> dict[int, list[ForeignKey]]:
    """Inferred links between shown columns, by the table that refers."""
    found: dict[int, list[ForeignKey]] = {}
    for link in links:
        left, right = shown.get(link.left, frozenset()), shown.get(link.right, frozenset())
        if link.key.inferred and set(link.key.columns) <= left and set(link.key.referred_columns) <= right:
            found.setdefault(link.left, []).append(link.key)
    return found


def _notes(snapshot: Snapshot, table: Table, columns: frozenset[str], likely: Sequence[ForeignKey], said: Wording) -> list[str]:
    """Lines above a table: what it is, keys that are not declared, checks, what was left out."""
    notes = []
    if said.comments and _says_more(table.description, table.name):
        notes.append(one_line(table.description, MAX_COMMENT))
    if table.kind != "table":
        notes.append(f"a {table.kind.replace('_', ' ')}")
    for key in likely:
        other = path(key.referred_schema, key.referred_table, snapshot.dialect, snapshot.default_schema)
        notes.append(f"{_list(key.columns, snapshot.dialect)} = {other}.{_list(key.referred_columns, snapshot.dialect)} (inferred)")
    if said.comments:
        notes += [f"CHECK {one_line(check.text, MAX_CHECK)}" for check in table.checks[:_FEWEST]]
    if hidden := len(table.columns) - len(columns):
        notes.append(f"{hidden} more column{'s' if hidden > 1 else ''} not shown")
    return notes


def _path(snapshot: Snapshot, table: Table) -> str:
    return path(table.schema_name, table.name, snapshot.dialect, snapshot.default_schema)


def _list(names: Iterable[str], dialect: str) -> str:
    return ", ".join(quoted(name, dialect) for name in names)


def one_line(text: str, longest: int = 0) -> str:
    """Text that cannot leave its line or its comment, cut at a length."""
    flat = visible(_BREAKS.sub(" ", text)).strip()
    return flat if not longest or len(flat) <= longest else flat[: longest - 1].rstrip() + "…"
