"""How is a part of a schema written as SQL that runs as it stands? One column a line, what is known of it as a comment.

Left out is what would need something that is not shown: defaults, generated columns' expressions, checks (these stand in comments), keys to
tables that are not in the answer. A view is shown by its columns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from clew.core.schema.contracts import Column, Snapshot, Table
from clew.core.visible import visible
from clew.search.schema.ddl_keys import keys, names, table_path
from clew.search.schema.identifiers import literal, quoted
from clew.search.schema.inference import family
from clew.search.schema.links import Link
from clew.search.schema.words import name_words, text_words

_BREAKS = re.compile(r"\s+")
MAX_COMMENT = 120
"""Characters of a description that are shown: it says what the column is in its first sentence, or never."""
MAX_ADDED = 300
"""Characters of what a glossary says: half a condition is another one."""
MAX_CHECK = 80
MOST_CHECKS = 2
MAX_SHOWN_VALUES, MAX_VALUE = 3, 40
"""Samples shown of a column, and characters of each: enough to see how a value is written."""
_NUMBERS, _TELL_APART = frozenset(("integer", "real")), frozenset(("integer", "uuid"))
"""Families of types."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NAMES_TYPES = frozenset(("postgres", "duckdb"))
"""Dialects where an enum is a type that must be there before the table."""
_STAND_INS = {"mysql": "text", "oracle": "varchar(4000)", "tsql": "varchar(4000)", "bigquery": "string", "clickhouse": "String"}
"""Written for a type that cannot be made or is not known, which the comment says; `text` where none is named."""
_UNKNOWN_TYPES = frozenset(("", "null", "unknown"))
"""What readers write where nothing tells a column's type."""


class Part(NamedTuple):
    """A table of an answer, by its place in the snapshot, and the columns of it that are shown."""

    place: int
    columns: Collection[str]


class Wording(NamedTuple):
    """What is said beside the structure; `added` are notes of a glossary, by table's place and column."""

    samples: bool = True
    comments: bool = True
    added: Mapping[tuple[int, str], str] = {}
    added_to_tables: Mapping[int, str] = {}


