"""Which files does a structural question look at? A project as the graph sees it, read from the index and the disk as it is asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING

from clew.graph.semantics import semantics
from clew.search.naming import named
from clew.sources.facts import by_names, facts
from clew.sources.outliner import outline
from clew.sources.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.core.catalog import FileRecord
    from clew.core.graph import Facts, Symbol
    from clew.core.protocols import ChunkStore
    from clew.core.query import Scope
    from clew.graph.fileview import FileView

Source = Callable[[str], Reading]
"""Reads a file of the project, by its path: from the disk, or, where the project is elsewhere, from the index."""
_MOST_FILES = 2_000
"""Files whose facts are remembered, some 100 kB each."""


class Remembered:
    """Facts of files by what the files hold: right for as long as the process lives, whatever is edited."""

    def __init__(self) -> None:
        self._facts: OrderedDict[tuple[str, str], Facts | None] = OrderedDict()
        self.views: dict[str, FileView] = {}
        self._turn = RLock()

    def facts(self, source: Source, store: ChunkStore, scope: Scope, record: FileRecord) -> Facts | None:
        """What a file says of names. It is read as it stands; where that is not what was indexed, its outline is made anew."""
        with self._turn:
            if (record.filepath, record.checksum) in self._facts:
                self._facts.move_to_end((record.filepath, record.checksum))
                return self._facts[record.filepath, record.checksum]
            reading = source(record.filepath)
            document = reading.document
            if document is None:
                return None
            is_known = reading.checksum == record.checksum
            if is_known:
                definitions, references = store.outline(scope, record.filepath), store.references(scope, record.filepath)
                now = store.files(scope.namespaces[0], (record.filepath,)).get(record.filepath)
                is_known = now is not None and now.checksum == record.checksum  # else it was indexed anew since the question began
            if not is_known:
                fresh = outline(document.lines, document.language)
                definitions, references = fresh.definitions, fresh.references
            found = facts(record.filepath, document.language, document.lines, definitions)
            found = found or by_names(record.filepath, document.language, definitions, references)
            if is_known:
                self._facts[record.filepath, record.checksum] = found
                self._forget_oldest()
            return found

    def _forget_oldest(self) -> None:
        if len(self._facts) > _MOST_FILES:
            (filepath, _), _ = self._facts.popitem(last=False)
            self.views.pop(filepath, None)


@dataclass(frozen=True)
class Structure:
    """A project at one moment, for one question; `name` is that of its folder."""

    name: str
    source: Source
    store: ChunkStore
    scope: Scope
    remembered: Remembered

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The language of each indexed file by path."""
        return {path: record.language for path, record in sorted(self._records.items()) if not record.skipped}

    def facts(self, filepath: str) -> Facts | None:
        """What a file says of names."""
        record = self._records.get(filepath)
        if record is None or record.skipped or semantics(record.language) is None:
            return None
        found = self._asked.get(filepath)
        if found is None:
            found = self.remembered.facts(self.source, self.store, self.scope, record)
            if found is not None:
                self._asked[filepath] = found
        return found

    def lines(self, filepath: str) -> tuple[str, ...]:
        """The lines of a file as it stands."""
        document = self.source(filepath).document
        return document.lines if document else ()

    def holding(self, word: str) -> tuple[str, ...]:
        """The files that hold a word, or one much like it."""
        return self.store.holding(self.scope, word)

    def named(self, name: str) -> tuple[Symbol, ...]:
        """The definitions of this very name or qualified name, each once."""
        return named(self.store, self.scope, name)

    @cached_property
    def _records(self) -> Mapping[str, FileRecord]:
        return self.store.files(self.scope.namespaces[0])

    @cached_property
    def _asked(self) -> dict[str, Facts]:
        return {}
