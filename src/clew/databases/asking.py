"""How is a question asked of snapshots? With the vectors, values and meanings of the project, and the code that uses what is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.core.schema.answer import FoundTable, SchemaAnswer, SchemaQuestion
from clew.core.schema.contracts import Snapshot
from clew.core.schema.meaning import Meanings
from clew.core.schema.protocols import SchemaValues
from clew.databases.parts import Chunks, CodeBeside, Meant
from clew.errors import ClewError
from clew.index.schema_upkeep import said_of_chunks

if TYPE_CHECKING:
    from clew.search.schema.retrieval import SchemaSearch

USED = 3
"""Tables of an answer whose code is looked up: some files are read for each."""
KEPT_SEARCHES = 4
"""Sets of snapshots whose search structures a process keeps: those of 5,000 tables take some 100 MB."""


class Asking:
    """Answers over snapshots; what a set of them needs is kept while they are the same. `mark` tells whether a datasource's latest one still is."""

    def __init__(
        self,
        mark: Callable[[str], str],
        meanings: Callable[[], Meant],
        described: Callable[[Snapshot, Meanings], Meanings],
        chunks: Chunks,
        code: CodeBeside,
        values: SchemaValues,
    ) -> None:
        self._mark = mark
        self._meanings = meanings
        self._described = described
        self._chunks = chunks
        self._code = code
        self._values = values
        self._searches: dict[tuple[object, ...], SchemaSearch] = {}

    def answer(self, question: SchemaQuestion, snapshots: Sequence[Snapshot]) -> SchemaAnswer:
        """The answer; what is missing of vectors, meanings or code is among its warnings."""
        warnings: list[str] = []
        asked = replace(question, datasources=tuple(one.datasource for one in snapshots))
        try:
            vectors = self._chunks.vectors()
        except ClewError as fault:
            vectors = None
            warnings.append(f"searched by words alone: {said_of_chunks(fault)}")
        answer = self._search_over(snapshots, self._meanings().meanings).answer(asked, vectors, self._values)
        warnings += self._meanings().warnings
        if vectors is not None and not answer.full_snapshot:
            warnings += self._outdated(snapshots)
        tables, remarks = self._with_uses(answer.tables)
        return replace(answer, tables=tables, warnings=(*warnings, *answer.warnings, *remarks))

    def _search_over(self, snapshots: Sequence[Snapshot], meanings: Meanings) -> SchemaSearch:
        from clew.search.schema.index import Entry  # numpy, which no other command needs
        from clew.search.schema.retrieval import SchemaSearch

        marks = tuple((one.datasource, one.version, self._mark(one.datasource)) for one in snapshots)
        entries = [Entry(one, self._described(one, meanings)) for one in snapshots]
        key = (marks, *(id(one.meanings) for one in entries))
        if key not in self._searches:
            while len(self._searches) >= KEPT_SEARCHES:
                self._searches.pop(next(iter(self._searches)))
            self._searches[key] = SchemaSearch(entries)
        return self._searches[key]

    def _outdated(self, snapshots: Sequence[Snapshot]) -> Iterator[str]:
        """What to say of vectors that are not of these versions; a store that cannot tell could not be searched, which the answer says."""
        with suppress(ClewError):
            for name in self._chunks.outdated([(one.datasource, one.version) for one in snapshots]):
                yield f"{name}: vectors are those of another version of its schema, and were searched all the same (clew db index {name} renews them)"

    def _with_uses(self, tables: tuple[FoundTable, ...]) -> tuple[tuple[FoundTable, ...], tuple[str, ...]]:
        """The tables, the first with the places of the code that use them; what hinders that costs nothing else."""
        try:
            uses = self._code.opened()
            first = tuple(replace(one, used_by=uses.of(one.table.name)) for one in tables[:USED]) if uses is not None else tables[:USED]
        except ClewError as fault:
            return tables, (f"the code that uses these tables was not looked up: {fault.message}",)
        return (*first, *tables[USED:]), ()
