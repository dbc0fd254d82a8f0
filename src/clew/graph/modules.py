"""Which file is meant by an import? Pure functions from a module's name to paths, a language at a time."""

from __future__ import annotations

import posixpath
import re
import sys
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_PYTHON_ENDS = (".py", ".pyi")
_SCRIPT_ENDS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")
_RUST_ROOTS = ("mod", "lib", "main")
_PATHS = re.compile(r'"([@~\w./-]*/?)\*?"\s*:\s*\[\s*"([\w./@-]*?)\*?"')
"""An entry of `paths`, its stars left out."""
_BASE_URL = re.compile(r'"baseUrl"\s*:\s*"([^"]*)"')


class Modules:
    """The files of a project by the names that imports give them. A module is a file, or the folder of a package without a file of its own."""

    def __init__(self, files: Mapping[str, str], name: str, lines: Callable[[str], tuple[str, ...]]) -> None:
        self._files = files
        self._name = name
        self._lines = lines
        self._python = _python_modules(files)
        self._folders = {folder for path in files for folder in _folders(path)}

    def python(self, module: str, origin: str) -> str:
        """The file or package folder of a Python module that a file names; empty for one of elsewhere."""
        if module.startswith("."):
            dots = len(module) - len(module.lstrip("."))
            folder = posixpath.dirname(origin)
            for _ in range(dots - 1):
                folder = posixpath.dirname(folder)
            rest = [part for part in module[dots:].split(".") if part]
            return self._python_at(posixpath.join(folder, *rest))
        return self._absolute(module.split("."), origin)

    def child(self, module: str, name: str) -> str:
        """The module `name` inside another one; empty where there is none."""
        return self.rust_child(module, name) if module.endswith(".rs") else self._python_child(module, name)

    def by_name(self, text: str, origin: str) -> str:
        """The one file whose path ends like what an import names, in a language of which nothing more is known; empty for none and for several."""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(origin), text))
        if beside in self._files:
            return beside
        wanted = re.sub(r"\\|::|\.(?![a-z+]{1,4}$)", "/", text).strip("./ ").lower()
        found = self._ends.get(posixpath.basename(wanted), ()) if wanted else ()
        found = [
            path
            for path in found
            if f"/{path.lower()}".endswith(f"/{wanted}") or f"/{path.lower().rpartition('.')[0]}".endswith(f"/{wanted}")
        ]
        near = [path for path in found if path.rpartition(".")[2] == origin.rpartition(".")[2] or "." in posixpath.basename(wanted)]
        return near[0] if len(near) == 1 else ""

    @cached_property
    def _ends(self) -> dict[str, list[str]]:
        """The files by their names, with and without an ending, in small letters."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._files:
            name = posixpath.basename(path).lower()
            for one in {name, name.rpartition(".")[0]} - {""}:
                found[one].append(path)
        return found

    def path(self, text: str, origin: str) -> str:
        """The file that a path in an import of JavaScript or TypeScript names, with any ending or the index of a folder."""
        if text.startswith("."):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(origin), text))
            return self._script_at("" if place == "." else place)
        for prefix, place in self._aliases:
            if text == prefix or (prefix.endswith("/") and text.startswith(prefix)):
                found = self._script_at(posixpath.normpath(posixpath.join(place, text.removeprefix(prefix))))
                if found:
                    return found
        return ""

    def folder(self, text: str, origin: str) -> str | None:
        """The folder of a Go package; None for one of elsewhere."""
        for name, folder in self._go_modules:
            if text == name or text.startswith(f"{name}/"):
                place = posixpath.join(folder, text.removeprefix(name).strip("/")).strip("/")
                return place if not place or place in self._folders else None
        return None

    def rust_child(self, module: str, name: str) -> str:
        """The file of a module declared in another one; empty where there is none."""
        folder, stem = posixpath.dirname(module), posixpath.basename(module).removesuffix(".rs")
        place = posixpath.join(folder, name) if stem in _RUST_ROOTS else posixpath.join(folder, stem, name)
        return next((path for path in (f"{place}.rs", f"{place}/mod.rs") if path in self._files), "")

    def rust_start(self, parts: list[str], origin: str) -> tuple[str, list[str]]:
        """The file at which a path of Rust begins, and what is left of the path; no file for a crate of elsewhere."""
        first, *rest = parts
        if first == "crate":
            return self._rust_root(origin), rest
        if first in ("self", "super"):
            module = origin
            while parts and parts[0] == "super":
                module, parts = self._rust_parent(module), parts[1:]
            return module, parts[1:] if parts and parts[0] == "self" else parts
        child = self.rust_child(origin, first)
        if child:
            return child, rest
        for root in (f"{first}/src/lib.rs", f"{first.replace('_', '-')}/src/lib.rs"):
            found = [path for path in self._files if path == root or path.endswith(f"/{root}")]
            if found:
                return found[0], rest
        own = self._rust_root(origin)
        is_own = own.endswith("main.rs") or origin.startswith(("tests/", "examples/", "benches/"))
        library = posixpath.join(posixpath.dirname(own), "lib.rs") if is_own else ""
        return (library, rest) if library in self._files and first == self._name.replace("-", "_") else ("", rest)

    def _rust_root(self, origin: str) -> str:
        folder = posixpath.dirname(origin)
        while True:
            for name in ("lib.rs", "main.rs"):
                if posixpath.join(folder, name) in self._files:
                    return posixpath.join(folder, name)
            if not folder:
                return next((path for path in ("src/lib.rs", "src/main.rs") if path in self._files), "")
            folder = posixpath.dirname(folder)

    def _rust_parent(self, module: str) -> str:
        folder, name = posixpath.split(module)
        if name == "mod.rs":
            folder, name = posixpath.split(folder)
        places = [posixpath.join(folder, root) for root in ("mod.rs", "lib.rs", "main.rs")]
        return next((path for path in (*places, f"{folder}.rs") if path in self._files), "")

    def _script_at(self, place: str) -> str:
        stem, dot, end = place.rpartition(".")
        bare = stem if dot and f".{end}" in (*_SCRIPT_ENDS, ".js") else place
        wanted = [place, *(f"{one}{ending}" for one in (place, bare) for ending in _SCRIPT_ENDS)]
        wanted += [posixpath.join(place, f"index{ending}") for ending in _SCRIPT_ENDS]
        return next((path for path in wanted if path in self._files), "")

    @cached_property
    def _aliases(self) -> list[tuple[str, str]]:
        """Prefixes that a tsconfig.json gives to folders (`"@/*": ["src/*"]`), and the names of a workspace's own packages."""
        found = []
        for path in self._files:
            if posixpath.basename(path) in ("tsconfig.json", "jsconfig.json"):
                text = "\n".join(self._lines(path))
                base = _BASE_URL.search(text)
                folder = posixpath.join(posixpath.dirname(path), base[1] if base else "")
                found += [(alias, posixpath.join(folder, place)) for alias, place in _PATHS.findall(text)]
        return sorted(found, reverse=True)

    @cached_property
    def _go_modules(self) -> list[tuple[str, str]]:
        """The names of the project's Go modules with their folders, the longest first."""
        found = []
        for path in self._files:
            if posixpath.basename(path) == "go.mod":
                names = [line.split()[1] for line in self._lines(path) if line.startswith("module ") and len(line.split()) > 1]
                found += [(name.strip('"'), posixpath.dirname(path)) for name in names]
        return sorted(found, key=lambda one: -len(one[0]))

    def _python_child(self, module: str, name: str) -> str:
        folder = posixpath.dirname(module) if posixpath.basename(module).startswith("__init__.") else module
        if folder == module and module in self._files:
            return ""
        return self._python_at(posixpath.join(folder, name))

    def _python_at(self, place: str) -> str:
        for end in _PYTHON_ENDS:
            for path in (f"{place}/__init__{end}" if place else f"__init__{end}", f"{place}{end}"):
                if path in self._files:
                    return path
        return place if place in self._folders else ""

    def _absolute(self, parts: list[str], origin: str) -> str:
        """A module sought from every folder that may be a source root: one that is not itself inside a package."""
        if not all(parts):
            return ""
        own = self._name == parts[0] and self._python_at("") != ""
        if own and (found := self._python_at("/".join(parts[1:]))):
            return found
        candidates = []
        for root in self._python.get(parts[0], ()):
            found = self._python_at(posixpath.join(root, *parts))
            if found and not self._is_package(root) and (parts[0] not in sys.stdlib_module_names or _encloses(root, origin)):
                candidates.append((not _encloses(root, origin), root.count("/"), root, found))
        return min(candidates)[-1] if candidates else ""

    def _is_package(self, folder: str) -> bool:
        return any(posixpath.join(folder, f"__init__{end}") in self._files for end in _PYTHON_ENDS)


def _python_modules(files: Iterable[str]) -> dict[str, list[str]]:
    """The folders in which a top name stands, as a file or a folder with Python in it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in files:
        if path.endswith(_PYTHON_ENDS):
            stem = posixpath.basename(path).rsplit(".", 1)[0]
            found[stem].add(posixpath.dirname(path))
            for folder in _folders(path):
                found[posixpath.basename(folder)].add(posixpath.dirname(folder))
    return {name: sorted(roots) for name, roots in found.items()}


def _folders(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _encloses(folder: str, path: str) -> bool:
    return not folder or path.startswith(f"{folder}/")
