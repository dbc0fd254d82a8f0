"""Where in a file does a name mean what? A file's facts, ordered by the scopes in which they hold."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from typing import TYPE_CHECKING

from clew.core.graph import Symbol
from clew.graph.semantics import FUNCTIONS, SPACES, TYPES

if TYPE_CHECKING:
    from clew.core.document import Definition
    from clew.core.graph import Base, Binding, Facts, Import
    from clew.graph.semantics import Semantics

MODULE = -1
"""The scope of what stands outside of all definitions."""
_SCOPES = FUNCTIONS | TYPES | SPACES


class FileView:
    """A file's facts by scope; a scope is the number of a definition, or MODULE."""

    def __init__(self, facts: Facts, rules: Semantics) -> None:
        self.facts = facts
        self.rules = rules
        self.definitions = facts.definitions
        self._numbers: dict[str, list[int]] = defaultdict(list)
        for number, one in enumerate(self.definitions):
            self._numbers[one.qualified_name].append(number)
        self._parents = self._enclosing()
        self._owners = self._painted()
        self.bindings: dict[tuple[int, str], list[Binding]] = defaultdict(list)
        self.attributes: dict[tuple[str, str], list[Binding]] = defaultdict(list)
        self.imports: dict[tuple[int, str], list[Import]] = defaultdict(list)
        self.stars: list[Import] = []
        self.bases: dict[str, list[Base]] = defaultdict(list)
        self.returns: dict[int, list[Binding]] = defaultdict(list)
        self.marks: dict[int, list[str]] = defaultdict(list)
        self.members: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._sort()

    def scope(self, line: int) -> int:
        """The scope that a line belongs to; a decorator's is the one around what it decorates."""
        owner = self._owner(line)
        return self._parents[owner] if owner != MODULE and line in self.facts.outside else owner

    def around(self, scope: int) -> int:
        """The scope that encloses one."""
        return self._parents[scope]

    def function(self, scope: int) -> int:
        """The function (or MODULE) that a scope is or stands in, types passed over."""
        while scope != MODULE and self.definitions[scope].kind not in FUNCTIONS:
            scope = self._parents[scope]
        return scope

    def owner(self, scope: int) -> str:
        """The qualified name of the type whose member a scope is or stands in (a method may stand apart from its type); empty where there is none."""
        while scope != MODULE:
            one, outer = self.definitions[scope], self._parents[scope]
            if one.kind in TYPES:
                return one.qualified_name
            if one.kind in FUNCTIONS and one.parent and (outer == MODULE or self.definitions[outer].kind in SPACES):
                return one.parent if not self._is_space(one.parent) else ""
            scope = outer
        return ""

    def spaces(self, scope: int) -> int:
        """How many namespaces of the file a scope stands in."""
        count = 0
        while scope != MODULE:
            count += self.is_space(scope)
            scope = self._parents[scope]
        return count

    @property
    def package(self) -> tuple[str, str]:
        """The package whose names the file sees: the language's family, and its folder or declared name."""
        by_folder = self.rules.packaged == "folder"
        return (self.rules.family, posixpath.dirname(self.facts.filepath) if by_folder else self.facts.package)

    def _is_space(self, qualified: str) -> bool:
        return any(self.definitions[number].kind in SPACES for number in self.numbered(qualified))

    def symbol(self, number: int) -> Symbol:
        """A definition as a symbol; MODULE is the file itself."""
        if number == MODULE:
            return Symbol(self.facts.filepath, self.facts.filepath, "file", 1, 1)
        one = self.definitions[number]
        return Symbol(self.facts.filepath, one.qualified_name, one.kind, one.line_start, one.line_end, one.signature)

    def numbered(self, qualified: str) -> list[int]:
        """The definitions of a qualified name, in order."""
        return self._numbers.get(qualified, [])

    def is_function(self, number: int) -> bool:
        return self.definitions[number].kind in FUNCTIONS

    def is_type(self, number: int) -> bool:
        return self.definitions[number].kind in TYPES

    def is_space(self, number: int) -> bool:
        return self.definitions[number].kind in SPACES

    def _owner(self, line: int) -> int:
        return self._owners[line] if 0 <= line < len(self._owners) else MODULE

    def _enclosing(self) -> list[int]:
        parents: list[int] = []
        inside: list[int] = []
        for number, one in enumerate(self.definitions):
            while inside and self.definitions[inside[-1]].line_end < one.line_start:
                inside.pop()
            parents.append(inside[-1] if inside and _holds(self.definitions[inside[-1]], one) else MODULE)
            if one.kind in _SCOPES:
                inside.append(number)
        return parents

    def _painted(self) -> list[int]:
        owners = [MODULE] * (max((one.line_end for one in self.definitions), default=0) + 1)
        for number, one in enumerate(self.definitions):
            if one.kind in _SCOPES:
                first = max(one.line_start, 0)
                owners[first : one.line_end + 1] = [number] * max(one.line_end + 1 - first, 0)
        return owners

    def _sort(self) -> None:
        for number, one in enumerate(self.definitions):
            if not is_constructor(one):  # its name means the type
                self.members[one.parent, one.name].append(number)
        self._sort_bindings()
        for imported in self.facts.imports:
            if imported.member == "*" or (self.rules.whole and not imported.member and not imported.alias):
                self.stars.append(imported)
            self.imports[self.scope(imported.line), bound_name(imported)].append(imported)
        for base in self.facts.bases:
            scope = self._owner(base.line)
            if scope != MODULE:
                self.bases[self.definitions[scope].qualified_name].append(base)
        for given in self.facts.returns:
            self.returns[self.function(self.scope(given.line))].append(given)
        for mark in self.facts.marks:
            self.marks[self._owner(mark.line)].append(mark.chain)

    def _sort_bindings(self) -> None:
        for binding in self.facts.bindings:
            scope = self.scope(binding.line)
            before, _, name = binding.name.rpartition(".")
            if before == "this" or before in self.rules.selves:
                owner = self.owner(scope)
                if owner:
                    self.attributes[owner, name].append(binding)
            elif name == "default":
                self.bindings[MODULE, name].append(binding)
            elif not before:
                self.bindings[scope, name].append(binding)


def is_constructor(one: Definition) -> bool:
    """Whether a definition is a function called like the type that it stands in, as constructors of Java and C# are."""
    return one.kind in FUNCTIONS and one.parent.rpartition(".")[2] == one.name


def bound_name(imported: Import) -> str:
    """The name under which what is imported is known."""
    if imported.alias or imported.member:
        return imported.alias or imported.member
    if "/" in imported.module:
        *before, last = imported.module.rstrip("/").split("/")
        return before[-1] if before and last[:1] == "v" and last[1:].isdigit() else last
    return imported.module.split(".")[0]


def _holds(outer: Definition, inner: Definition) -> bool:
    return outer.line_start <= inner.line_start and inner.line_end <= outer.line_end