class Drawing:
    """Writes parts of one snapshot; a column's line is written once, however often it is shown."""

    def __init__(self, snapshot: Snapshot, links: Iterable[Link] = (), wording: Wording | None = None) -> None:
        self._snapshot = snapshot
        self._links = tuple(links)
        self._wording = wording or Wording()
        self._referred: dict[int, list[int]] = {}
        for link in self._links:
            if not link.key.inferred:
                self._referred.setdefault(link.left, []).append(link.right)
        self._lines: dict[tuple[int, str], tuple[str, str]] = {}

    def render(self, parts: Sequence[Part]) -> str:
        """Statements that make these tables, in an order in which they run."""
        shown = {part.place: frozenset(part.columns) for part in parts}
        order = self._in_order([part.place for part in parts])
        written = keys(self._snapshot, order, shown, self._links)
        types = self._types(order, shown)
        lines = [*self._schemas(order, types), *types.values()]
        tables = (self._table(place, shown[place], written.inside.get(place, ()), written.notes.get(place, ())) for place in order)
        return "\n".join([*lines, *tables, *written.later])

    def _in_order(self, places: Sequence[int]) -> list[int]:
        """Tables that others refer to before those; circles are entered where the order says."""
        wanted = frozenset(places)
        found: dict[int, None] = {}
        for first in places:
            stack = [(first, False)]
            entered: set[int] = set()
            while stack:
                place, is_done = stack.pop()
                if is_done:
                    found[place] = None
                elif place not in entered and place not in found:
                    entered.add(place)
                    stack.append((place, True))
                    stack += [(other, False) for other in reversed(self._referred.get(place, ())) if other in wanted]
        return list(found)

    def _schemas(self, order: Iterable[int], types: Iterable[str]) -> list[str]:
        """Schemas of tables and types, but for the one that is there already."""
        if self._snapshot.dialect == "sqlite":
            return []
        default = self._snapshot.default_schema
        named = {self._snapshot.tables[place].schema_name for place in order} - {"", default}
        found = {quoted(name, self._snapshot.dialect) for name in named} | {name.rpartition(".")[0] for name in types}
        return [f"CREATE SCHEMA IF NOT EXISTS {name};" for name in sorted(found - {"", "public", quoted(default, self._snapshot.dialect)})]

    def _types(self, order: Iterable[int], shown: Mapping[int, Collection[str]]) -> dict[str, str]:
        """Enums and domains that the shown columns are of, once each."""
        dialect = self._snapshot.dialect
        if dialect not in _NAMES_TYPES:
            return {}
        found: dict[str, str] = {}
        for place in order:
            for column in self._snapshot.tables[place].columns:
                if column.name in shown[place] and (made := _type(column, dialect)):
                    found.setdefault(*made)
        return found

    def _table(self, place: int, columns: Collection[str], inside: Sequence[str], notes: Sequence[str]) -> str:
        table = self._snapshot.tables[place]
        items = [self._line(place, column) for column in table.columns if column.name in columns]
        if table.primary_key and all(name in columns for name in table.primary_key):
            items.append((f"PRIMARY KEY ({names(table.primary_key, self._snapshot.dialect)})", ""))
        items += [(constraint, "") for constraint in inside]
        body = [
            f"  {item}{',' if number < len(items) else ''}{' -- ' + comment if comment else ''}"
            for number, (item, comment) in enumerate(items, start=1)
        ]
        head = [f"-- {one_line(note)}" for note in (*self._about_table(place, table), *notes, *_hidden(table, columns))]
        return "\n".join([*head, f"CREATE TABLE {table_path(self._snapshot, table)} (", *body, ");"])

    def _line(self, place: int, column: Column) -> tuple[str, str]:
        key = (place, column.name)
        if key not in self._lines:
            made = one_line(column.dtype)
            dtype = (
                _STAND_INS.get(self._snapshot.dialect, "text")
                if _cannot_be_made(column, self._snapshot.dialect) or self._lacks_type(made)
                else made
            )
            is_filled = not column.nullable and column.name not in self._snapshot.tables[place].primary_key
            written = f"{quoted(column.name, self._snapshot.dialect)} {dtype}".rstrip() + (" NOT NULL" if is_filled else "")
            self._lines[key] = (written, self._about(place, column))
        return self._lines[key]

    def _lacks_type(self, dtype: str) -> bool:
        """True where nothing is known of a column's type (a view's, from a file) and the dialect makes no column without one."""
        return self._snapshot.dialect != "sqlite" and dtype.lower() in _UNKNOWN_TYPES

    def _about(self, place: int, column: Column) -> str:
        """What a column's comment says: its description, what a glossary adds, how it is made, values."""
        said = self._wording
        parts = [f"of type {one_line(column.dtype)}"] if _cannot_be_made(column, self._snapshot.dialect) else []
        parts += ["type unknown"] if self._lacks_type(one_line(column.dtype)) else []
        if added := said.added.get((place, column.name)):
            parts.append(one_line(added, MAX_ADDED))
        if not said.comments:
            return "; ".join(parts)
        if _says_more(column.description, column.name):
            parts.append(one_line(column.description, MAX_COMMENT))
        if column.generated:
            parts.append("generated: " + one_line(column.generated, MAX_CHECK))
        if column.statistics and column.statistics.samples and said.samples and not column.pii and not column.allowed:
            values = () if self._is_number_of_a_key(place, column) else column.statistics.samples[:MAX_SHOWN_VALUES]
            parts += (
                ["e.g. " + ", ".join(_written(one_line(one, MAX_VALUE), column, self._snapshot.dialect) for one in values)]
                if values
                else []
            )
        return "; ".join(parts)

    def _is_number_of_a_key(self, place: int, column: Column) -> bool:
        """Numbers and UUIDs that only tell rows apart: how they are written is known, and nobody asks by them."""
        if family(column.dtype) not in _TELL_APART:
            return False
        table = self._snapshot.tables[place]
        keys_of_it = (
            table.primary_key,
            *(key.columns for key in table.foreign_keys),
            *(link.key.columns for link in self._links if link.left == place),
        )
        return any(column.name in key for key in keys_of_it)

    def _about_table(self, place: int, table: Table) -> list[str]:
        """Lines above a table: what it is, what a glossary adds, what the database checks."""
        said = self._wording
        found = [one_line(said.added_to_tables[place], MAX_ADDED)] if place in said.added_to_tables else []
        if said.comments and _says_more(table.description, table.name):
            found.append(one_line(table.description, MAX_COMMENT))
        if table.kind != "table":
            found.append(f"a {table.kind.replace('_', ' ')}")
        if said.comments:
            found += [f"CHECK {one_line(check.text, MAX_CHECK)}" for check in table.checks[:MOST_CHECKS]]
        return found


def render(snapshot: Snapshot, parts: Sequence[Part], links: Iterable[Link] = (), wording: Wording | None = None) -> str:
    """Statements that make these tables with these columns, the keys between them, and what is known of them as comments."""
    return Drawing(snapshot, links, wording).render(parts)


def _type(column: Column, dialect: str) -> tuple[str, str] | None:
    """The name of the enum or domain that a column is of, and the statement that makes it."""
    name = column.dtype.rstrip("[]")
    if column.allowed and not re.match(r"(?i)\s*enum\b", name):
        labels = ", ".join(literal(label, dialect) for label in column.allowed)
        return name, f"CREATE TYPE {name} AS ENUM ({labels});"
    if column.base and not column.dtype.endswith("[]") and not column.allowed and dialect == "postgres":
        return name, f"CREATE DOMAIN {name} AS {one_line(column.base)};"
    return None


def _cannot_be_made(column: Column, dialect: str) -> bool:
    """A composite type, or an extension's: its name says in which schema it lives, and nothing says what it is."""
    return (
        dialect == "postgres" and "." in column.dtype.partition("(")[0] and not column.allowed and (not column.base or "." in column.base)
    )


def _hidden(table: Table, columns: Collection[str]) -> list[str]:
    hidden = len(table.columns) - len(columns)
    return [f"{hidden} more column{'s' if hidden > 1 else ''} not shown"] if hidden else []


def _written(value: str, column: Column, dialect: str) -> str:
    """A value as SQL has it: numbers bare."""
    return value if family(column.dtype) in _NUMBERS and _NUMBER.fullmatch(value) else literal(value, dialect)


def _says_more(description: str, name: str) -> bool:
    return bool(description) and text_words(description) != frozenset(name_words(name))


def one_line(text: str, longest: int = 0) -> str:
    """Text that cannot leave its line or its comment, cut at a length."""
    flat = visible(_BREAKS.sub(" ", text)).strip()
    return flat if not longest or len(flat) <= longest else flat[: longest - 1].rstrip() + "…"
