"""Which file is meant by an import? Pure functions from a module's name to paths, a language at a time."""

from __future__ import annotations

import posixpath
import sys
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PYTHON_ENDS = (".py", ".pyi")


class Modules:
    """The files of a project by the names that imports give them. A module is a file, or the folder of a package without a file of its own."""

    def __init__(self, files: Mapping[str, str], name: str) -> None:
        self._files = files
        self._name = name
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

    def python_member(self, module: str, name: str) -> str:
        """The module `name` inside a package; empty where there is none."""
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
