"""What is looked up for a question? The words of several snapshots' names, descriptions and values as arrays, built once per version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clew.core.schema.contracts import Column, Snapshot, Table
from clew.core.schema.meaning import Meanings, TableMeaning
from clew.core.schema.protocols import Proposal
from clew.search.schema.diversity import Contents
from clew.search.schema.inference import family
from clew.search.schema.links import Link, LinkGraph, links
from clew.search.schema.misspelling import Spellings
from clew.search.schema.vocabulary import abbreviations
from clew.search.schema.words import name_words, text_words

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.int32]

MAX_VALUES = 200
"""Values of a column that are looked up: labels of an enum and samples."""
USUAL = frozenset(name_words("name title first last surname forename date year"))
"""Words of columns that questions end in without naming them (`which customers …`: their names; `in 2011`: a date)."""
_FIELDS = ("table_names", "table_texts", "column_names", "column_texts")
_NOTHING = Meanings()


@dataclass(frozen=True, slots=True)
class Entry:
    """A datasource: its snapshot, and what was added to it."""

    snapshot: Snapshot
    meanings: Meanings = field(default=_NOTHING)


class Occurrences(NamedTuple):
    """Words in elements, ordered by element: `words[i]` occurs in `elements[i]`."""

    words: Places
    elements: Places


class Names(NamedTuple):
    """The words of names: where they occur, each occurrence's rarity, and their sum for each element."""

    found: Occurrences
    rarity: Floats
    whole: Floats


class Keyed(NamedTuple):
    """Links as arrays: the tables of both ends by place in the index, and each pair of columns (its link, the columns' places)."""

    left: Places
    right: Places
    pair_link: Places
    pair_left: Places
    pair_right: Places


_PART = "part of "
"""How the partition of a table begins that is one of another."""


@dataclass(frozen=True, slots=True)
class SchemaIndex:
    """Tables and columns of all entries in one row each: column `c` is of table `table_of[c]`, table `t` of datasource `datasource_of[t]`.

    `fields` are the words of table names, table texts, column names and column texts, in this order, one element each; `sizes` are the
    tables' numbers of columns relative to the mean; `starts` are the first columns of the tables that have any; `wholes` says of which table
    one is a partition.
    """

    entries: tuple[Entry, ...]
    tables: tuple[Table, ...]
    columns: tuple[Column, ...]
    datasource_of: Places
    table_of: Places
    source_of_column: Places
    first_column: Places
    starts: Places
    words: dict[str, int]
    spellings: Spellings
    keys: dict[str, tuple[tuple[int, float], ...]]
    fields: Occurrences
    values: Occurrences
    table_names: Names
    column_names: Names
    sizes: Floats
    whole_values: dict[tuple[str, ...], tuple[int, ...]]
    links: tuple[Link, ...]
    is_usual: Floats
    is_time: Floats
    keyed: Keyed
    graph: LinkGraph
    places: dict[tuple[str, str, str], int]
    wholes: dict[int, int]
    _contents: dict[int, Contents] = field(default_factory=dict)

    def tables_of(self, datasource: int) -> range:
        """The places of a datasource's tables."""
        first, end = np.searchsorted(self.datasource_of, (datasource, datasource + 1))
        return range(int(first), int(end))

    def columns_of(self, table: int) -> range:
        """The places of a table's columns."""
        first = int(self.first_column[table])
        return range(first, first + len(self.tables[table].columns))

    def contents(self, table: int) -> Contents:
        """What a table holds, for comparing it with others."""
        if table not in self._contents:
            one = self.tables[table]
            names = frozenset((*name_words(one.name), *(f".{column.name.lower()}" for column in one.columns)))
            self._contents[table] = Contents(int(self.datasource_of[table]), names)
        return self._contents[table]

    def find(self, proposal: Proposal) -> int | None:
        """The place of the table or column that another leg proposes."""
        table = self.places.get((proposal.datasource, proposal.schema_name, proposal.table))
        if table is None or proposal.kind == "table":
            return table
        return next((place for place in self.columns_of(table) if self.columns[place].name == proposal.column), None)


