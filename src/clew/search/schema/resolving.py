"""How do places in an index become an answer? Everything in it is taken from the snapshots; the DDL is packed, the trace written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from clew.core.schema.answer import FoundColumn, FoundTable, Join, SchemaAnswer, SchemaQuestion, Trace, no_room
from clew.core.schema.contracts import Snapshot, Table
from clew.core.tokens import count_tokens
from clew.search.schema.ddl import Wording, one_line
from clew.search.schema.evidence import Evidence, Said, nothing
from clew.search.schema.index import Floats, SchemaIndex
from clew.search.schema.joins import joins
from clew.search.schema.links import Link
from clew.search.schema.packing import Wish, pack

MOST_WORDS = 4
"""Words of the question that a reason names."""


class Picked(NamedTuple):
    """The tables of an answer by place in the index, best first, bridges last, and the candidates that were dropped."""

    tables: list[int]
    bridges: frozenset[int]
    dropped: list[int]


class _Written(NamedTuple):
    """DDL of all datasources of an answer; `shown` are columns by place of their table, `is_everything` when it is the whole schema."""

    ddl: str
    tokens: int
    shown: dict[int, frozenset[str]]
    is_everything: bool
    warnings: tuple[str, ...]


class Resolver:
    """Answers from one index; DDL that is the same for every question is written once."""

    def __init__(self, index: SchemaIndex) -> None:
        self.index = index
        self._firsts = [index.tables_of(source).start for source in range(len(index.entries))]
        self._everything: dict[tuple[int, bool], _Written] = {}
        self._joins_of: dict[int, Join] = {}

    def answer(self, question: SchemaQuestion, evidence: Evidence, picked: Picked) -> SchemaAnswer:
        """The answer of these tables."""
        written = self._written(question, evidence, picked)
        omitted = tuple(self.index.tables[place].full_name for place in picked.tables if place not in written.shown)
        return SchemaAnswer(
            query=question.text,
            tables=tuple(self._found(place, evidence, picked, question) for place in picked.tables),
            joins=self._joins(picked.tables),
            metrics=evidence.metrics,
            ddl=written.ddl,
            omitted=omitted,
            schema_versions={entry.snapshot.datasource: entry.snapshot.version for entry in self.index.entries},
            full_snapshot=written.is_everything,
            warnings=(
                *evidence.warnings,
                *evidence.remarks,
                *written.warnings,
                *no_room(omitted, len(picked.tables), question.max_tokens),
                *self._gaps(picked.tables),
            ),
            tokens=written.tokens,
            trace=tuple(_trace(self.index, evidence, picked, written.shown)) if question.explain else (),
        )

    def _found(self, place: int, evidence: Evidence, picked: Picked, question: SchemaQuestion) -> FoundTable:
        index = self.index
        table = index.tables[place]
        first = int(index.first_column[place])
        scores: list[float] = evidence.columns[first : first + len(table.columns)].tolist()
        words = _words(evidence.words.column_words[:, first : first + len(table.columns)], evidence.words.words)
        return FoundTable(
            datasource=index.entries[index.datasource_of[place]].snapshot.datasource,
            table=table,
            score=_rounded(evidence.tables[place]),
            columns=tuple(
                FoundColumn(
                    column=table.columns[at],
                    score=round(scores[at], 4),
                    reasons=_reasons(words[at], evidence.said_of_columns.get(first + at, ())),
                )
                for at in sorted(range(len(scores)), key=lambda at: (-scores[at], at))
            ),
            foreign_keys=tuple(link.key for link in index.graph.from_table(place)),
            is_bridge=place in picked.bridges,
            reasons=_reasons(
                _words(evidence.words.table_words[:, place : place + 1], evidence.words.words)[0], evidence.said_of_tables.get(place, ())
            )
            or (("joins others that were found",) if place in picked.bridges else ()),
        )

    def _links(self, source: int, places: Iterable[int]) -> list[Link]:
        """The links between tables of a datasource, all with places in its own snapshot."""
        first = self._firsts[source]
        between = self.index.graph.between(place + first for place in places)
        return [Link(link.left - first, link.right - first, link.key) for link in between]

    def _joins(self, tables: Sequence[int]) -> tuple[Join, ...]:
        found: list[Join] = []
        for source, places in self._by_source(tables).items():
            found += joins(self.index.entries[source].snapshot, self._links(source, places), places, self._joins_of)
        return tuple(found)

    def _by_source(self, tables: Iterable[int]) -> dict[int, list[int]]:
        """Datasource -> places in its snapshot, both in the order of the tables."""
        found: dict[int, list[int]] = {}
        for place in tables:
            source = int(self.index.datasource_of[place])
            found.setdefault(source, []).append(place - self._firsts[source])
        return found

    def _gaps(self, tables: Iterable[int]) -> Iterator[str]:
        for source in self._by_source(tables):
            snapshot = self.index.entries[source].snapshot
            if snapshot.unread:
                names = ", ".join(one_line(one.name, 60) for one in snapshot.unread[:MOST_WORDS])
                yield f"{snapshot.datasource}: {len(snapshot.unread)} could not be read and cannot be found: {names}"

    def _written(self, question: SchemaQuestion, evidence: Evidence, picked: Picked) -> _Written:
        """The whole schema where it fits; else what was picked, and the rest as far as the budget goes where a leg was missing or found nothing."""
        whole = self._whole(question)
        known = evidence.known
        if whole is not None:
            found = whole
            if known.conditions or known.notes or known.table_notes:  # the glossary's notes are the question's own
                noted = self._pack(question, evidence, range(len(self.index.tables)))
                found = noted if noted.is_everything else found
        elif nothing(evidence) or evidence.warnings:
            rest = [place for place in range(len(self.index.tables)) if place not in frozenset(picked.tables)]
            found = self._pack(question, evidence, [*picked.tables, *rest])._replace(is_everything=True)
        else:
            found = self._pack(question, evidence, picked.tables)
        if nothing(evidence) and self.index.tables:
            what = "the whole schema" if whole is not None else "the schema, as far as the budget goes,"
            return found._replace(
                warnings=(*found.warnings, f"nothing in the schema matches the question: {what} is shown"), is_everything=True
            )
        return found

    def _whole(self, question: SchemaQuestion) -> _Written | None:
        key = (question.max_tokens, question.may_see_samples)
        if key not in self._everything:
            everything = self._pack(question, None, range(len(self.index.tables)))
            if len(self._everything) > _MOST_KEPT:
                self._everything.clear()
            self._everything[key] = everything
        found = self._everything[key]
        return found if found.is_everything else None

    def _pack(self, question: SchemaQuestion, evidence: Evidence | None, tables: Sequence[int]) -> _Written:
        """DDL of these tables, one datasource after the other, each within what the others left of the budget."""
        texts: list[str] = []
        shown: dict[int, frozenset[str]] = {}
        is_whole, left = True, question.max_tokens
        groups = self._by_source(tables)
        for source, places in groups.items():
            snapshot, first = self.index.entries[source].snapshot, self._firsts[source]
            head = (
                _heading(snapshot.datasource, snapshot.dialect, evidence)
                if len(groups) > 1 or (evidence and evidence.known.conditions)
                else ""
            )
            spare = left - count_tokens(head) if left else 0
            if left and spare <= 0:
                is_whole = False
                break
            wishes = [Wish(place, self._ranked(place + first, evidence)) for place in places]
            packed = pack(snapshot, wishes, self._links(source, places), spare, _wording(question, evidence, first, self.index))
            is_whole = is_whole and packed.is_whole
            if packed.ddl:
                texts.append(head + packed.ddl + "\n")
                shown.update({place + first: columns for place, columns in packed.shown.items()})
                left = max(1, question.max_tokens - count_tokens("\n".join(texts))) if left else 0
        ddl = "\n".join(texts)
        everything = is_whole and len(tables) == len(self.index.tables)
        return _Written(ddl, count_tokens(ddl), shown, everything, ())

    def _ranked(self, place: int, evidence: Evidence | None) -> list[tuple[str, float]]:
        columns = self.index.columns_of(place)
        if evidence is None:
            return [(self.index.columns[at].name, 0.0) for at in columns]
        scored = ((self.index.columns[at].name, float(evidence.columns[at])) for at in columns)
        return sorted(scored, key=lambda one: -one[1])


_MOST_KEPT = 32
"""Budgets for which the whole schema's DDL is kept."""


