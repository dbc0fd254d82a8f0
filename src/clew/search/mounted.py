"""What do mounted namespaces say to a question? Each store is asked by itself, and the best of all answer together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from clew.access.door import Door, no_such_namespace
from clew.access.rules import may
from clew.core.access import NamespaceRecord, Principal
from clew.core.answer import Question, Ranked, Result
from clew.core.protocols import Embedder, Store
from clew.core.query import Scope
from clew.errors import ClewError
from clew.search.confidence import NO_CONFIDENCE, Confidence
from clew.search.searcher import Searcher
from clew.search.showing import show, snippet


@dataclass(frozen=True, slots=True)
class Borrowed:
    """What was found beside the project's own, best first, with what was missing."""

    results: tuple[Result, ...] = ()
    confidence: Confidence = NO_CONFIDENCE
    warnings: tuple[str, ...] = ()

    def beside(self, own: Sequence[Result], confidence: Confidence, limit: int) -> tuple[tuple[Result, ...], Confidence]:
        """The best of these and the project's own, and the confidence in them. Scores of several stores are comparable, since a result's is the
        chance that it is right; of equals the project's own come first."""
        every = [*own, *self.results]
        every.sort(key=lambda one: (-one.score, one.mounted, one.chunk.namespace, one.chunk.filepath, one.chunk.line_start))
        return tuple(every[:limit]), max(confidence, self.confidence, key=lambda one: one.chance)


class Mounted:
    """The namespaces of one store that a project has mounted. They are read only, and not brought up to date: whoever owns them does that.

    `wanted` are their names; none means all that may be mounted. `own` is never borrowed. The `fallbacks` are for when the embedder cannot answer.
    """

    def __init__(
        self,
        name: str,
        store: Store,
        embedder: Callable[[], Embedder],
        who: Principal,
        wanted: Sequence[str] = (),
        own: str = "",
        fallbacks: Sequence[Callable[[], Embedder]] = (),
    ) -> None:
        self.name = name
        self._store = store
        self._searcher = Searcher(store, embedder, fallbacks=fallbacks)
        self._who = who
        self._wanted = tuple(wanted)
        self._own = own

    def namespaces(self) -> tuple[str, ...]:
        """Those that may be asked now, in order. Raises NoSuchNamespace for one that was named and is not there, or not to be mounted."""
        known = [record.name for record in Door(self._store).records(self._who) if self._may_be_mounted(record)]
        for name in self._wanted:
            if name not in known:
                raise no_such_namespace(name)
        return self._wanted or tuple(known)

    def _may_be_mounted(self, record: NamespaceRecord) -> bool:
        """Public ones and those of a team; private ones only by their owner."""
        is_open = record.visibility != "private" or (bool(record.owner) and record.owner == self._who.name)
        return is_open and record.name != self._own and may(self._who, "search", record)

    def search(self, question: Question) -> Borrowed:
        """Answer from the mounted namespaces, or those of them that the question names. Raises NoSuchNamespace."""
        self._store.renewed()
        names = tuple(name for name in self.namespaces() if not question.namespaces or name in question.namespaces)
        if not names:
            return Borrowed()
        with self._store.moment():
            found = self._searcher.search(Scope(names), question)
            results = tuple(map(self._shown, found.ranked))
        return Borrowed(results, found.confidence, tuple(f"{self.name}: {warning}" for warning in found.warnings))

    def _shown(self, ranked: Ranked) -> Result:
        """The result as it stands on this disk, or as it was indexed where the project is elsewhere."""
        namespace, path = ranked.chunk.namespace, ranked.chunk.filepath
        root = self._store.facts(namespace).get("root", "")
        if root and os.path.isdir(root):  # noqa: PTH112 - false, where Path.is_dir raises, for a name that is too long
            shown = show(Path(root), ranked, self._store.files(namespace, (path,)).get(path))
        else:
            shown = Result(ranked.chunk, "", snippet(ranked.chunk.code), ranked.score, ranked.reasons, lines=ranked.lines)
        return replace(shown, mounted=True)

    def close(self) -> None:
        """Give back files and locks."""
        self._store.close()


class Elsewhere:
    """All that a project has mounted: `mounts` opens each store, by name, when it is first asked."""

    def __init__(self, mounts: Mapping[str, Callable[[], Mounted]]) -> None:
        self._mounts = dict(mounts)
        self._open: dict[str, Mounted] = {}

    def namespaces(self) -> tuple[str, ...]:
        """Those that can be asked, in order; those of a store that cannot be opened are left out."""
        names: set[str] = set()
        for name in self._mounts:
            with suppress(ClewError):
                names.update(self._opened(name).namespaces())
        return tuple(sorted(names))

    def search(self, question: Question) -> Borrowed:
        """What all of them answer. A store that cannot be asked is a warning, and the others answer."""
        found = [self._asked(name, question) for name in self._mounts]
        results = [result for one in found for result in one.results]
        confidence = max((one.confidence for one in found), key=lambda one: one.chance, default=NO_CONFIDENCE)
        return Borrowed(tuple(results), confidence, tuple(warning for one in found for warning in one.warnings))

    def _asked(self, name: str, question: Question) -> Borrowed:
        try:
            return self._opened(name).search(question)
        except (ClewError, OSError) as fault:
            hint = f" ({fault.hint})" if isinstance(fault, ClewError) and fault.hint else ""
            return Borrowed(warnings=(f"the mount {name} was not searched: {fault}{hint}",))

    def _opened(self, name: str) -> Mounted:
        if name not in self._open:
            self._open[name] = self._mounts[name]()
        return self._open[name]

    def close(self) -> None:
        """Give back files and locks."""
        for mounted in self._open.values():
            mounted.close()


def check(asked: Sequence[str], own: str, elsewhere: Elsewhere | None) -> None:
    """Raise NoSuchNamespace for a namespace that is asked and neither the project's own nor mounted."""
    others = [name for name in asked if name != own]
    known = elsewhere.namespaces() if others and elsewhere is not None else ()
    for name in others:
        if name not in known:
            raise no_such_namespace(name, f"there are {', '.join((own, *known))}")
