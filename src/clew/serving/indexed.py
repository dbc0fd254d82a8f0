"""How is a namespace answered whose project is elsewhere? From the index alone: nothing of this machine's disk is read for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from clew.core.answer import Answer, Question, Result, Status
from clew.core.chunk import Chunk
from clew.core.document import Document
from clew.core.query import Scope
from clew.errors import NoIndex, UsageError, not_indexed
from clew.index.reporting import kept_state
from clew.search.hints import hint_for
from clew.search.navigation import Navigator
from clew.search.packing import pack
from clew.search.searcher import Searcher
from clew.search.showing import snippet
from clew.serving.looks import Lines, Look, Looked, Outlined, Outlines
from clew.sources.reading import Reading
from clew.stores.copying import Portable


@dataclass(frozen=True, slots=True)
class Unwatched:
    """How an index stands to a disk that is not here: whoever owns it keeps it current."""

    stale: bool = False
    warnings: tuple[str, ...] = ()


class Indexed:
    """What a store knows, asked within a scope that somebody else has decided."""

    def __init__(self, store: Portable, searcher: Searcher) -> None:
        self._store = store
        self._searcher = searcher

    def search(self, scope: Scope, question: Question) -> Answer:
        """The answer from the namespaces of the scope together."""
        with self._store.moment():
            found = self._searcher.search(scope, question)
        results = tuple(
            Result(one.chunk, "", snippet(one.chunk.code), one.score, one.reasons, lines=one.lines, wanted=one.wanted)
            for one in found.ranked
        )
        packed = pack(results, question.max_tokens, found.gist)
        answer = Answer(
            query=question.text,
            mode=found.mode,
            results=packed.results,
            confidence=found.confidence.level,
            confidence_score=found.confidence.chance,
            warnings=found.warnings,
            route=found.reasons,
            gist=found.gist,
            withheld=found.withheld,
            count=lambda: packed.tokens,
        )
        return replace(answer, hint=hint_for(answer, question, ()))

    def look(self, look: Look, namespace: str) -> Looked:
        """What a look at one namespace shows. Raises UsageError for a file that is not in it."""
        scope = Scope((namespace,))
        navigator = Navigator(namespace, self._source(scope), self._store, scope, Unwatched)
        asked: dict[str, Callable[[], Looked]] = {
            "symbol": lambda: navigator.symbol(look.target),
            "callers": lambda: navigator.callers(look.target, look.depth),
            "callees": lambda: navigator.callees(look.target),
            "importers": lambda: navigator.importers(look.target),
            "impact": lambda: navigator.impact(look.target),
            "related": lambda: navigator.related(look.target, look.line_start),
            "map": lambda: navigator.map(look.target),
            "outline": lambda: self._outline(scope, look.target),
            "outlines": lambda: self._outlines(scope, look.target),
            "read": lambda: self._lines(namespace, look),
        }
        return asked[look.what]()

    def status(self, namespace: str) -> Status:
        """What is indexed of a namespace. Raises NoIndex where it is only a name."""
        facts = self._store.facts(namespace)
        if "complete" not in facts:
            raise NoIndex(f"nothing is indexed in {namespace} yet", "its owner indexes it: clew index")
        space = next(iter(self._store.spaces(namespace)), None)
        return kept_state(self._store, namespace, space, facts)

    def _outline(self, scope: Scope, filepath: str) -> Outlined:
        self.refuse_unknown(scope.namespaces[0], filepath)
        return Outlined(filepath, self._store.outline(scope, filepath))

    def _outlines(self, scope: Scope, folder: str) -> Outlines:
        inside = f"{folder.strip('/')}/" if folder.strip("/") else ""
        with self._store.moment():
            defined = {path: definitions for path, definitions, _ in self._store.outlines(scope)}
            records = self._store.files(scope.namespaces[0])
        files = {path: defined.get(path, ()) for path, one in sorted(records.items()) if not one.skipped and path.startswith(inside)}
        return Outlines(folder, files)

    def _lines(self, namespace: str, look: Look) -> Lines:
        self.refuse_unknown(namespace, look.target)
        lines = joined(self._chunks(namespace, look.target))
        first = max(look.line_start, 1)
        shown = lines[first - 1 : look.line_end or None]
        if not shown:
            raise no_line(look.target, first)
        return Lines(look.target, first, first + len(shown) - 1, "\n".join(shown), from_index=True)

    def refuse_unknown(self, namespace: str, filepath: str) -> None:
        """Raise UsageError for a file that is not in the index."""
        record = self._store.files(namespace, (filepath,)).get(filepath)
        if record is None or record.skipped:
            raise not_indexed(filepath)

    def _source(self, scope: Scope) -> Callable[[str], Reading]:
        """Reads a file as it was indexed."""
        namespace = scope.namespaces[0]

        def read(filepath: str) -> Reading:
            record = self._store.files(namespace, (filepath,)).get(filepath)
            if record is None or record.skipped:
                return Reading(skipped="not in the index")
            lines = joined(self._chunks(namespace, filepath))
            return Reading(Document(filepath, record.language, tuple(lines)), record.checksum)

        return read

    def _chunks(self, namespace: str, filepath: str) -> Sequence[Chunk]:
        stored = self._store.stored(namespace, (filepath,)).get(filepath)
        return stored.update.chunks if stored else ()


def no_line(filepath: str, line: int) -> UsageError:
    """A line behind the end of a file."""
    return UsageError(f"{filepath} has no line {line}", "outline lists what it holds")


def joined(chunks: Sequence[Chunk]) -> list[str]:
    """The lines of a file, put together from its chunks, which hold each line that is not blank; one that is too long for a chunk is in several."""
    lines = [""] * max((chunk.line_end for chunk in chunks), default=0)
    for chunk in chunks:
        for number, line in enumerate(chunk.code.split("\n"), chunk.line_start - 1):
            if line not in lines[number]:
                lines[number] += line
    return lines