def _best_first(index: SchemaIndex, place: int, evidence: Evidence) -> list[int]:
    """The places of a table's columns, the best first."""
    places = index.columns_of(place)
    scores: list[float] = evidence.columns[places.start : places.stop].tolist()
    return [places.start + at for at in sorted(range(len(scores)), key=lambda at: (-scores[at], at))]


def _heading(datasource: str, dialect: str, evidence: Evidence | None) -> str:
    conditions = evidence.known.conditions if evidence else ()
    return "".join(f"-- {one_line(line, 200)}\n" for line in (f"{datasource} ({dialect})", *conditions))


def _wording(question: SchemaQuestion, evidence: Evidence | None, first: int, index: SchemaIndex) -> Wording:
    added: dict[tuple[int, str], str] = {}
    if evidence:
        for at, note in evidence.known.notes.items():
            added[int(index.table_of[at]) - first, index.columns[at].name] = note
    notes = {place - first: note for place, note in evidence.known.table_notes.items()} if evidence else {}
    return Wording(samples=question.may_see_samples, added=added, added_to_tables=notes)


def without_values(snapshot: Snapshot) -> Snapshot:
    """The snapshot with no values and no statistics of rows; an enum's labels are structure."""
    return snapshot.model_copy(update={"tables": tuple(map(_bare, snapshot.tables)), "held": ()})


