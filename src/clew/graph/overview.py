"""Which files does a project turn on? Those that others import, or whose definitions they call by name."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from clew.core.graph import Central, Folder
from clew.graph.semantics import semantics

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set

    from clew.core.document import Definition, Reference
    from clew.graph.modules import Modules
    from clew.graph.semantics import Semantics

    Outlined = tuple[str, tuple[Definition, ...], tuple[Reference, ...]]

_MOST_SYMBOLS = 8
"""Definitions named of one file: a line is read at a glance."""
_MOST_OWNERS = 2
"""Files that may define a name for its use to count for each: what more define says nothing about any."""
_LEAST_NAME = 3


def central(outlines: Sequence[Outlined], files: Mapping[str, str], modules: Modules, passed_over: Callable[[str], bool]) -> list[Central]:
    """The files by how many others use them, the most used first; those `passed_over` (tests, copies) neither count nor are listed."""
    sources = [one for one in outlines if not passed_over(one[0])]
    owners: dict[str, set[str]] = defaultdict(set)
    for path, definitions, _ in sources:
        for name in {one.name for one in definitions if len(one.name) >= _LEAST_NAME}:
            owners[name].add(path)
    users: dict[str, set[str]] = defaultdict(set)
    callers: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path, _, references in sources:
        rules = semantics(files.get(path, ""))
        if rules is not None:
            seen = _seen(path, references, rules, modules)
            for place in seen & files.keys():
                users[place].add(path)
            for owner, name in _used(references, seen, rules, owners):
                users[owner].add(path)
                callers[owner][name].add(path)
    found = []
    for path, definitions, _ in sources:
        used_by = len(users[path] - {path})
        if used_by:
            found.append(Central(path, used_by, _symbols(definitions, callers[path])))
    return sorted(found, key=lambda one: (-one.used_by, one.filepath))


def _seen(path: str, references: Iterable[Reference], rules: Semantics, modules: Modules) -> set[str]:
    """The files and folders whose names a file sees: those that it imports, and its own folder in languages of packages."""
    names = {one.name for one in references if one.kind == "import"}
    seen = {place for name in names for place in (imported_place(name, path, rules, modules),) if place is not None and place != path}
    return seen | {posixpath.dirname(path)} if rules.packaged else seen


def _used(references: Iterable[Reference], seen: Set[str], rules: Semantics, owners: Mapping[str, Set[str]]) -> Iterator[tuple[str, str]]:
    """The definitions (file and name) of files that are seen, or by name alone, that are called."""
    for name in {one.name for one in references if one.kind == "call"} - rules.known:
        owning = owners.get(name, frozenset())
        if not _is_telling(rules, name, owning):
            near = {owner for owner in owning if posixpath.dirname(owner) in seen} if rules.packaged else set()
            owning = (owning & seen) | near
        yield from ((owner, name) for owner in owning)


def imported_place(name: str, origin: str, rules: Semantics, modules: Modules) -> str | None:
    """The file (or folder of a package) that the module named in an import is, by its name alone; None or empty for one of elsewhere."""
    match rules.modules:
        case "python":
            return modules.python(name, origin)
        case "path":
            return modules.path(name, origin)
        case "folder":
            return modules.folder(name, origin)
        case "rust":
            found, rest = modules.rust_start(name.partition("{")[0].replace(" ", "").strip(":").split("::"), origin)
            for part in rest:
                found = modules.rust_child(found, part) or found
            return found
    return modules.by_name(name, origin)


def folders(files: Iterable[str], deepest: int) -> list[Folder]:
    """The folders with the number of files in and below each, in order of path."""
    counted: Counter[str] = Counter()
    for path in files:
        parts = path.split("/")[:-1]
        counted.update("/".join(parts[: depth + 1]) for depth in range(min(len(parts), deepest)))
    return [Folder(path, count) for path, count in sorted(counted.items())]


def _is_telling(rules: Semantics, name: str, owners: Collection[str]) -> bool:
    """Whether a name alone says whose it is, in languages whose imports name no files."""
    return (rules.by_name or rules.whole) and len(owners) <= _MOST_OWNERS and name not in rules.common


def _symbols(definitions: Sequence[Definition], callers: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """The outermost definitions, and others that other files use: public ones first, then those that are used most."""
    ranks: dict[str, tuple[bool, bool, int, int]] = {}
    for number, one in enumerate(definitions):
        uses = len(callers.get(one.name, ()))
        if uses or not one.parent:
            ranks.setdefault(one.name, (bool(one.parent), one.name.startswith("_"), -uses, number))
    return tuple(sorted(ranks, key=ranks.__getitem__)[:_MOST_SYMBOLS])
