"""What does an expression stand for? Names are followed through scopes, imports, attributes and what calls give back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from clew.core.graph import LITERAL, UNKNOWN
from clew.graph.fileview import MODULE, FileView
from clew.graph.modules import Modules
from clew.graph.semantics import Semantics, semantics
from clew.graph.types import named_types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clew.core.graph import Binding, Import
    from clew.graph.project import Project

_MOST_DEPTH = 40
"""Steps inside each other of one evaluation: real code needs a dozen, a cycle would need all."""
_PROPERTIES = frozenset(("property", "cached_property", "functools.cached_property", "abc.abstractproperty", "locked_cached_property"))

Key = tuple[str, str]
"""A definition's file and qualified name."""


class Value(NamedTuple):
    """What a name may stand for: a module (`filepath` alone), a type, an object of it, the bases of a type (super), a function with the type of
    its `receiver`, or something from elsewhere."""

    kind: str
    filepath: str = ""
    name: str = ""
    receiver: Key | None = None

    @property
    def key(self) -> Key:
        return (self.filepath, self.name)


class Known(NamedTuple):
    """What an expression may be; `whole` where there is nothing else that it may be."""

    values: tuple[Value, ...] = ()
    whole: bool = True


NOTHING_KNOWN = Known((), whole=False)
ELSEWHERE = Known((Value("elsewhere"),))


class Values:
    """Follows names through a project. Made for one question: what is worked out is remembered, and files are taken not to change."""

    def __init__(self, project: Project, views: dict[str, FileView], modules: Modules) -> None:
        self._project = project
        self._views = views
        self._modules = modules
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
            known = self._views[filepath] = FileView(facts, rules.selves)
        return known

    def chain(self, view: FileView, scope: int, chain: str) -> Known:
        """What a chain stands for in a scope."""
        return self._once(("chain", view.facts.filepath, scope, chain), lambda: self._chain(view, scope, chain))

    def types(self, view: FileView, scope: int, text: str, receiver: Key | None = None) -> Known:
        """The objects that a type's text allows in a scope."""
        return self._once(("types", view.facts.filepath, scope, text, receiver), lambda: self._types(view, scope, text, receiver))

    def member(self, value: Value, name: str) -> Known:
        """What a value's attribute stands for."""
        return self._once(("member", value, name), lambda: self._member(value, name))

    def module_of(self, view: FileView, imported: Import) -> str:
        """The file or folder of the module that an import names; empty for one of elsewhere."""
        return self._modules.python(imported.module, view.facts.filepath)

    def _once(self, key: tuple[object, ...], made: Callable[[], Known]) -> Known:
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
        rules = _rules(view)
        first, *rest = chain.split(".")
        if first in rules.supers:
            owner = view.type_around(scope)
            known = (
                Known((Value("super", view.facts.filepath, view.definitions[owner].qualified_name),)) if owner != MODULE else NOTHING_KNOWN
            )
        elif first == LITERAL:
            known = ELSEWHERE
        elif first in ("", UNKNOWN):
            known = NOTHING_KNOWN if first else Known()
        else:
            name = first.removesuffix("()")
            known = self._self(view, scope, name, rules) or self._name(view, scope, name)
            known = self._called(known) if first != name else known
        for part in rest:
            name = part.removesuffix("()")
            known = union(map(partial(self.member, name=name), known.values), whole=known.whole)
            known = self._called(known) if part != name else known
        return known

    def _self(self, view: FileView, scope: int, name: str, rules: Semantics) -> Known | None:
        kind = "object" if name in rules.selves else "type" if name in rules.class_selves else ""
        function = view.function(scope) if kind else MODULE
        if any(one.how != "parameter" for one in view.bindings.get((function, name), ())):
            return None  # a variable that is called like it
        owner = view.type_around(scope) if function != MODULE else MODULE
        return Known((Value(kind, view.facts.filepath, view.definitions[owner].qualified_name),)) if owner != MODULE else None

    def _name(self, view: FileView, scope: int, name: str) -> Known:
        """What a bare name stands for: the innermost scope that binds it counts."""
        current = scope
        while True:
            if current in (scope, MODULE) or not view.is_type(current):
                bound = self._bound(view, current, name)
                if bound is not None:
                    return bound
            if current == MODULE:
                break
            current = view.around(current)
        starred = self._starred(view, name)
        if starred is not None:
            return starred
        return ELSEWHERE if name in _rules(view).known else NOTHING_KNOWN

    def _bound(self, view: FileView, scope: int, name: str) -> Known | None:
        """What a name stands for by what one scope itself says; None where it says nothing."""
        qualified = view.definitions[scope].qualified_name if scope != MODULE else ""
        found = [self._defined(view, number) for number in view.members.get((qualified, name), ())]
        known = [one for one in found if one is not None]
        known += [self._imported(view, imported) for imported in view.imports.get((scope, name), ())]
        bindings = view.bindings.get((scope, name), ())
        if bindings:
            known.append(self._of_bindings(view, bindings, None))
        return union(known) if known else None

    def _defined(self, view: FileView, number: int) -> Known | None:
        one = view.definitions[number]
        kind = "function" if view.is_function(number) else "type" if view.is_type(number) else ""
        return Known((Value(kind, view.facts.filepath, one.qualified_name),)) if kind else None

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
            return self._entered(self.chain(view, scope, one.text), _rules(view))
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

    # -- imports --

    def _imported(self, view: FileView, imported: Import) -> Known:
        module = self.module_of(view, imported)
        if not imported.member:
            if imported.alias:
                return Known((Value("module", module),)) if module else ELSEWHERE
            top = self._modules.python(imported.module.split(".")[0], view.facts.filepath)
            return Known((Value("module", top),)) if top else ELSEWHERE
        return self.member(Value("module", module), imported.member) if module else ELSEWHERE

    def _starred(self, view: FileView, name: str) -> Known | None:
        for imported in view.stars:
            module = self.module_of(view, imported)
            if module and not name.startswith("_"):
                known = self.member(Value("module", module), name)
                if known.values:
                    return known
        return None

    def _module_member(self, module: str, name: str) -> Known:
        view = self.view(module)
        known = self._bound(view, MODULE, name) if view else None
        if known is not None and known.values:
            return known
        inside = self._modules.python_member(module, name)
        if inside:
            return Known((Value("module", inside),))
        starred = self._starred(view, name) if view else None
        return starred or known or NOTHING_KNOWN

    # -- attributes --

    def _member(self, value: Value, name: str) -> Known:
        if value.kind == "module":
            return self._module_member(value.filepath, name)
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
        return self._of_bases(key, name, receiver, seen | {key})

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
            return self._once(("result", value), lambda: self._result(value))
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
            known = self.chain(view, scope, one.chain or UNKNOWN)
            kinds = {"type": "type" if one.is_meta else "object", "elsewhere": "elsewhere"}
            values = tuple(value._replace(kind=kinds[value.kind]) for value in known.values if value.kind in kinds)
            found.append(Known(values, known.whole and len(values) == len(known.values) > 0))
        return union(found)


def union(found: Iterable[Known], *, whole: bool = True) -> Known:
    """Everything that any of them may be."""
    parts = list(found)
    return Known(tuple(dict.fromkeys(value for part in parts for value in part.values)), whole and all(part.whole for part in parts))


def _rules(view: FileView) -> Semantics:
    rules = semantics(view.facts.language)
    if rules is None:
        raise LookupError(view.facts.language)
    return rules