def _bare(table: Table) -> Table:
    columns = tuple(one.model_copy(update={"statistics": None}) if one.statistics else one for one in table.columns)
    return table.model_copy(update={"columns": columns, "row_count": None})


def _words(by_word: Floats, words: Sequence[str]) -> list[tuple[str, ...]]:
    """For each element the words of the question that speak for it, the strongest first."""
    found = []
    for strengths in by_word.T.tolist():  # numbers of Python's own are compared four times as fast
        rows = sorted((-strength, row) for row, strength in enumerate(strengths) if strength > 0)
        found.append(tuple(words[row] for _, row in rows[:MOST_WORDS]))
    return found


def _reasons(words: Sequence[str], said: Sequence[Said]) -> tuple[str, ...]:
    """What other legs say, then the words of the question."""
    found = [one.reason for one in said]
    if words:
        found.append("words: " + ", ".join(words))
    return tuple(dict.fromkeys(found))


def _trace(index: SchemaIndex, evidence: Evidence, picked: Picked, shown: dict[int, frozenset[str]]) -> Iterator[Trace]:
    """Each leg's say in each table that was looked at, and each column of those that are shown."""
    for place in (*picked.tables, *picked.dropped):
        kept = place not in picked.dropped
        reason = (
            "joins others that were found"
            if place in picked.bridges
            else ""
            if kept
            else "beyond the limit, or a copy of one that is shown"
        )
        yield from _traced(index, place, "table", index.tables[place].full_name, evidence, kept, reason)
    for place in picked.tables:
        table = index.tables[place]
        for at in _best_first(index, place, evidence):
            name = index.columns[at].name
            if evidence.columns[at] > 0:
                kept = name in shown.get(place, ())
                yield from _traced(index, at, "column", f"{table.full_name}.{name}", evidence, kept, "" if kept else "beyond the budget")


def _traced(index: SchemaIndex, place: int, kind: str, name: str, evidence: Evidence, kept: bool, reason: str) -> Iterator[Trace]:
    source = index.datasource_of[place] if kind == "table" else index.datasource_of[index.table_of[place]]
    datasource = index.entries[source].snapshot.datasource
    scores, said = (
        (evidence.words.tables, evidence.said_of_tables) if kind == "table" else (evidence.words.columns, evidence.said_of_columns)
    )
    yield Trace(datasource, name, kind, "words", _rounded(scores[place]), kept, reason)
    for one in said.get(place, ()):
        yield Trace(datasource, name, kind, one.leg, round(one.score, 4), kept, one.reason)


def _rounded(score: float) -> float:
    """Scores as they are shown: what differs by less is equal on every machine."""
    return round(float(score), 4)
