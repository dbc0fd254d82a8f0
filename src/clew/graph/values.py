"""What does an expression stand for? Names are followed through scopes, imports, attributes and what calls give back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from clew.core.graph import LITERAL, NEW, UNKNOWN
from clew.graph.fileview import MODULE, FileView
from clew.graph.imports import Imports
from clew.graph.known import ELSEWHERE, NOTHING_KNOWN, Key, Known, Value, union
from clew.graph.modules import Modules
from clew.graph.semantics import Semantics, semantics
from clew.graph.types import named_types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clew.core.graph import Binding
    from clew.graph.project import Project

_MOST_DEPTH = 40
"""Steps inside each other of one evaluation: real code needs a dozen, a cycle would need all."""
_PROPERTIES = frozenset(("property", "cached_property", "functools.cached_property", "abc.abstractproperty", "locked_cached_property"))


class Values:
    """Follows names through a project. Made for one question: what is worked out is remembered, and files are taken not to change."""

    def __init__(self, project: Project, views: dict[str, FileView], modules: Modules) -> None:
        self._project = project
        self._views = views
        self._modules = modules
        self.imports = Imports(self, project, modules)
        self._done: dict[tuple[object, ...], Known] = {}
        self._active: set[tuple[object, ...]] = set()

    def view(self, filepath: str) -> FileView | None:
        """A file's facts by scope; None for what has none."""
        facts = self._project.facts(filepath)
        rules = semantics(facts.language) if facts else None
        if facts is None or rules is None:
            return None
        known = self._views.get(filepath)
        if known is None or known.facts is not facts:
            known = self._views[filepath] = FileView(facts, rules)
        return known

    def chain(self, view: FileView, scope: int, chain: str) -> Known:
        """What a chain stands for in a scope."""
        return self.once(("chain", view.facts.filepath, scope, chain), lambda: self._chain(view, scope, chain))

    def types(self, view: FileView, scope: int, text: str, receiver: Key | None = None) -> Known:
        """The objects that a type's text allows in a scope."""
        return self.once(("types", view.facts.filepath, scope, text, receiver), lambda: self._types(view, scope, text, receiver))

    def member(self, value: Value, name: str) -> Known:
        """What a value's attribute stands for."""
        return self.once(("member", value, name), lambda: self._member(value, name))

    def once(self, key: tuple[object, ...], made: Callable[[], Known]) -> Known:
        known = self._done.get(key)
        if known is not None:
            return known
        if key in self._active or len(self._active) > _MOST_DEPTH:
            return NOTHING_KNOWN
        self._active.add(key)
        try:
            known = made()
        finally:
            self._active.discard(key)
        self._done[key] = known
        return known

    # -- chains --

    def _chain(self, view: FileView, scope: int, chain: str) -> Known:
        rules = view.rules
        first, *rest = chain.split(".")
        if first in rules.supers:
            owner = view.owner(scope)
            known = Known((Value("super", view.facts.filepath, owner),)) if owner else NOTHING_KNOWN
        elif first == LITERAL:
            known = ELSEWHERE
        elif first in ("", UNKNOWN):
            known = NOTHING_KNOWN if first else Known()
        else:
            name = first.removeprefix(NEW).removesuffix("()")
            known = self._first(view, scope, name, as_type=first.startswith(NEW))
            known = self._called(known) if first.endswith("()") else known
        for part in rest:
            name = part.removesuffix("()")
            known = union(map(partial(self.member, name=name), known.values), whole=known.whole)
            known = self._called(known) if part != name else known
        return known

    def _first(self, view: FileView, scope: int, name: str, *, as_type: bool) -> Known:
        """What the first name of a chain stands for; where it must be a type, variables called like it are passed over."""
        if view.rules.modules == "rust" and name in ("crate", "super"):
            return self.imports.module(view, scope, name)
        own = self._self(view, scope, name, view.rules)
        return own or self._name(view, scope, name, as_type=as_type and view.rules.implicit)

    def _self(self, view: FileView, scope: int, name: str, rules: Semantics) -> Known | None:
        kind = "object" if name in rules.selves else "type" if name in rules.class_selves else ""
        function = view.function(scope) if kind else MODULE
        if any(one.how != "parameter" for one in view.bindings.get((function, name), ())):
            return None  # a variable that is called like it
        owner = view.owner(scope) if function != MODULE else ""
        return Known((Value(kind, view.facts.filepath, owner),)) if owner else None

    def _name(self, view: FileView, scope: int, name: str, *, as_type: bool) -> Known:
        """What a bare name stands for: the innermost scope that binds it counts."""
        current = scope
        while True:
            if current in (scope, MODULE) or view.rules.implicit or not view.is_type(current):
                bound = self.bound(view, current, name, as_type=as_type)
                if bound is not None:
                    return bound
            if view.rules.implicit and not as_type and current != MODULE and view.is_type(current):
                key = (view.facts.filepath, view.definitions[current].qualified_name)
                inherited = self._of_type(key, name, key, frozenset())
                if inherited is not None and inherited is not ELSEWHERE:
                    return inherited
            if current == MODULE:
                break
            current = view.around(current)
        return self._unbound(view, name)

    def _unbound(self, view: FileView, name: str) -> Known:
        """What a name stands for that its file does not bind: something of the same package, or of one that is imported whole."""
        known = None
        if view.rules.packaged:
            known = self.once(("packaged", view.package, name), lambda: self.imports.packaged(view.package, name))
        if view.rules.modules == "rust" and (inside := self._modules.rust_child(view.facts.filepath, name)):
            known = Known((Value("module", inside),))
        known = known if known and known.values else self.imports.starred(view, name)
        if known is not None and known.values:
            return known
        return ELSEWHERE if name in view.rules.known else NOTHING_KNOWN

    def bound(self, view: FileView, scope: int, name: str, *, as_type: bool = False) -> Known | None:
        """What a name stands for by what one scope itself says; None where it says nothing."""
        inside = self.within(view, view.definitions[scope].qualified_name if scope != MODULE else "", name)
        known = [inside] if inside else []
        imports = view.imports.get((scope, name), ())
        known += [self.imports.imported(view, imported) for imported in imports]
        lines = {imported.line for imported in imports}  # `x = require(…)` is no value besides
        bindings = [one for one in view.bindings.get((scope, name), ()) if one.line not in lines]
        if bindings and not as_type:
            known.append(self._of_bindings(view, bindings, None))
        return union(known) if known else None

    def within(self, view: FileView, qualified: str, name: str) -> Known | None:
        """The definitions of a name directly inside a definition (empty: the file)."""
        found = []
        for number in view.members.get((qualified, name), ()):
            kind = "function" if view.is_function(number) else "type" if view.is_type(number) else "space" if view.is_space(number) else ""
            if kind:
                found.append(Value(kind, view.facts.filepath, view.definitions[number].qualified_name))
        return Known(tuple(dict.fromkeys(found))) if found else None

    def _of_bindings(self, view: FileView, bindings: Iterable[Binding], receiver: Key | None) -> Known:
        """What was bound to a name; where its type is declared, that alone counts."""
        everything = list(bindings)
        declared = [one for one in everything if one.how == "type"]
        return union(self._of_binding(view, one, receiver) for one in declared or everything)

    def _of_binding(self, view: FileView, one: Binding, receiver: Key | None) -> Known:
        scope = view.scope(one.line)
        if one.how == "type":
            return self.types(view, scope, one.text, receiver)
        if one.how == "value":
            return self.chain(view, scope, one.text)
        if one.how == "entered":
            return self._entered(self.chain(view, scope, one.text), view.rules)
        return NOTHING_KNOWN

    def _entered(self, known: Known, rules: Semantics) -> Known:
        """What entering a context gives: what its `__enter__` gives back."""
        found = []
        for value in known.values:
            for name in rules.entering:
                given = self._called(self.member(value, name))
                if given.values:
                    found.append(given)
                    break
            else:
                found.append(NOTHING_KNOWN)
        return union(found, whole=known.whole)

    # -- attributes --

    def _member(self, value: Value, name: str) -> Known:
        if value.kind == "module":
            return self.imports.member_of_module(value.filepath, name)
        if value.kind == "package":
            return self.imports.member_of_package(value.filepath, value.name, name)
        if value.kind == "space":
            view = self.view(value.filepath)
            return (self.within(view, value.name, name) if view else None) or NOTHING_KNOWN
        if value.kind in ("type", "object"):
            return self._of_type(value.key, name, value.key, frozenset()) or NOTHING_KNOWN
        if value.kind == "super":
            return self._of_bases(value.key, name, value.key, frozenset((value.key,))) or NOTHING_KNOWN
        return ELSEWHERE

    def _of_type(self, key: Key, name: str, receiver: Key, seen: frozenset[Key]) -> Known | None:
        """A type's attribute, its own or of its bases in order; None where neither has one, elsewhere where a base of elsewhere may."""
        view = self.view(key[0])
        if view is None or key in seen:
            return None
        numbers = [number for number in view.members.get((key[1], name), ()) if view.is_function(number) or view.is_type(number)]
        if numbers:
            return union(self._of_definition(view, number, receiver) for number in numbers)
        bindings = list(view.attributes.get((key[1], name), ()))
        for number in view.numbered(key[1]):
            bindings += view.bindings.get((number, name), ())
        if bindings:
            return self._of_bindings(view, bindings, receiver)
        apart = self._apart(view, key, name, receiver)
        return apart or self._of_bases(key, name, receiver, seen | {key})

    def _apart(self, view: FileView, key: Key, name: str, receiver: Key) -> Known | None:
        """A method that stands in another file than its type: one of the same package (Go, parts of a C# class) or crate."""
        if not view.rules.packaged and view.rules.modules != "rust":
            return None
        found = []
        for symbol in self._project.named(name):
            other = self.view(symbol.filepath) if symbol.name == f"{key[1]}.{name}" and symbol.filepath != key[0] else None
            if other and other.rules is view.rules and other.package == view.package:
                found += [self._of_definition(other, number, receiver) for number in other.numbered(symbol.name)]
        return union(found) if found else None

    def _of_definition(self, view: FileView, number: int, receiver: Key) -> Known:
        one = view.definitions[number]
        if view.is_type(number):
            return Known((Value("type", view.facts.filepath, one.qualified_name),))
        function = Value("function", view.facts.filepath, one.qualified_name, receiver)
        if any(mark in _PROPERTIES or mark.endswith((".setter", ".getter", ".deleter")) for mark in view.marks.get(number, ())):
            return self._result(function)
        return Known((function,))

    def _of_bases(self, key: Key, name: str, receiver: Key, seen: frozenset[Key]) -> Known | None:
        view = self.view(key[0])
        if view is None:
            return None
        is_elsewhere = False
        for base in self.bases(key):
            if base.kind == "elsewhere":
                is_elsewhere = True
            elif (found := self._of_type(base.key, name, receiver, seen)) is not None and found is not ELSEWHERE:
                return found
            elif found is ELSEWHERE:
                is_elsewhere = True
        return ELSEWHERE if is_elsewhere else None

    def bases(self, key: Key) -> list[Value]:
        """The types that a type is built upon, in order; `elsewhere` for those outside of the project."""
        view = self.view(key[0])
        found: list[Value] = []
        for base in view.bases.get(key[1], ()) if view else ():
            for number in view.numbered(key[1])[:1] if view else ():
                known = self.types(view, view.around(number), base.text) if view else NOTHING_KNOWN
                found += [value for value in known.values if value.kind in ("object", "elsewhere")]
        return list(dict.fromkeys(found))

    # -- calls --

    def _called(self, known: Known) -> Known:
        return union((self._result_of(value) for value in known.values), whole=known.whole)

    def _result_of(self, value: Value) -> Known:
        if value.kind == "type":
            return Known((Value("object", *value.key),))
        if value.kind == "function":
            return self.once(("result", value), lambda: self._result(value))
        if value.kind == "object":
            return union(self._result_of(one) if one.kind == "function" else NOTHING_KNOWN for one in self.member(value, "__call__").values)
        return ELSEWHERE if value.kind == "elsewhere" else NOTHING_KNOWN

    def _result(self, function: Value) -> Known:
        """What a function gives back: by its declared type, else by what it returns."""
        view = self.view(function.filepath)
        given: list[Known] = []
        for number in view.numbered(function.name) if view else ():
            returns = view.returns.get(number, ()) if view else ()
            if view and returns:
                given.append(self._of_bindings(view, returns, function.receiver))
        return union(given) if given else NOTHING_KNOWN

    def _types(self, view: FileView, scope: int, text: str, receiver: Key | None) -> Known:
        found = []
        for one in named_types(text):
            if one.chain.rsplit(".", 1)[-1] == "Self" and receiver:
                found.append(Known((Value("object", *receiver),)))
                continue
            known = self.chain(view, scope, NEW + one.chain if one.chain else UNKNOWN)
            kinds = {"type": "type" if one.is_meta else "object", "elsewhere": "elsewhere"}
            values = tuple(value._replace(kind=kinds[value.kind]) for value in known.values if value.kind in kinds)
            found.append(Known(values, known.whole and len(values) == len(known.values) > 0))
        return union(found)
