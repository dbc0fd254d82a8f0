"""What does an import bring, and what is seen without one? Modules, packages and their members."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from clew.graph.fileview import MODULE
from clew.graph.known import ELSEWHERE, NOTHING_KNOWN, Key, Known, Value, module_at, union
from clew.graph.semantics import semantics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.core.graph import Import, Symbol
    from clew.graph.fileview import FileView
    from clew.graph.modules import Modules
    from clew.graph.project import Project
    from clew.graph.values import Values


class Imports:
    """The part of `Values` that leads from one file to others."""

    def __init__(self, values: Values, project: Project, modules: Modules) -> None:
        self._values = values
        self._project = project
        self._modules = modules

    def module(self, view: FileView, scope: int, text: str) -> Known:
        """What the name of a module in an import stands for."""
        return self._values.once(("import", view.facts.filepath, scope, text), lambda: self._module(view, scope, text))

    def _module(self, view: FileView, scope: int, text: str) -> Known:
        origin = view.facts.filepath
        match view.rules.modules:
            case "python":
                return module_at(self._modules.python(text, origin))
            case "path":
                return module_at(self._modules.path(text, origin))
            case "folder":
                folder = self._modules.folder(text, origin)
                return Known((Value("package", view.rules.family, folder),)) if folder is not None else ELSEWHERE
            case "package":
                return Known((Value("package", view.rules.family, text),))
            case "rust":
                return self._rust_path(view, scope, text.split("."))
        return module_at(self._modules.by_name(text, origin))

    def _rust_path(self, view: FileView, scope: int, parts: list[str]) -> Known:
        """What a path of Rust stands for: from the crate's root, the module or the one around it, or a crate of the project."""
        for _ in range(view.spaces(scope)):
            if parts[0] == "super":  # a module inside of this file
                parts = parts[1:] if parts[1:2] == ["super"] else ["self", *parts[1:]]
        start, rest = self._modules.rust_start(parts, view.facts.filepath)
        known = module_at(start)
        for part in rest:
            known = union(map(partial(self._values.member, name=part), known.values), whole=known.whole)
        return known

    def imported(self, view: FileView, imported: Import) -> Known:
        scope = view.scope(imported.line)
        if imported.member:
            known = self.module(view, scope, imported.module)
            return union(map(partial(self._values.member, name=imported.member), known.values), whole=known.whole)
        if imported.alias and view.rules.modules == "package":
            package, _, name = imported.module.rpartition(".")
            return self._values.member(Value("package", view.rules.family, package), name)
        if imported.alias or view.rules.modules != "python":
            return self.module(view, scope, imported.module)
        return self.module(view, scope, imported.module.split(".")[0])  # `import a.b` binds a

    def starred(self, view: FileView, name: str) -> Known | None:
        for imported in view.stars if not name.startswith("_") else ():
            for value in self.module(view, view.scope(imported.line), imported.module).values:
                known = self._values.member(value, name) if value.kind != "elsewhere" else NOTHING_KNOWN
                if known.values and known is not ELSEWHERE:
                    return known
        return None

    def member_of_module(self, module: str, name: str) -> Known:
        view = self._values.view(module)
        known = self._values.bound(view, MODULE, name) if view else None
        if known is not None and known.values:
            return known
        inside = self._modules.child(module, name)
        if inside:
            return Known((Value("module", inside),))
        starred = self.starred(view, name) if view else None
        return starred or known or NOTHING_KNOWN

    def packaged(self, package: Key, name: str) -> Known:
        """The definitions of a name in a package, or in one around it; a type in several parts is taken at the first."""
        found = [value for symbol in self._project.named(name) for value in self._top_level(symbol, package)]
        types = [value for value in found if value.kind == "type"]
        return Known(tuple(types[:1] or found)) if found else NOTHING_KNOWN

    def _top_level(self, symbol: Symbol, package: Key) -> Iterator[Value]:
        rules = semantics(self._project.files.get(symbol.filepath, ""))
        view = self._values.view(symbol.filepath) if rules and rules.family == package[0] else None
        numbers = view.numbered(symbol.name) if view else []
        if view is None or not numbers:
            return
        one, (_, own) = view.definitions[numbers[0]], view.package
        is_seen = own == package[1] or (view.rules.whole and package[1].startswith(f"{own}."))
        if is_seen and (not one.parent or all(view.is_space(number) for number in view.numbered(one.parent))):
            kind = "type" if view.is_type(numbers[0]) else "function" if view.is_function(numbers[0]) else ""
            if kind:
                yield Value(kind, symbol.filepath, symbol.name)
            elif not one.parent:
                known = self._values.bound(view, MODULE, symbol.name)
                yield from known.values if known else ()

    def member_of_package(self, family: str, package: str, name: str) -> Known:
        """A definition of a package; of a type whose name follows a package's, as its static members are imported; nothing of the project is elsewhere."""
        known = self.packaged((family, package), name)
        if known.values:
            return known
        before, _, last = package.rpartition(".")
        outer = self.packaged((family, before), last) if before and family != "go" else NOTHING_KNOWN
        if outer.values:
            return union(map(partial(self._values.member, name=name), outer.values))
        is_ours = any(semantics(self._project.files.get(one.filepath, "")) for one in self._project.named(name))
        return NOTHING_KNOWN if is_ours else ELSEWHERE
