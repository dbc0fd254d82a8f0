"""Who is answered what? Each call names its principal, and the door of each store decides before anything in it is read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from clew.access.door import Audit, Door, Entry, no_such_namespace
from clew.access.rules import may
from clew.core.access import Permission, Principal
from clew.core.answer import Answer, Question, Result, Status
from clew.core.schema.answer import SchemaAnswer, SchemaQuestion
from clew.core.schema.protocols import HeldCount
from clew.core.schema.reports import Listed, Shown
from clew.errors import ClewError, NoIndex, UsageError
from clew.namespaces import Known, known_of
from clew.search.schema.resolving import without_values
from clew.serving.hiding import Hiding
from clew.serving.home import Home, together
from clew.serving.looks import Look, Looked
from clew.serving.measures import Measures

if TYPE_CHECKING:
    from clew.search.schema.checking import Checked

_SEVERAL = "name one of them: {}"
_LONGEST_LIST = 20
"""Namespaces that a hint names."""


class Service:
    """What one server answers. Made by `clew.assembly.open_service`; close it, or use it as a context manager.

    Synchronous, and safe from several threads. What a principal may not see is answered, in every call, as what there is not. `hides_places`: where
    things lie on this machine is left out of answers, as who asks is elsewhere; `keeps_text` puts questions into the audit log.
    """

    def __init__(
        self,
        homes: Sequence[Home],
        audit: Audit | None = None,
        *,
        hides_places: bool = False,
        keeps_text: bool = False,
        measures: Measures | None = None,
    ) -> None:
        self._doors: Mapping[Home, Door] = {home: Door(home.store, audit) if audit else Door(home.store) for home in homes}
        self._audit = audit
        self._hiding = Hiding(place for home in homes for place in home.places()) if hides_places else Hiding()
        self._keeps_text = keeps_text
        self._measures = measures

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Give back files and locks."""
        for home in self._doors:
            home.close()

    def refuse_unready(self) -> None:
        """Raise what hinders answering: a store that cannot be reached, or cannot be read."""
        for home in self._doors:
            home.store.namespaces()

    def levels(self) -> dict[str, float]:
        """What all stores hold together, and how far their search indexes are behind. Nothing of it tells of one namespace."""
        found = [home.level() for home in self._doors]
        return {name: sum(one[name] for one in found) for one in found[:1] for name in one}

    # -- code --

    def search(self, who: Principal, question: Question) -> Answer:
        """The answer from the question's namespaces, or from all that the principal may search. Code is shown to who may read it.

        Raises NoSuchNamespace, Forbidden, UsageError for a question that is none.
        """
        with self._told(who, "search", question.text) as told:
            if not question.text.strip():
                raise UsageError("the question is empty", "ask in words, or with a name, a path, an error message")
            scopes = self._scopes(who, "search", question.namespaces)
            told.namespaces = tuple(name for names in scopes.values() for name in names)
            apart = question if len(scopes) == 1 else replace(question, max_tokens=0)
            answer = together(question, [one for home, names in scopes.items() for one in home.search(names, apart)])
            answer = self._shown(answer, self._readable(who, told.namespaces))
            told.results = len(answer.results)
            told.mode = answer.mode
            return answer

    def look(self, who: Principal, look: Look) -> Looked:
        """What a look at a namespace shows to who may read its code. Raises NoSuchNamespace, Forbidden, and UsageError for what it does not hold."""
        with self._told(who, look.what, look.target) as told:
            home, name = self._one(who, "read", look.namespace)
            told.namespaces = (name,)
            told.results = 1
            return self._hiding.of(home.look(look, name))

    # -- what there is --

    def namespaces(self, who: Principal) -> tuple[Known, ...]:
        """Every namespace that the principal may see, in order of name."""
        with self._told(who, "namespaces") as told:
            found = [
                known_of(home.store, record, door.role(who, record.name))
                for home, door in self._doors.items()
                for record in door.records(who)
            ]
            told.results = len(found)
            return tuple(sorted(map(self._hiding.of, found), key=lambda one: one.record.name))

    def status(self, who: Principal, names: Sequence[str] = ()) -> tuple[Status, ...]:
        """How these namespaces stand, or all that the principal may search, in order of name; those that are only a name are left out of all."""
        with self._told(who, "status") as told:
            scopes = self._scopes(who, "search", names)
            told.namespaces = tuple(name for some in scopes.values() for name in some)
            found = []
            for home, some in scopes.items():
                for name in some:
                    try:
                        found.append(self._hiding.of(home.status(name)))
                    except NoIndex:
                        if names:
                            raise
            told.results = len(found)
            return tuple(sorted(found, key=lambda one: one.namespace))

    # -- databases --

    def databases(self, who: Principal, namespace: str = "") -> tuple[Listed, ...]:
        """The databases beside a namespace, without a look at them."""
        with self._told(who, "db list") as told:
            home, name = self._with_databases(who, namespace)
            told.namespaces = (name,)
            with home.databases(name) as databases:
                found = databases.listed()
            told.results = len(found)
            seen = found if self._may(who, "samples", home, name) else tuple(map(_unvalued, found))
            return tuple(map(self._hiding.of, seen))

    def search_databases(self, who: Principal, question: SchemaQuestion, namespace: str = "") -> SchemaAnswer:
        """The tables that a question needs, of the databases beside a namespace; values of rows for who may see them."""
        with self._told(who, "db search", question.text) as told:
            home, name = self._with_databases(who, namespace)
            told.namespaces = (name,)
            asked = replace(question, may_see_samples=question.may_see_samples and self._may(who, "samples", home, name))
            with home.databases(name) as databases:
                answer = databases.search(asked)
            told.results = len(answer.tables)
            return self._hiding.of(answer)

    def show_database(self, who: Principal, target: str, version: str = "", namespace: str = "") -> Shown:
        """What is known of a database, or (`NAME.TABLE`) of a table of it; values of rows for who may see them."""
        with self._told(who, "db show", target) as told:
            home, name = self._with_databases(who, namespace)
            told.namespaces = (name,)
            with home.databases(name) as databases:
                shown = databases.show(target, version)
            told.results = len(shown.tables)
            return self._hiding.of(shown if self._may(who, "samples", home, name) else _without_values(shown))

    def check_statement(self, who: Principal, sql: str, name: str = "", namespace: str = "") -> Checked:
        """Whether a statement's tables, columns and joins are those of a database (of the one that it fits best, where none is named). Nothing is run."""
        with self._told(who, "db check", sql) as told:
            home, namespace = self._with_databases(who, namespace)
            told.namespaces = (namespace,)
            with home.databases(namespace) as databases:
                found = [databases.check(sql, one) for one in ((name,) if name else databases.names()) if name or databases.is_read(one)]
            if not found:
                raise NoIndex("no database was read yet", "read them where the index is: clew db index")
            told.results = 1
            return min(found, key=lambda one: (sum(finding.is_error for finding in one.findings), -len(one.tables), one.datasource))

    # -- inside --

    @contextmanager
    def _told(self, who: Principal, what: str, text: str = "") -> Iterator[_Told]:
        """Writes down what was asked, once it is answered; the door has written down what it refused."""
        told, begun = _Told(), time.monotonic()
        try:
            yield told
        except ClewError as fault:
            if self._measures is not None:
                self._measures.count("clew_faults_total", {"code": fault.code})
            raise self._hiding.fault(fault)  # noqa: B904 - the same one
        if told.mode and self._measures is not None:
            self._measures.took("clew_search_seconds", time.monotonic() - begun, {"mode": told.mode})
        if self._audit is not None:
            kept = text if self._keeps_text else ""
            self._audit(Entry(who.name, what, told.namespaces, True, told.results, time.monotonic() - begun, kept))

    def _scopes(self, who: Principal, permission: Permission, names: Sequence[str]) -> dict[Home, tuple[str, ...]]:
        """Which namespaces of which store are meant, all of them permitted. A name that nobody knows, or only others, is refused by one door as by any."""
        if not names:
            found = {home: door.scope(who, permission).namespaces for home, door in self._doors.items()}
            return {home: some for home, some in found.items() if some}
        chosen: dict[Home, list[str]] = {}
        for name in dict.fromkeys(names):
            chosen.setdefault(self._home_of(who, permission, name), []).append(name)
        return {home: tuple(some) for home, some in chosen.items()}

    def _home_of(self, who: Principal, permission: Permission, name: str) -> Home:
        """The store that shows a namespace to the principal, who may do this in it. Raises NoSuchNamespace, Forbidden."""
        for home, door in self._doors.items():
            if any(record.name == name for record in door.records(who)):
                door.open(who, permission, name)
                return home
        for door in self._doors.values():
            door.open(who, permission, name)
        raise no_such_namespace(name)

    def _one(self, who: Principal, permission: Permission, name: str, holds: Callable[[Home, str], bool] | None = None) -> tuple[Home, str]:
        """The namespace that is named, or the only one that the principal may do this in (and that `holds` what is asked for)."""
        if name:
            return self._home_of(who, permission, name), name
        every = [(home, one) for home, names in self._scopes(who, permission, ()).items() for one in names]
        fitting = [(home, one) for home, one in every if holds is None or holds(home, one)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            shown = sorted(one for _, one in fitting)
            more = ", …" if len(shown) > _LONGEST_LIST else ""
            raise UsageError("several namespaces could be meant", _SEVERAL.format(", ".join(shown[:_LONGEST_LIST]) + more))
        raise NoIndex(*NOTHING_THERE) if holds is None else NoIndex(*NO_DATABASES)

    def _with_databases(self, who: Principal, name: str) -> tuple[Home, str]:
        return self._one(who, "search", name, lambda home, one: home.has_databases(one))

    def _may(self, who: Principal, permission: Permission, home: Home, name: str) -> bool:
        return any(record.name == name and may(who, permission, record) for record in self._doors[home].records(who))

    def _readable(self, who: Principal, names: Sequence[str]) -> frozenset[str]:
        """Those of the namespaces whose code the principal may read."""
        every = (record for door in self._doors.values() for record in door.records(who))
        return frozenset(record.name for record in every if record.name in names and may(who, "read", record))

    def _shown(self, answer: Answer, readable: frozenset[str]) -> Answer:
        """The answer as it may be seen, and as it can be sent to another process."""
        results = tuple(one if one.chunk.namespace in readable else _unread(one) for one in answer.results)
        neighbours = answer.neighbours if all(one.chunk.namespace in readable for one in results) else ()
        return self._hiding.of(replace(answer, results=results, neighbours=neighbours, count=partial(int, answer.tokens)))


class _Told:
    """What is known of a call when it is answered."""

    def __init__(self) -> None:
        self.namespaces: tuple[str, ...] = ()
        self.results = 0
        self.mode = ""


def _unread(result: Result) -> Result:
    """A place without its code."""
    bare = replace(result.chunk, header="", code="", signature="", docstring="", imports=(), calls=())
    return replace(result, chunk=bare, code_snippet="", reasons=(*result.reasons, UNREAD))


def _without_values(shown: Shown) -> Shown:
    """The same with no values of rows, of the whole database it is a part of as well."""
    snapshot = without_values(shown.snapshot)
    keys = {table.key for table in shown.tables}
    return replace(shown, snapshot=snapshot, tables=tuple(table for table in snapshot.tables if table.key in keys))


def _unvalued(listed: Listed) -> Listed:
    """A datasource as it is listed, with nothing of its rows."""
    return replace(listed, snapshot=without_values(listed.snapshot) if listed.snapshot else None, values=HeldCount())


NOTHING_THERE = ("there is no namespace that you may use", "ask an admin for a role in one")
NO_DATABASES = ("there is no database that you may ask", "add one where an index is: clew db add NAME URL")
UNREAD = "code is shown to who may read it"
