"""What do a project's databases have to do with an answer about its code? Tables that answer too, with the code that uses them; the tables that code touches.

The tables are those of the store in which schemas are indexed: chunks as any other. What code names is read off it when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from clew.core.answer import Question, Result
from clew.core.chunk import Chunk
from clew.core.protocols import ChunkStore, Embedder
from clew.core.query import Filters, Scope
from clew.core.schema.naming import namespace_of
from clew.core.words import terms
from clew.graph.table_uses import MODEL, mentions
from clew.search.searcher import Searcher
from clew.search.showing import SNIPPET_CHARACTERS
from clew.search.uses import Uses
from clew.sources.rules import Rules

MOST_TABLES = 3
"""Tables in an answer about code: whoever wants more of them asks the databases."""
CONFIDENT, NAMED = 0.3, 0.05
"""Scores from which a table is shown beside code that was found; the second where the question has its name. Chosen by bench/both_worlds.py: a lower one brings
hardly a table more, higher ones lose tables that are needed, and no question about code got a table among its ten results at any."""
APART = 0.5
"""Share of the best table's score from which another one is shown where no code was found: at .7 a quarter instead of a third of what is shown is of
no use, but one question in forty lacks a table that it has to join."""
MOST_CLASSES = 60
"""Names of classes that are looked up for the results of one answer."""
PREFIX = "db:"
_CLASS_NAME = re.compile(r"\b[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*\b")


class Tables:
    """The databases beside a project's code. `schemas` is where they are indexed, `code` and `scope` are the project's."""

    def __init__(
        self, schemas: ChunkStore, embedder: Callable[[], Embedder], code: ChunkStore, scope: Scope, root: Path, rules: Rules
    ) -> None:
        self._schemas = schemas
        self._searcher = Searcher(schemas, embedder)
        self._code = code
        self._scope = scope
        self._uses = Uses(code, scope, root, rules)

    def beside(self, question: Question, mode: str, results: Sequence[Result]) -> tuple[Result, ...]:
        """The results with the tables that answer the question, by score, and with the tables that each of them touches."""
        known = self._in_force()
        if not known:
            return tuple(results)
        names = self._names(known)
        touching = self._touching(results, names)
        tables = self._found(question, known, is_alone=not results) if mode != "structural" else ()
        merged = sorted((*touching, *tables), key=lambda result: -result.score)  # stable: of equal scores code comes first
        return tuple(merged[: question.limit])

    def _found(self, question: Question, known: Sequence[str], *, is_alone: bool) -> tuple[Result, ...]:
        filters = question.filters
        if filters.paths or (filters.symbol_types and "table" not in (one.lower() for one in filters.symbol_types)):
            return ()
        asked = replace(question, limit=MOST_TABLES, filters=Filters(languages=filters.languages), mode=_mode_of(question))
        with_columns = self._searcher.search(Scope(tuple(known)), asked).ranked
        best = {ranked.chunk.filepath: ranked for ranked in reversed(with_columns)}
        chunks = {one.filepath: one for one in self._table_chunks(known, best)}
        words = set(terms(question.text))
        usual = APART * max((one.score for one in best.values()), default=0.0) if is_alone else CONFIDENT

        def least(chunk: Chunk) -> float:
            return min(usual, NAMED) if words.issuperset(terms(chunk.symbol_name)) else usual

        ordered = sorted(best.items(), key=lambda entry: (-entry[1].score, entry[0]))
        answering = [(chunks[path], ranked) for path, ranked in ordered if path in chunks and ranked.score >= least(chunks[path])]
        return tuple(self._shown(chunk, ranked.score, ranked.reasons) for chunk, ranked in answering)

    def _shown(self, chunk: Chunk, score: float, reasons: Sequence[str]) -> Result:
        named = replace(chunk, filepath=f"{PREFIX}{chunk.filepath}", line_start=1, line_end=1 + chunk.code.count("\n"))
        uses = tuple(f"used by {use}" for use in self._uses.of(chunk.symbol_name))
        return Result(named, "", chunk.code[:SNIPPET_CHARACTERS], score, (*reasons, *uses))

    def _table_chunks(self, known: Sequence[str], paths: Iterable[str]) -> Iterator[Chunk]:
        """The chunks of whole tables whose documents these are."""
        scope = Scope(tuple(known))
        for path in paths:
            keys = [hit.key for hit in self._schemas.at(scope, path, 1, Filters(symbol_types=("table",)))]
            yield from (chunk for chunk in self._schemas.chunks(scope, keys).values() if chunk.filepath == path)

    def _in_force(self) -> tuple[str, ...]:
        """The namespaces of the versions that count."""
        facts = (self._schemas.facts(name) for name in self._schemas.namespaces())
        return tuple(namespace_of(one["datasource"], one["in_force"]) for one in facts if "in_force" in one and "datasource" in one)

    def _names(self, known: Sequence[str]) -> dict[str, list[str]]:
        """Full names of tables by bare ones in lower case."""
        found: dict[str, list[str]] = {}
        for namespace in known:
            for path in self._schemas.files(namespace):
                if "." in path:
                    found.setdefault(path.rsplit(".", 1)[-1].strip('"').lower(), []).append(path)
        return found

    def _touching(self, results: Sequence[Result], names: dict[str, list[str]]) -> Iterator[Result]:
        """The results, each with the tables that it names or whose models it mentions."""
        of_class = self._models(results, names)
        for result in results:
            direct = {one.name for one in mentions(result.chunk.code, result.chunk.filepath)}
            through = {name for word in _CLASS_NAME.findall(result.chunk.code) for name in of_class.get(word, ())}
            touched = sorted({full for name in direct | through for full in names.get(name, ())})
            yield replace(result, reasons=(*result.reasons, f"touches {', '.join(touched)}")) if touched else result

    def _models(self, results: Sequence[Result], names: dict[str, list[str]]) -> dict[str, set[str]]:
        """The tables that classes stand for which the results mention, by the classes' names."""
        words = list(dict.fromkeys(word for result in results for word in _CLASS_NAME.findall(result.chunk.code)))[:MOST_CLASSES]
        if not words:
            return {}
        hits = self._code.named(self._scope, words, Filters(), 2 * MOST_CLASSES)
        found: dict[str, set[str]] = {}
        for chunk in self._code.chunks(self._scope, [hit.key for hit in hits]).values():
            for one in mentions(chunk.code, chunk.filepath):
                if one.how == MODEL and one.by in words and one.name in names:
                    found.setdefault(one.by, set()).add(one.name)
        return found


def _mode_of(question: Question) -> str:
    return question.mode if question.mode in ("fast", "semantic", "hybrid") else "auto"
