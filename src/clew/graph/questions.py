"""What can be asked of the graph? Who calls, what is called, who imports."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from clew.core.graph import Edge, Importer, Symbol, last_name
from clew.graph.fileview import MODULE
from clew.graph.resolver import Resolver
from clew.graph.semantics import semantics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from clew.core.graph import Call, Import
    from clew.graph.fileview import FileView
    from clew.graph.project import Project

MOST_FILES = 500
"""Files that one name's callers are sought in: a file takes 5 ms and more, and a name in more of them means nothing in particular."""

_CONSTRUCTORS = ("__init__", "__new__", "constructor")
_FOLDERS_OWN = ("__init__", "index", "mod", "lib", "main")
"""Names of files that stand for their folder."""


class Graph:
    """Answers questions about one state of a project."""

    def __init__(self, project: Project, views: dict[str, FileView]) -> None:
        self._project = project
        self._resolver = Resolver(project, views)
        self.warnings: list[str] = []

    def callers(self, symbols: Sequence[Symbol], depth: int = 1) -> list[Edge]:
        """The calls of these definitions, and of their callers, level by level, the certain ones of a level first."""
        found: list[Edge] = []
        asked = {symbol.key for symbol in symbols}
        level = list(symbols)
        for number in range(1, depth + 1):
            edges = sorted(set(self._calls_of(level, number)), key=_order)
            found += edges
            level = [edge.source for edge in edges if edge.certain and edge.source.kind != "file" and edge.source.key not in asked]
            level = list(dict.fromkeys(level))
            asked |= {symbol.key for symbol in level}
            if not level:
                break
        return found

    def callees(self, symbols: Sequence[Symbol]) -> list[Edge]:
        """What these definitions call, as far as it is the project's."""
        found = []
        for symbol in symbols:
            view = self._resolver.values.view(symbol.filepath)
            for call in view.facts.calls if view else ():
                if view and symbol.line_start <= call.line <= symbol.line_end and self._is_inside(view, call, symbol):
                    meant = self._resolver.call(view, call)
                    found += [Edge(_source(view, call), one, symbol.filepath, call.line, meant.certain) for one in meant.symbols]
        return sorted(set(found), key=_order)

    def importers(self, filepath: str) -> list[Importer]:
        """The files that import this one."""
        target = self._resolver.values.view(filepath)
        found = []
        for path in self._limited(filepath, self._naming(filepath, target)) if target else ():
            view = self._resolver.values.view(path)
            if view is None or target is None or path == filepath or view.rules.family != target.rules.family:
                continue
            imported = next((one for one in view.facts.imports if self._imports(view, one, target)), None)
            if imported:
                found.append(Importer(path, imported.line, f"{imported.module} {imported.member}".strip()))
        return found

    def _naming(self, filepath: str, target: FileView | None) -> Collection[str]:
        """The files that hold a name by which this one is imported, or stand below the package that it is."""
        stem, folder = posixpath.basename(filepath).split(".")[0], posixpath.dirname(filepath)
        kind = target.rules.modules if target else ""
        if kind == "package":
            words = [target.facts.package.rpartition(".")[2]] if target and target.facts.package else []
        elif kind == "folder" or stem in _FOLDERS_OWN:
            words = [posixpath.basename(folder)] if folder else []
        else:
            words = [stem]
        found = {path for word in words for path in self._project.holding(word)}
        if stem in _FOLDERS_OWN:
            found |= {path for path in self._project.files if path.startswith(f"{folder}/" if folder else "")}
        return sorted(found)

    def _imports(self, view: FileView, imported: Import, target: FileView) -> bool:
        """Whether an import reads a file."""
        values, scope, filepath = self._resolver.values, view.scope(imported.line), target.facts.filepath
        if view.rules.modules == "package":
            inside = imported.member in ("", "*") or (
                target.facts.package == imported.module and bool(target.members.get(("", imported.member)))
            )
            return inside and target.facts.package == imported.module
        if view.rules.modules == "python" and not imported.member:
            parts = imported.module.split(".")
            texts = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        else:
            texts = [imported.module]
        known = [value for text in texts for value in values.imports.module(view, scope, text).values]
        if imported.member and imported.member != "*":
            known += [one for value in known for one in values.member(value, imported.member).values if one.kind == "module"]
        folder = posixpath.dirname(filepath)
        return any((one.kind == "module" and one.filepath == filepath) or (one.kind == "package" and one.name == folder) for one in known)

    def _calls_of(self, symbols: Sequence[Symbol], depth: int) -> Iterator[Edge]:
        keys = {key for symbol in symbols for key in _meant_by(symbol)}
        names = {name.rsplit(".", 1)[-1] for _, name in keys}
        files: dict[str, None] = {}
        for name in sorted(names):
            files |= dict.fromkeys(self._project.holding(name))
        for path in self._limited(", ".join(sorted(names)), files):
            view = self._resolver.values.view(path)
            if view is not None:
                yield from self._calls_in(view, names, keys, depth)

    def _calls_in(self, view: FileView, names: set[str], keys: set[tuple[str, str]], depth: int) -> Iterator[Edge]:
        also = {
            imported.alias
            for imported in view.facts.imports
            if imported.alias
            and (imported.member in names or (not imported.member and last_name(imported.module) in names) or imported.member == "default")
        }
        for call in view.facts.calls:
            if last_name(call.chain) in names | also:
                meant = self._resolver.call(view, call)
                for one in meant.symbols:
                    if one.key in keys:
                        yield Edge(_source(view, call), one, view.facts.filepath, call.line, meant.certain, depth)

    def _is_inside(self, view: FileView, call: Call, symbol: Symbol) -> bool:
        """Whether a call is made by a definition, and not by what decorates it."""
        scope = view.scope(call.line)
        while scope != MODULE and view.definitions[scope].qualified_name != symbol.name:
            scope = view.around(scope)
        return scope != MODULE

    def _limited(self, what: str, files: Iterable[str]) -> list[str]:
        relevant = [path for path in files if semantics(self._project.files.get(path, ""))]
        if len(relevant) > MOST_FILES:
            self.warnings.append(f"{what} stands in {len(relevant):,} files: the first {MOST_FILES} were looked at")
        return relevant[:MOST_FILES]


def _source(view: FileView, call: Call) -> Symbol:
    """What makes a call: the innermost function or type around it, or the file."""
    return view.symbol(view.scope(call.line))


def _meant_by(symbol: Symbol) -> Iterator[tuple[str, str]]:
    """A definition's key; a constructor is called by its type's name."""
    yield symbol.key
    owner, _, name = symbol.name.rpartition(".")
    if owner and name in (*_CONSTRUCTORS, owner.rpartition(".")[2]):
        yield (symbol.filepath, owner)


def _order(edge: Edge) -> tuple[bool, str, int, str, str]:
    return (not edge.certain, edge.filepath, edge.line, edge.target.filepath, edge.target.name)
