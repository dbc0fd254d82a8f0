"""Which definition does a call mean? One for certain, or those that are possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clew.core.graph import LITERAL, UNKNOWN, Symbol, last_name
from clew.graph.fileview import MODULE
from clew.graph.modules import Modules
from clew.graph.semantics import FUNCTIONS, semantics
from clew.graph.values import Values

if TYPE_CHECKING:
    from clew.core.graph import Call
    from clew.graph.fileview import FileView
    from clew.graph.known import Known
    from clew.graph.project import Project
    from clew.graph.semantics import Semantics

MOST_CANDIDATES = 8
"""Definitions of one name beyond which a call that is not understood tells nothing about any of them."""


class Meant(NamedTuple):
    """The definitions that a call may mean; `certain` where there is one and nothing else is left."""

    symbols: tuple[Symbol, ...] = ()
    certain: bool = False


class Resolver:
    """Resolves the calls of a project for one question."""

    def __init__(self, project: Project, views: dict[str, FileView]) -> None:
        self._project = project
        self.modules = Modules(project.files, project.name, project.lines)
        self.values = Values(project, views, self.modules)

    def call(self, view: FileView, call: Call) -> Meant:
        """What a call means."""
        scope = view.scope(call.line)
        known = self.values.chain(view, scope, call.chain)
        symbols = self._symbols(known)
        is_elsewhere = any(value.kind == "elsewhere" for value in known.values)
        if known.whole and known.values:
            return Meant(symbols, certain=len(symbols) == 1 and not is_elsewhere)
        if symbols:
            return Meant(symbols)
        return self._by_name(view, scope, call.chain)

    def symbol(self, key: tuple[str, str]) -> Symbol | None:
        """The definition under a key."""
        view = self.values.view(key[0])
        numbers = view.numbered(key[1]) if view else []
        return view.symbol(numbers[0]) if view and numbers else None

    def _symbols(self, known: Known) -> tuple[Symbol, ...]:
        keys = dict.fromkeys(value.key for value in known.values if value.kind in ("function", "type"))
        return tuple(symbol for symbol in map(self.symbol, keys) if symbol is not None)

    def _by_name(self, view: FileView, scope: int, chain: str) -> Meant:
        """What a call of something unknown may mean, by its name alone: a method where there is a receiver. The only one in the project
        counts for certain where the language itself has no method of that name."""
        before, name = chain.rpartition(".")[0], last_name(chain)
        rules = semantics(view.facts.language)
        if rules is None or name in ("", UNKNOWN, LITERAL) or (not before and self._is_bound(view, scope, name)):
            return Meant()
        cheap = [one for one in self._project.named(name) if self._may_be(one, rules, is_member=bool(before))]
        if len(cheap) > MOST_CANDIDATES:
            return Meant()
        found = [one for one in cheap if not before or rules.by_name or self._is_member(one)]
        is_only = len(found) == 1 and bool(before) and name not in rules.common and found[0].kind in FUNCTIONS
        is_only = is_only and found[0].key != self._around(view, scope)  # `x.close()` in a `close`: one that hands on to something else
        is_dark = is_only and not self.values.chain(view, scope, before).values  # what a known type lacks is not there for certain
        return Meant(tuple(found), certain=is_only and (is_dark or rules.by_name))

    def _around(self, view: FileView, scope: int) -> tuple[str, str] | None:
        """The key of the function that a scope is in."""
        function = view.function(scope)
        return (view.facts.filepath, view.definitions[function].qualified_name) if function != MODULE else None

    def _may_be(self, symbol: Symbol, rules: Semantics, *, is_member: bool) -> bool:
        own = semantics(self._project.files.get(symbol.filepath, ""))
        if own is None or own.family != rules.family:
            return False
        return rules.by_name or is_member == (symbol.kind == "method" or "." in symbol.name)

    def _is_member(self, symbol: Symbol) -> bool:
        """Whether a definition belongs to a type, and not to a function that it stands in."""
        view = self.values.view(symbol.filepath)
        outer = view.numbered(symbol.name.rpartition(".")[0]) if view else []
        return view is not None and (any(map(view.is_type, outer)) if outer else symbol.kind == "method")

    def _is_bound(self, view: FileView, scope: int, name: str) -> bool:
        """Whether a name is a variable or parameter here, which may hold anything."""
        while scope >= 0:
            if (scope, name) in view.bindings:
                return True
            scope = view.around(scope)
        return (scope, name) in view.bindings or (scope, name) in view.imports
