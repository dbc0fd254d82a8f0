"""How do the parts of a program hang together? What a file says of names, and the edges that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from clew.core.document import Definition

UNKNOWN = "?"
"""The part of a chain that no name tells (`items[0]`, an operator)."""
LITERAL = "!"
"""The part of a chain that is a value of the language itself: text, a number, a list."""


NEW = "new "
"""What stands before a chain whose first name is a type that an object is made of, in languages where a variable may be called like it."""


def last_name(chain: str) -> str:
    """The name that a chain ends in."""
    return chain.rsplit(".", 1)[-1].removeprefix(NEW)


class Call(NamedTuple):
    """What is called on a line: a chain of names (`self.app.run`, `make().close`), `()` after each that is itself called on the way."""

    chain: str
    line: int


class Binding(NamedTuple):
    """What a name (or `self.name`) stands for from a line on: `how` is value (`text` is a chain), type (`text` is a type), entered (a chain
    whose context is entered), parameter or other (nothing is known)."""

    name: str
    line: int
    how: str
    text: str = ""


class Import(NamedTuple):
    """A module that is imported, whole (no `member`), by member, or all of it (`member` is `*`); `alias` is another name given to it."""

    module: str
    member: str
    alias: str
    line: int


class Base(NamedTuple):
    """What a type is built upon, and the line on which that type's name stands."""

    owner: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file says about names. `outside` are lines that stand inside a definition's span and belong to what encloses it (decorators);
    `marks` are those decorators; `returns` are what functions give back (value or type), at lines inside them; `package` is the namespace declared."""

    filepath: str
    language: str
    definitions: tuple[Definition, ...] = ()
    calls: tuple[Call, ...] = ()
    bindings: tuple[Binding, ...] = ()
    imports: tuple[Import, ...] = ()
    bases: tuple[Base, ...] = ()
    returns: tuple[Binding, ...] = ()
    marks: tuple[Call, ...] = ()
    outside: frozenset[int] = frozenset()
    package: str = ""


class Symbol(NamedTuple):
    """A definition of the project, by file and qualified name; overloads of one name are one symbol, at the lines of the first."""

    filepath: str
    name: str
    kind: str
    line_start: int
    line_end: int
    signature: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others."""
        return (self.filepath, self.name)


class Edge(NamedTuple):
    """One place where `source` calls `target` (`filepath`:`line`). `certain` where name, import and scope leave one candidate.

    A call outside of all definitions has a `source` of kind file.
    """

    source: Symbol
    target: Symbol
    filepath: str
    line: int
    certain: bool
    depth: int = 1


class Importer(NamedTuple):
    """A file that imports another one, on a line."""

    filepath: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Connections:
    """What is known of a name: its definitions, and edges (of callers or callees), the certain ones first.

    `near` are names that exist where this one does not; `warnings` say what was not looked at.
    """

    name: str
    symbols: tuple[Symbol, ...] = ()
    edges: tuple[Edge, ...] = ()
    near: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Importers:
    """The files that import `filepath`."""

    filepath: str
    importers: tuple[Importer, ...] = ()
    warnings: tuple[str, ...] = ()
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Impact:
    """What to look at before what a name means is changed: who calls it (level by level), the tests among those, what overrides it or builds upon it,
    and the files that import its own; `near` are names that exist where this one does not."""

    name: str
    symbols: tuple[Symbol, ...] = ()
    callers: tuple[Edge, ...] = ()
    tests: tuple[Edge, ...] = ()
    overriders: tuple[Symbol, ...] = ()
    importers: tuple[Importer, ...] = ()
    near: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """What belongs to a place: the definition that holds it, what that calls, who calls it, and the tests among those."""

    filepath: str
    line: int
    symbol: Symbol | None = None
    callees: tuple[Edge, ...] = ()
    callers: tuple[Edge, ...] = ()
    tests: tuple[Edge, ...] = ()
    warnings: tuple[str, ...] = ()
    stale: bool = False


class Folder(NamedTuple):
    """A folder and how many files are in it and below."""

    path: str
    files: int


class Central(NamedTuple):
    """A file, by how many others it is used, and those of its definitions that are used most."""

    filepath: str
    used_by: int
    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProjectMap:
    """A project on one page: folders with their files, and the files that others use most, as many as a budget of tokens holds."""

    name: str
    files: int
    languages: tuple[tuple[str, int], ...] = ()
    folders: tuple[Folder, ...] = ()
    central: tuple[Central, ...] = ()
    warnings: tuple[str, ...] = ()
    stale: bool = False
