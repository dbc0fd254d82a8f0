"""What can be asked of the graph? Who calls, what is called, who imports."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from clew.core.graph import Edge, Importer, Symbol, last_name
from clew.graph.fileview import MODULE
from clew.graph.resolver import Resolver
from clew.graph.semantics import TYPES, semantics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from clew.core.graph import Call, Import
    from clew.graph.fileview import FileView
    from clew.graph.project import Project

MOST_FILES = 300
"""Files that one name's callers are sought in, the nearest first: a file takes 5 to 20 ms, and who asks gives up after half a minute."""

_CONSTRUCTORS = ("__init__", "__new__", "constructor")
_FOLDERS_OWN = ("__init__", "index", "mod", "lib", "main")
"""Names of files that stand for their folder."""


class Graph:
    """Answers questions about one state of a project."""

    def __init__(self, project: Project, views: dict[str, FileView], most_files: int = MOST_FILES) -> None:
        self._project = project
        self._most_files = most_files
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

    def importers(self, filepath: str, names: Collection[str] = ()) -> list[Importer]:
        """The files that import this one; with `names` of its outermost definitions, not those that import other definitions of it alone."""
        target = self._resolver.values.view(filepath)
        found = []
        for path in self._limited(filepath, self._naming(filepath, target)) if target else ():
            view = self._resolver.values.view(path)
            if view is None or target is None or path == filepath or view.rules.family != target.rules.family:
                continue
            reading = (one for one in view.facts.imports if self._imports(view, one, target))
            imported = next((one for one in reading if not names or one.member in names or not _is_other(target, one.member)), None)
            if imported:
                found.append(Importer(path, imported.line, f"{imported.module} {imported.member}".strip()))
        return found

    def overriders(self, symbols: Sequence[Symbol]) -> list[Symbol]:
        """The types that build upon these types, at any remove; of methods, those that override them there."""
        found: dict[tuple[str, str], Symbol] = {}
        for symbol in symbols:
            outer, _, name = symbol.name.rpartition(".")
            is_type = symbol.kind in TYPES
            for key in self._built_upon((symbol.filepath, symbol.name if is_type else outer)) if is_type or outer else ():
                one = self._resolver.symbol(key if is_type else (key[0], f"{key[1]}.{name}"))
                if one is not None:
                    found[one.key] = one
        return sorted(found.values())

    def _built_upon(self, key: tuple[str, str]) -> Iterator[tuple[str, str]]:
        """The types whose bases lead to a type, nearest first."""
        seen, waiting = {key}, [key]
        while waiting:
            current = waiting.pop(0)
            name = current[1].rpartition(".")[2]
            for path in self._limited(name, self._project.holding(name)):
                view = self._resolver.values.view(path)
                for owner in view.bases if view else ():
                    if (path, owner) not in seen and any(base.key == current for base in self._resolver.values.bases((path, owner))):
                        seen.add((path, owner))
                        waiting.append((path, owner))
                        yield (path, owner)

    def at(self, filepath: str, line: int) -> Symbol | None:
        """The innermost definition that holds a line; None outside of all."""
        view = self._resolver.values.view(filepath)
        inside = [number for number, one in enumerate(view.definitions) if one.line_start <= line <= one.line_end] if view else []
        return view.symbol(inside[-1]) if view and inside else None

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
        for path in self._limited(", ".join(sorted(names)), files, near=[symbol.filepath for symbol in symbols]):
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

    def _limited(self, what: str, files: Iterable[str], near: Sequence[str] = ()) -> list[str]:
        """The files whose names are followed; of too many, those that stand nearest to `near`."""
        relevant = [path for path in files if semantics(self._project.files.get(path, ""))]
        if len(relevant) <= self._most_files:
            return relevant
        self.warnings.append(
            f"{what} stands in {len(relevant):,} files, of which the {self._most_files} nearest were looked at: there may be more places"
        )
        return sorted(sorted(relevant, key=lambda path: (-max((_common(path, one) for one in near), default=0), path))[: self._most_files])


def _common(path: str, other: str) -> int:
    """How many folders two paths have in common."""
    return len(posixpath.commonprefix([path.split("/")[:-1], other.split("/")[:-1]]))


def _is_other(target: FileView, member: str) -> bool:
    """Whether an import's member is something that a file itself defines or binds, and nothing else comes with it."""
    return bool(target.members.get(("", member)) or target.bindings.get((MODULE, member)))


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
