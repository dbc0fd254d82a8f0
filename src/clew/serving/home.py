"""What is behind the door? One store, and who answers for each of its namespaces: the engine of a project that lies here, or the index alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING

from clew.core.answer import Answer, Question, Result, Status
from clew.core.query import Scope
from clew.engine import Engine
from clew.errors import NoIndex
from clew.search.confidence import NO_CONFIDENCE, Confidence
from clew.search.packing import pack
from clew.serving.indexed import Indexed, no_line
from clew.serving.looks import Lines, Look, Looked, Outlined, Outlines

if TYPE_CHECKING:
    from clew.databases import Databases
    from clew.search.searcher import Searcher
    from clew.stores.copying import Portable


class Home:
    """One store, and the projects that lie here and are kept in it. Asked only within what the door has decided."""

    def __init__(self, store: Portable, searcher: Searcher) -> None:
        self.store = store
        self._indexed = Indexed(store, searcher)
        self._engines: dict[str, Engine] = {}
        self._databases: dict[str, _OneAtATime] = {}

    def take_in(self, namespace: str, engine: Engine | None, databases: Callable[[], Databases]) -> None:
        """Let an engine of the same store answer for a namespace, as its project lies here (None: it does not), and databases beside it."""
        if engine is not None:
            self._engines[namespace] = engine
        self._databases[namespace] = _OneAtATime(databases)

    def places(self) -> Iterator[tuple[str, str]]:
        """Where things lie on this machine, and what is said instead."""
        yield str(self.store.folder), "its index"
        for name, engine in self._engines.items():
            yield str(engine.root), name

    def level(self) -> dict[str, float]:
        """What the store holds: namespaces, files, chunks, chunks that its search indexes do not show yet, and how often vectors of questions were known."""
        names = self.store.namespaces()
        counts = [self.store.counts(name, next(iter(self.store.spaces(name)), None)) for name in names]
        questions = [engine.remembered() for engine in self._engines.values()]
        return {
            "clew_namespaces": len(names),
            "clew_files": sum(one.files for one in counts),
            "clew_chunks": sum(one.chunks for one in counts),
            "clew_index_lag_chunks": sum(one.unsynced for one in counts) if self.store.is_shared else 0,
            "clew_question_vectors_total": sum(one.asked for one in questions),
            "clew_question_vectors_known_total": sum(one.hits for one in questions),
        }

    def search(self, names: Sequence[str], question: Question) -> tuple[Answer, ...]:
        """The answers from these namespaces: one of each project that lies here, one of all others."""
        asked = {name: engine for name, engine in self._engines.items() if name in names}
        found = [_own(engine.search(replace(question, namespaces=(name,))), name) for name, engine in asked.items()]
        others = tuple(name for name in names if name not in asked)
        return (*found, self._indexed.search(Scope(others), question)) if others else tuple(found)

    def look(self, look: Look, name: str) -> Looked:
        """What a look at one namespace shows."""
        engine = self._engines.get(name)
        if engine is None:
            return self._indexed.look(look, name)
        asked: dict[str, Callable[[], Looked]] = {
            "symbol": lambda: engine.symbol(look.target),
            "callers": lambda: engine.callers(look.target, look.depth),
            "callees": lambda: engine.callees(look.target),
            "importers": lambda: engine.importers(look.target),
            "impact": lambda: engine.impact(look.target),
            "related": lambda: engine.related(look.target, look.line_start),
            "map": lambda: engine.map(look.target),
            "outline": lambda: Outlined(look.target, engine.outline(look.target)),
            "outlines": lambda: Outlines(look.target, engine.outlines(look.target)),
            "read": lambda: _read(engine, look),
        }
        if look.what == "read":
            self._indexed.refuse_unknown(name, look.target)  # what is ignored, or may hold secrets, is not in the index
        return asked[look.what]()

    def status(self, name: str) -> Status:
        """How a namespace stands."""
        return self._engines[name].status() if name in self._engines else self._indexed.status(name)

    def has_databases(self, name: str) -> bool:
        """Whether databases are registered beside a namespace."""
        if name not in self._databases:
            return False
        with self._databases[name].turn() as databases:
            return bool(databases.names())

    @contextmanager
    def databases(self, name: str) -> Iterator[Databases]:
        """The databases beside a namespace, one call at a time. Raises NoIndex where there are none."""
        if not self.has_databases(name):
            raise NoIndex(f"no database is registered in {name}", "add one where its index is: clew db add NAME URL")
        with self._databases[name].turn() as databases:
            yield databases

    def close(self) -> None:
        """Give back files and locks."""
        for databases in self._databases.values():
            databases.close()
        for engine in self._engines.values():
            engine.close()
        if not self._engines:  # an engine closes its store
            self.store.close()


class _OneAtATime:
    """Databases, opened when first asked."""

    def __init__(self, opened: Callable[[], Databases]) -> None:
        self._opened = opened
        self._open: Databases | None = None
        self._turn = RLock()

    @contextmanager
    def turn(self) -> Iterator[Databases]:
        with self._turn:
            if self._open is None:
                self._open = self._opened()
            yield self._open

    def close(self) -> None:
        with self._turn:
            if self._open is not None:
                self._open.close()


def together(question: Question, answers: Sequence[Answer]) -> Answer:
    """One answer out of several: the best of all, as a result's score is the chance that it is right; of equals in order of their places."""
    if len(answers) == 1:
        return answers[0]
    results = [result for answer in answers for result in answer.results]
    results.sort(key=lambda one: (-one.score, one.chunk.namespace, one.chunk.filepath, one.chunk.line_start))
    surest = max(answers, key=lambda answer: answer.confidence_score, default=None)
    confidence = NO_CONFIDENCE if surest is None else Confidence(surest.confidence_score)
    packed = pack(results[: question.limit], question.max_tokens, frozenset[str]().union(*(answer.gist for answer in answers)))
    return Answer(
        query=question.text,
        mode=surest.mode if surest is not None else question.mode,
        results=packed.results,
        confidence=confidence.level,
        confidence_score=confidence.chance,
        hint=surest.hint if surest is not None else "",
        warnings=tuple(dict.fromkeys(warning for answer in answers for warning in answer.warnings)),
        stale=any(answer.stale for answer in answers),
        route=surest.route if surest is not None else (),
        withheld=sum(answer.withheld for answer in answers),
        count=lambda: packed.tokens,
    )


def _own(answer: Answer, namespace: str) -> Answer:
    """The answer, tables of the project's databases named as what they belong to."""
    return replace(answer, results=tuple(_named(result, namespace) for result in answer.results))


def _named(result: Result, namespace: str) -> Result:
    chunk = result.chunk
    return result if chunk.namespace == namespace else replace(result, chunk=replace(chunk, namespace=namespace))


def _read(engine: Engine, look: Look) -> Lines:
    """Lines as they stand on disk now."""
    text = engine.read(look.target)
    first = max(look.line_start, 1)
    shown = text.split("\n")[first - 1 : look.line_end or None] if text else []
    if not shown:
        raise no_line(look.target, first)
    return Lines(look.target, first, first + len(shown) - 1, "\n".join(shown))
