"""Where in a file does a name mean what? A file's facts, ordered by the scopes in which they hold."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from clew.core.graph import Symbol
from clew.graph.semantics import FUNCTIONS, SPACES, TYPES

if TYPE_CHECKING:
    from clew.core.document import Definition
    from clew.core.graph import Base, Binding, Facts, Import

MODULE = -1
"""The scope of what stands outside of all definitions."""
_SCOPES = FUNCTIONS | TYPES | SPACES


class FileView:
    """A file's facts by scope; a scope is the number of a definition, or MODULE."""

    def __init__(self, facts: Facts, selves: frozenset[str]) -> None:
        self.facts = facts
        self.definitions = facts.definitions
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
        self._sort(selves)

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

    def type_around(self, scope: int) -> int:
        """The type whose member a scope is or stands in; MODULE where there is none."""
        while scope != MODULE and self.definitions[scope].kind not in TYPES:
            scope = self._parents[scope]
        return scope

    def symbol(self, number: int) -> Symbol:
        """A definition as a symbol; MODULE is the file itself."""
        if number == MODULE:
            return Symbol(self.facts.filepath, self.facts.filepath, "file", 1, 1)
        one = self.definitions[number]
        return Symbol(self.facts.filepath, one.qualified_name, one.kind, one.line_start, one.line_end, one.signature)

    def numbered(self, qualified: str) -> list[int]:
        """The definitions of a qualified name, in order."""
        return [number for number, one in enumerate(self.definitions) if one.qualified_name == qualified]

    def is_function(self, number: int) -> bool:
        return self.definitions[number].kind in FUNCTIONS

    def is_type(self, number: int) -> bool:
        return self.definitions[number].kind in TYPES

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

    def _sort(self, selves: frozenset[str]) -> None:
        for number, one in enumerate(self.definitions):
            parent = self._parents[number]
            self.members[self.definitions[parent].qualified_name if parent != MODULE else "", one.name].append(number)
        for binding in self.facts.bindings:
            scope = self.scope(binding.line)
            before, _, name = binding.name.rpartition(".")
            if before in selves:
                owner = self.type_around(scope)
                if owner != MODULE:
                    self.attributes[self.definitions[owner].qualified_name, name].append(binding)
            elif not before:
                self.bindings[scope, name].append(binding)
        for imported in self.facts.imports:
            if imported.member == "*":
                self.stars.append(imported)
            self.imports[self.scope(imported.line), bound_name(imported)].append(imported)
        for base in self.facts.bases:
            owner = self._owner(base.line)
            if owner != MODULE:
                self.bases[self.definitions[owner].qualified_name].append(base)
        for given in self.facts.returns:
            self.returns[self.function(self.scope(given.line))].append(given)
        for mark in self.facts.marks:
            self.marks[self._owner(mark.line)].append(mark.chain)


def bound_name(imported: Import) -> str:
    """The name under which what is imported is known."""
    if imported.alias or imported.member:
        return imported.alias or imported.member
    return imported.module.split(".")[0]


def _holds(outer: Definition, inner: Definition) -> bool:
    return outer.line_start <= inner.line_start and inner.line_end <= outer.line_end
