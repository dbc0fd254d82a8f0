"""Which tables are linked? Declared keys, and those that names, types and unique keys suggest where none is declared.

An inferred link must name its target: a column `customer_id` means `customers.id` or `customers.customer_id`, and is believed only where one
table alone fits. Precision on schemas whose declared keys were hidden: bench/results/schema.md.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from clew.core.schema.contracts import Column, ForeignKey, Snapshot, Table
from clew.search.schema.vocabulary import abbreviations
from clew.search.schema.words import name_words

KEY_WORDS = frozenset(("id", "code", "no", "number", "key", "num", "nr", "uuid", "guid", "pk", "cd", "sk", "ref", "fk"))
"""What a key's name ends with."""
_PLAIN_KEYS = frozenset(("id", "code", "key", "no", "number", "uuid", "guid", "pk", "name", "nr", "num", "sk"))
"""Names of keys that say nothing of their table: only its name before them does."""
_TYPES = (
    ("integer", re.compile(r"int|serial|number\b|numeric|decimal", re.IGNORECASE)),
    ("text", re.compile(r"char|text|string|clob|enum|citext", re.IGNORECASE)),
    ("uuid", re.compile(r"uuid|guid|uniqueidentifier", re.IGNORECASE)),
    ("time", re.compile(r"date|time", re.IGNORECASE)),
    ("real", re.compile(r"real|double|float", re.IGNORECASE)),
    ("boolean", re.compile(r"bool|bit\b", re.IGNORECASE)),
)
MOST_SHARING = 2
"""Tables with the same key of which one may still be meant by its name alone."""
_HEAD = re.compile(r"\b(dim|fact|tbl|tb|t|stg|vw|v)_", re.IGNORECASE)


class Link(NamedTuple):
    """A key between two tables of one snapshot, by their places in it."""

    left: int
    right: int
    key: ForeignKey


class LinkGraph:
    """Links by the tables that they connect: what is asked of them never goes through all."""

    def __init__(self, all_links: Iterable[Link]) -> None:
        self._of: dict[int, list[Link]] = defaultdict(list)
        self._ways: dict[int, list[int]] = {}
        for link in all_links:
            self._of[link.left].append(link)
            if link.right != link.left:
                self._of[link.right].append(link)

    def from_table(self, place: int) -> list[Link]:
        """The keys that a table has."""
        return [link for link in self._of.get(place, ()) if link.left == place]

    def between(self, places: Iterable[int]) -> list[Link]:
        """The links of which both ends are among these tables, in the order of the tables."""
        wanted = dict.fromkeys(places)
        return [link for place in wanted for link in self.from_table(place) if link.right in wanted]

    def neighbours(self, place: int) -> list[int]:
        """The tables on the other ends: those of declared keys first, then by place."""
        if place not in self._ways:
            cost: dict[int, int] = {}
            for link in self._of.get(place, ()):
                other = link.right if link.left == place else link.left
                if other != place:
                    cost[other] = min(cost.get(other, 1), int(bool(link.key.inferred)))
            self._ways[place] = sorted(cost, key=lambda one: (cost[one], one))
        return self._ways[place]


def links(snapshot: Snapshot) -> tuple[Link, ...]:
    """All links of a snapshot, declared ones first; a key to a table that is not in it is left out."""
    places = {table.key: place for place, table in enumerate(snapshot.tables)}
    declared = [
        Link(place, places[key.referred_schema, key.referred_table], key)
        for place, table in enumerate(snapshot.tables)
        for key in table.foreign_keys
        if (key.referred_schema, key.referred_table) in places
    ]
    return (*declared, *inferred(snapshot))


def inferred(snapshot: Snapshot) -> tuple[Link, ...]:
    """Links that no key declares, each with the reasons for which it is believed."""
    targets = _targets(snapshot)
    return tuple(link for place, table in enumerate(snapshot.tables) for link in _of_table(place, table, snapshot, targets))


class _Target(NamedTuple):
    """A table that can be referred to by one column."""

    place: int
    table: Table
    column: Column
    own: tuple[str, ...]


def _targets(snapshot: Snapshot) -> dict[tuple[str, ...], list[_Target]]:
    """Every table with a key of one column, under each name by which another table's column would refer to it."""
    found: dict[tuple[str, ...], list[_Target]] = defaultdict(list)
    for place, table in enumerate(snapshot.tables):
        if table.kind not in ("table", "foreign_table"):
            continue
        for column in _keys(table):
            target = _Target(place, table, column, _own_words(table))
            for name in _names(table, column):
                found[name].append(target)
    return found


