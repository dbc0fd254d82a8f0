"""How is a question about a name answered? Its definitions, who calls it, what it calls, who imports a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import compress
from typing import TYPE_CHECKING, Protocol

from clew.core.graph import Connections, Edge, Impact, Importers, ProjectMap, Related, Symbol
from clew.core.protocols import Store
from clew.core.query import Scope
from clew.errors import UsageError, is_folder, not_indexed
from clew.graph.modules import Modules
from clew.graph.overview import central, folders
from clew.graph.questions import Graph
from clew.search.naming import near, outermost, symbols
from clew.search.paths import path_words
from clew.search.relating import MOST_FILES, related
from clew.search.structure import Remembered, Source, Structure

if TYPE_CHECKING:
    from clew.search.linking import Told
    from clew.search.relations import Sought

Ask = Callable[[Graph, Sequence[Symbol]], list[Edge]]
"""A question about definitions."""

MOST_DEPTH = 10
_MOST_POSSIBLE = 8
"""Possible callers that are told of a place: a name that everybody uses has hundreds, and they say little."""
_FOLDER_DEPTH = 3
"""Levels of folders in a map: deeper ones are what an outline is for."""
IMPACT_DEPTH = 3
"""Levels of callers that a change is looked at through: what stands further off rarely notices."""


class Checked(Protocol):
    """How the index stands to the disk."""

    @property
    def stale(self) -> bool:
        """Whether something may have changed that an answer does not know."""
        ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is to be said of it."""
        ...


class Navigator:
    """Answers questions about names of one project, whose folder has this `name`; `fresh` is asked each time how the index stands to the disk."""

    def __init__(self, name: str, source: Source, store: Store, scope: Scope, fresh: Callable[[], Checked]) -> None:
        self._name = name
        self._source = source
        self._store = store
        self._scope = scope
        self._fresh = fresh
        self._remembered = Remembered()

    def symbol(self, name: str) -> Connections:
        """The definitions that a name means."""
        return self._connections(name)

    def callers(self, name: str, depth: int) -> Connections:
        """Who calls them, so many levels deep."""
        if not 1 <= depth <= MOST_DEPTH:
            raise UsageError(f"a depth of {depth} is not possible", f"it may be 1 to {MOST_DEPTH}")
        return self._connections(name, lambda graph, found: graph.callers(found, depth))

    def callees(self, name: str) -> Connections:
        """What they call."""
        return self._connections(name, lambda graph, found: graph.callees(found))

    def importers(self, filepath: str) -> Importers:
        """The files that import a file."""
        with self._structure() as (structure, fresh):
            if filepath not in structure.files:
                inside = [path for path in structure.files if path.startswith(f"{filepath.strip('/.')}/".lstrip("/"))]
                raise is_folder(filepath, inside) if inside else not_indexed(filepath)
            graph = Graph(structure, structure.remembered.views)
            found = tuple(graph.importers(filepath))
        return Importers(filepath, found, (*fresh.warnings, *graph.warnings), fresh.stale)

    def impact(self, name: str) -> Impact:
        """What to look at before what a name means is changed."""
        _refuse_nothing(name)
        with self._structure() as (structure, fresh):
            found = symbols(self._store, self._scope, name)
            if not found:
                return Impact(name, near=near(self._store, self._scope, name), warnings=fresh.warnings, stale=fresh.stale)
            graph = Graph(structure, structure.remembered.views)
            callers, tests = _told_apart(graph.callers(found, IMPACT_DEPTH))
            importing = dict.fromkeys(one for path, names in outermost(found).items() for one in graph.importers(path, names))
            overriding = tuple(graph.overriders(found))
        warnings = (*fresh.warnings, *dict.fromkeys(graph.warnings))
        return Impact(name, found, callers, tests, overriding, tuple(importing), warnings=warnings, stale=fresh.stale)

    def related(self, filepath: str, line: int) -> Related:
        """What belongs to a line of a file."""
        with self._structure() as (structure, fresh):
            if filepath not in structure.files:
                raise not_indexed(filepath)
            graph = Graph(structure, structure.remembered.views)
            symbol = graph.at(filepath, line)
            if symbol is None:
                return Related(filepath, line, warnings=fresh.warnings, stale=fresh.stale)
            callees = tuple(graph.callees([symbol]))
            edges = graph.callers([symbol])
        possible = [edge for edge in edges if not edge.certain]
        callers, tests = _told_apart([*(edge for edge in edges if edge.certain), *possible[:_MOST_POSSIBLE]])
        left_out = len(possible) - _MOST_POSSIBLE
        more = (
            (f"{left_out} more places may call {symbol.name}, by its name alone: `clew callers {symbol.name}` lists them",)
            if left_out > 0
            else ()
        )
        warnings = (*fresh.warnings, *dict.fromkeys(graph.warnings), *more)
        return Related(filepath, line, symbol, callees, callers, tests, warnings, fresh.stale)

    def map(self, folder: str = "") -> ProjectMap:
        """The project, or a folder of it, on one page: whoever shows it takes as much as fits."""
        inside = f"{folder.strip('/')}/" if folder.strip("/.") else ""
        with self._structure() as (structure, fresh):
            files = structure.files
            modules = Modules(files, structure.name, structure.lines)
            found = central(list(self._store.outlines(self._scope)), files, modules, lambda path: path_words(path).role is not None)
        here = {path: language for path, language in files.items() if path.startswith(inside)}
        return ProjectMap(
            inside.rstrip("/") or structure.name,
            len(here),
            tuple(Counter(language for language in here.values() if language != "text").most_common()),
            tuple(folders(here, _FOLDER_DEPTH + inside.count("/"))),
            tuple(one for one in found if one.filepath.startswith(inside)),
            fresh.warnings,
            fresh.stale,
        )

    def told(self, sought: Sought, found: Sequence[Symbol]) -> Told:
        """What the graph says to a search that asks for a relation of these definitions. Whoever searches has looked at the disk."""
        structure = Structure(self._name, self._source, self._store, self._scope, self._remembered)
        return related(structure, Graph(structure, structure.remembered.views, MOST_FILES), sought, found)

    def _connections(self, name: str, ask: Ask | None = None) -> Connections:
        _refuse_nothing(name)
        with self._structure() as (structure, fresh):
            found = symbols(self._store, self._scope, name)
            if not found:
                return Connections(name, near=near(self._store, self._scope, name), warnings=fresh.warnings, stale=fresh.stale)
            graph = Graph(structure, structure.remembered.views)
            edges = tuple(ask(graph, found)) if ask else ()
        return Connections(name, found, edges, warnings=(*fresh.warnings, *graph.warnings), stale=fresh.stale)

    @contextmanager
    def _structure(self) -> Iterator[tuple[Structure, Checked]]:
        """The project as it stands. The store is not held meanwhile: a name in hundreds of files takes seconds, and searches do not wait for it."""
        fresh = self._fresh()
        yield Structure(self._name, self._source, self._store, self._scope, self._remembered), fresh


def _told_apart(edges: Iterable[Edge]) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
    """The edges of sources, and those of tests."""
    everything = list(edges)
    is_test = [path_words(edge.filepath).role == "test" for edge in everything]
    return tuple(edge for edge, test in zip(everything, is_test, strict=True) if not test), tuple(compress(everything, is_test))


def _refuse_nothing(name: str) -> None:
    if not name.strip():
        raise UsageError("there is no name to look for", "give a definition's name: `name`, `Type.name` or `path:name`")
