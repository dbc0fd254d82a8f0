"""Which terms of the business, and which metrics, does a question use, and what do they stand for?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from clew.core.schema.contracts import Table
from clew.core.schema.meaning import Metric, Term
from clew.search.schema.index import SchemaIndex
from clew.search.schema.words import name_words, text_words

LEAST_COVERED = 0.6
"""Share of a metric's name that a question must cover: `monthly revenue` finds `revenue`, `active` alone not `monthly active users`."""
DEFINITION = 0.2
"""What the share of a question that a metric's definition covers adds."""


class Meant(NamedTuple):
    """A table or column (by place in the index) that a term or metric stands for, how surely, and why."""

    place: int
    strength: float
    reason: str


class Known(NamedTuple):
    """What the business's words add to a question: `text` is for legs that read words, `values` for the value leg, `notes` for the DDL
    (by place of the column, or of the table with a minus and one less); `missing` says which tables and columns that they name are not there."""

    tables: tuple[Meant, ...]
    columns: tuple[Meant, ...]
    text: str
    values: tuple[str, ...]
    notes: dict[int, str]
    table_notes: dict[int, str]
    conditions: tuple[str, ...]
    missing: tuple[str, ...] = ()


def used_terms(question: str, index: SchemaIndex) -> Known:
    """The glossary's terms in a question, longest first; a term inside a longer one that is used too does not count."""
    words = name_words_of(question)
    found: list[tuple[int, Term, int]] = []
    for source, entry in enumerate(index.entries):
        for term in entry.meanings.glossary:
            if term.datasource not in ("", entry.snapshot.datasource):
                continue
            length = max(
                (len(name) for name in map(name_words_of, (term.term, *term.synonyms)) if name and _stands_in(name, words)), default=0
            )
            if length:
                found.append((length, term, source))
    found.sort(key=lambda one: (-one[0], one[1].term, one[2]))
    known = _known(found, index)
    terms = {f"the term {term.term}": ((term.table,) if term.table else (), term.columns) for _, term, _ in found}
    return known._replace(missing=tuple(unplaced(terms, [(f"the term {term.term}", source) for _, term, source in found], index)))


def _known(found: Sequence[tuple[int, Term, int]], index: SchemaIndex) -> Known:
    tables: list[Meant] = []
    columns: list[Meant] = []
    texts: list[str] = []
    values: list[str] = []
    notes: dict[int, str] = {}
    table_notes: dict[int, str] = {}
    conditions: list[str] = []
    for _, term, source in found:
        reason = f"glossary: {term.term}"
        place = find_table(index, source, term.table) if term.table else None
        its = [one for name in term.columns if (one := find_column(index, source, name, place)) is not None]
        said = f"{term.term}: {term.condition or (f'= {term.value}' if term.value else term.description)}".strip().rstrip(":")
        if place is not None:
            tables.append(Meant(place, 1.0, reason))
        for column in its:
            columns.append(Meant(column, 1.0, reason))
            tables.append(Meant(int(index.table_of[column]), 1.0, reason))
            notes[column] = said
        if not its and place is not None:
            table_notes[place] = said
        if term.condition and place is None and not its:  # else its column or table says it
            conditions.append(said)
        if term.value:
            values.append(term.value)
        texts += [term.table, *term.columns, term.value, term.condition, term.description]
    return Known(
        tuple(tables), tuple(columns), " ".join(filter(None, texts)), tuple(values), notes, table_notes, tuple(dict.fromkeys(conditions))
    )


def used_metrics(question: str, index: SchemaIndex) -> tuple[tuple[Metric, float, int], ...]:
    """The metrics that a question names, with a score and their datasource's place, best first."""
    words = frozenset(name_words_of(question))
    found = []
    for source, entry in enumerate(index.entries):
        for metric in entry.meanings.metrics:
            if metric.datasource not in ("", entry.snapshot.datasource):
                continue
            names = [frozenset(name_words_of(name)) for name in (metric.name, *metric.synonyms)]
            covered = max((len(name & words) / len(name) for name in names if name), default=0.0)
            if covered >= LEAST_COVERED:
                about = text_words(metric.definition) & words
                found.append((metric, round(covered + DEFINITION * len(about) / max(1, len(words)), 6), source))
    found.sort(key=lambda one: (-one[1], one[0].name, one[2]))
    return tuple(found)


def metric_places(metric: Metric, source: int, index: SchemaIndex) -> tuple[list[int], list[int]]:
    """The tables and columns that a metric is made from."""
    tables = [place for name in metric.tables if (place := find_table(index, source, name)) is not None]
    columns = [
        place
        for name in (*metric.columns, *metric.dimensions)
        if (place := find_column(index, source, name, tables[0] if tables else None)) is not None
    ]
    return tables, columns


def unplaced(
    named: Mapping[str, tuple[Sequence[str], Sequence[str]]], used: Iterable[tuple[str, int]], index: SchemaIndex
) -> Iterator[str]:
    """What terms and metrics (tables and columns by what is `named`) name that is in none of the datasources in which they are `used`, a warning each."""
    absent: dict[str, list[tuple[str, ...]]] = {}
    for name, source in used:
        tables, columns = named[name]
        places = [find_table(index, source, table) for table in tables]
        home = next((place for place in places if place is not None), None)
        gone = [table for table, place in zip(tables, places, strict=True) if place is None]
        gone += [column for column in columns if find_column(index, source, column, home) is None]
        absent.setdefault(name, []).append(tuple(gone))
    for name, each in absent.items():
        fewest = min(each, key=len)
        if fewest:
            yield f"{name} names what the schema does not have: {', '.join(fewest)}"


def find_table(index: SchemaIndex, source: int, name: str) -> int | None:
    """The place of a table by `schema.table` or bare name: exact, else without regard to case where that is only one."""
    return _only(index.tables_of(source), index.tables, name)


def find_column(index: SchemaIndex, source: int, name: str, table: int | None) -> int | None:
    """The place of a column by `schema.table.column`, `table.column` or bare name (then of that table, else of the only one that has it)."""
    head, _, last = name.rpartition(".")
    places: Iterable[int] = index.tables_of(source)
    if head:
        place = find_table(index, source, head)
        places = [place] if place is not None else []
    elif table is not None:
        places = [table]
    found = [at for place in places for at in index.columns_of(place) if index.columns[at].name.lower() == last.lower()]
    exact = [at for at in found if index.columns[at].name == last]
    return exact[0] if len(exact) == 1 else found[0] if len(found) == 1 else None


def _only(places: Iterable[int], tables: Sequence[Table], name: str) -> int | None:
    known = [(place, tables[place]) for place in places]
    for wanted, is_folded in ((name, False), (name.lower(), True)):
        for whole in (True, False):
            found = []
            for place, table in known:
                own = table.full_name if whole else table.name
                if (own.lower() if is_folded else own) == wanted:
                    found.append(place)
            if len(found) == 1:
                return found[0]
    return None


def name_words_of(text: str) -> tuple[str, ...]:
    """All stems of a text, in order."""
    return tuple(word for part in text.split() for word in name_words(part))


def _stands_in(name: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return any(words[at : at + len(name)] == name for at in range(len(words) - len(name) + 1))