def _keys(table: Table) -> Iterator[Column]:
    if len(table.primary_key) == 1:
        names = [table.primary_key[0]]
    elif table.primary_key:
        return
    else:
        names = [key.columns[0] for key in table.unique_keys if len(key.columns) == 1]
    for name in dict.fromkeys(names):
        column = table.column(name)
        if column is not None:
            yield column


def _names(table: Table, key: Column) -> Iterable[tuple[str, ...]]:
    """`id` of `customers`: customer_id, customer; `customer_id` of `customers`: the same; `cds_code` of `schools`: cds_code, school_cds_code."""
    own, words = _own_words(table), _words(key.name)
    if not words or not own:
        return ()
    found = {(*own, *words): None}
    if words[-1] in KEY_WORDS:
        found |= dict.fromkeys((*own, ending) for ending in ("id", "fk", "ref"))
    if len(words) > 1 or words[0] not in _PLAIN_KEYS:
        found[words] = None
    if words[: len(own)] == own and len(words) > len(own):
        found[words] = None
    return found


def _own_words(table: Table) -> tuple[str, ...]:
    return _words(_HEAD.sub("", table.name))


@lru_cache(maxsize=100_000)
def _words(name: str) -> tuple[str, ...]:
    """The words of a name, short forms written out where they have one meaning alone: `cust_id` and `customers.id` speak of one thing."""
    long = abbreviations()
    return tuple(long[word][0] if len(long.get(word, ())) == 1 and word not in KEY_WORDS else word for word in name_words(name))


def _of_table(place: int, table: Table, snapshot: Snapshot, targets: dict[tuple[str, ...], list[_Target]]) -> Iterator[Link]:
    declared = {column for key in table.foreign_keys for column in key.columns}
    for column in table.columns:
        words = _words(column.name)
        if column.name in declared or len(words) < 2 or words[-1] not in KEY_WORDS or words[:-1] == _own_words(table):
            continue
        target = _target(place, table, column, words, targets)
        if target is not None:
            key = ForeignKey(
                columns=(column.name,),
                referred_schema=target[0].table.schema_name,
                referred_table=target[0].table.name,
                referred_columns=(target[0].column.name,),
                inferred=target[1],
                is_enforced=False,
            )
            yield Link(place, target[0].place, key)


def _target(
    place: int, table: Table, column: Column, words: tuple[str, ...], targets: dict[tuple[str, ...], list[_Target]]
) -> tuple[_Target, str] | None:
    """The one table that a column's name means, by the longest part of it that names one: `billing_customer_id` means `customers`."""
    is_own_key = table.primary_key == (column.name,)  # the end of its name says what kind of key it is, not of which other table
    for start in range(1 if is_own_key else max(1, len(words) - 1)):
        part = words[start:]
        found = [one for one in targets.get(part, ()) if _fits(place, table, column, one)]
        if not found:
            continue
        best = _most_like(table, part, found)
        if best is None or (start and part[:-1] != best.own):
            return None
        how = "name" if not start else "end of the name"
        return best, f"{how} {column.name} means {best.table.full_name}.{best.column.name}, same type, unique there"
    return None


def _fits(place: int, table: Table, column: Column, target: _Target) -> bool:
    if target.place == place:
        return False
    if table.primary_key == (column.name,) and not set(target.own) < set(_own_words(table)):
        return False
    return family(column.dtype) == family(target.column.dtype) or not (column.dtype and target.column.dtype)


def _most_like(table: Table, part: tuple[str, ...], found: list[_Target]) -> _Target | None:
    """One of several: of the same schema, and whose name is in the column's. Where tables share their key (a person, an employee), the one that
    this table's name begins with; else there must be no more than two of them."""
    near = [one for one in found if one.table.schema_name == table.schema_name] or found
    if len(near) == 1:
        return near[0]
    own = _own_words(table)
    heads = [one for one in near if own[: len(one.own)] == one.own and len(one.own) < len(own)]
    if heads:
        return max(heads, key=lambda one: len(one.own))
    named = [one for one in near if one.own == part[:-1]]
    return named[0] if len(named) == 1 and len(near) <= MOST_SHARING else None


@lru_cache(maxsize=4096)
def family(dtype: str) -> str:
    """What kind of value a type holds; keys of one kind can be joined."""
    return next((name for name, pattern in _TYPES if pattern.search(dtype)), dtype.lower())