def build(entries: Sequence[Entry]) -> SchemaIndex:
    """The index of these datasources, in this order."""
    return _Building(tuple(entries)).finished()


class _Building:
    """The lists that become arrays."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries
        self.words: dict[str, int] = {}
        self.tables: list[Table] = []
        self.columns: list[Column] = []
        self.datasource_of: list[int] = []
        self.table_of: list[int] = []
        self.first_column: list[int] = []
        self.fields: dict[str, tuple[list[int], list[int]]] = {name: ([], []) for name in (*_FIELDS, "column_values")}
        self.whole: dict[tuple[str, ...], dict[int, None]] = defaultdict(dict)
        self.links: list[Link] = []
        self.usual: list[bool] = []
        self.time: list[bool] = []
        for datasource, entry in enumerate(entries):
            self._add(datasource, entry)

    def _add(self, datasource: int, entry: Entry) -> None:
        first = len(self.tables)
        meant = {(one.schema_name, one.table): one for one in entry.meanings.tables}
        for table in entry.snapshot.tables:
            self._add_table(datasource, table, meant.get(table.key), is_default=table.schema_name == entry.snapshot.default_schema)
        for link in links(entry.snapshot):
            self.links.append(Link(link.left + first, link.right + first, link.key))

    def _add_table(self, datasource: int, table: Table, meant: TableMeaning | None, *, is_default: bool) -> None:
        place = len(self.tables)
        self.tables.append(table)
        self.datasource_of.append(datasource)
        self.first_column.append(len(self.columns))
        self._occur("table_names", place, name_words(table.name))
        said = set(text_words(table.description))
        if not is_default:
            said.update(name_words(table.schema_name))
        if meant:
            said |= text_words(" ".join((meant.description, meant.domain, *meant.synonyms, *meant.questions)))
        self._occur("table_texts", place, sorted(said))
        for column in table.columns:
            self._add_column(place, column, meant)

    def _add_column(self, table: int, column: Column, meant: TableMeaning | None) -> None:
        place = len(self.columns)
        self.columns.append(column)
        self.table_of.append(table)
        named = name_words(column.name)
        self._occur("column_names", place, named)
        self.usual.append(not USUAL.isdisjoint(named))
        self.time.append(family(column.dtype) == "time")
        said = text_words(column.description)
        if meant:
            said |= text_words(" ".join((meant.column_descriptions.get(column.name, ""), *meant.column_synonyms.get(column.name, ()))))
        if said:
            self._occur("column_texts", place, sorted(said))
        values = (*column.allowed, *(column.statistics.samples if column.statistics else ()))[:MAX_VALUES]
        if not values:
            return
        parts = [name_words(value) for value in values]
        self._occur("column_values", place, sorted({word for part in parts for word in part}))
        for part in parts:
            if part:
                self.whole[part][place] = None

    def _occur(self, name: str, element: int, words: Iterable[str]) -> None:
        found, elements = self.fields[name]
        for word in words:
            found.append(self.words.setdefault(word, len(self.words)))
            elements.append(element)

    def finished(self) -> SchemaIndex:
        source_of, table_of, first = _places(self.datasource_of), _places(self.table_of), _places(self.first_column)
        sizes = np.diff(first, append=len(table_of)).astype(np.float32)
        rarity = self._rarity()
        return SchemaIndex(
            entries=self.entries,
            tables=tuple(self.tables),
            columns=tuple(self.columns),
            datasource_of=source_of,
            table_of=table_of,
            source_of_column=source_of[table_of] if len(table_of) else table_of,
            first_column=first,
            starts=first[sizes > 0],
            words=self.words,
            spellings=Spellings(self.words),
            keys=_keys(self.words),
            fields=self._joined_fields(),
            values=self._occurrences("column_values"),
            table_names=_names(self._occurrences("table_names"), rarity, len(self.tables)),
            column_names=_names(self._occurrences("column_names"), rarity, len(self.columns)),
            sizes=sizes / max(1.0, float(sizes.mean()) if len(sizes) else 1.0),
            whole_values={part: tuple(places) for part, places in self.whole.items()},
            links=tuple(self.links),
            is_usual=np.asarray(self.usual, dtype=np.float32),
            is_time=np.asarray(self.time, dtype=np.float32),
            keyed=self._keyed(),
            graph=LinkGraph(self.links),
            places={
                (self.entries[source].snapshot.datasource, *table.key): place
                for place, (source, table) in enumerate(zip(self.datasource_of, self.tables, strict=True))
            },
            wholes=_wholes(self.tables, self.datasource_of),
        )

    def _occurrences(self, name: str) -> Occurrences:
        found, elements = self.fields[name]
        return Occurrences(_places(found), _places(elements))

    def _joined_fields(self) -> Occurrences:
        parts, offset = [], 0
        for name, count in zip(_FIELDS, (len(self.tables), len(self.tables), len(self.columns), len(self.columns)), strict=True):
            found = self._occurrences(name)
            parts.append((found.words, found.elements + np.int32(offset)))
            offset += count
        return Occurrences(np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))

    def _rarity(self) -> Floats:
        """How rare each word is among the names of the index."""
        counts = np.zeros(len(self.words), np.float32)
        for name in ("table_names", "column_names"):
            counts += np.bincount(self._occurrences(name).words, minlength=len(self.words))
        return np.log(1 + (len(self.columns) + 1) / (counts + 0.5)).astype(np.float32)

    def _keyed(self) -> Keyed:
        pairs: list[tuple[int, int, int]] = []
        places = [
            {column.name: self.first_column[place] + at for at, column in enumerate(table.columns)}
            for place, table in enumerate(self.tables)
        ]
        for number, link in enumerate(self.links):
            for left, right in zip(link.key.columns, link.key.referred_columns, strict=False):
                ends = (places[link.left].get(left), places[link.right].get(right))
                if ends[0] is not None and ends[1] is not None:
                    pairs.append((number, ends[0], ends[1]))
        return Keyed(
            _places([link.left for link in self.links]),
            _places([link.right for link in self.links]),
            *(_places([pair[i] for pair in pairs]) for i in range(3)),
        )


def _keys(words: dict[str, int]) -> dict[str, tuple[tuple[int, float], ...]]:
    """Every stem that finds a word: the word itself (1), and what it is short for (0: the strength of an abbreviation)."""
    found: dict[str, list[tuple[int, float]]] = defaultdict(list)
    short = abbreviations()
    for word, number in words.items():
        found[word].append((number, 1.0))
        for long in short.get(word, ()):
            found[long].append((number, 0.0))
    return {word: tuple(numbers) for word, numbers in found.items()}


def _names(found: Occurrences, rarity: Floats, count: int) -> Names:
    own = rarity[found.words]
    whole = np.bincount(found.elements, weights=own, minlength=count)
    return Names(found, own, np.maximum(whole, 1e-6).astype(np.float32))


def _wholes(tables: Sequence[Table], datasource_of: Sequence[int]) -> dict[int, int]:
    """Partition -> the table that it is a part of, by place: `part of public.events FOR VALUES IN (1)`."""
    named = {(source, table.full_name): place for place, (source, table) in enumerate(zip(datasource_of, tables, strict=True))}
    named = {(source, table.name): named[source, table.full_name] for source, table in zip(datasource_of, tables, strict=True)} | named
    found = {}
    for place, (source, table) in enumerate(zip(datasource_of, tables, strict=True)):
        if table.partition.startswith(_PART):
            rest = table.partition.removeprefix(_PART)
            whole = named.get((source, rest.partition(" FOR VALUES")[0].removesuffix(" DEFAULT")))
            if whole is not None:
                found[place] = whole
    return found


def _places(numbers: list[int]) -> Places:
    return np.asarray(numbers, dtype=np.int32)
