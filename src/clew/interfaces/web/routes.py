"""What can be asked over HTTP? One table: the routes and their description are made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from clew.core.access import Principal
from clew.core.graph import Connections, Impact, Importers, ProjectMap, Related
from clew.interfaces.rendering.connections import connections_object, impact_object, importers_object, related_object
from clew.interfaces.rendering.namespaces import namespace_object
from clew.interfaces.rendering.overview import map_object
from clew.interfaces.rendering.schema_wire import checked_object, list_object, schema_answer_object, shown_object
from clew.interfaces.rendering.wire import answer_object, outline_object, outlines_object, status_object
from clew.interfaces.web import answers, answers_databases, bodies
from clew.serving.looks import Kind, Lines, Looked, Outlined, Outlines
from clew.serving.service import Service


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that can be asked: `body` is what is sent, as JSON by POST and as a query by GET, `answer` what comes back, `work` how it comes about."""

    method: str
    path: str
    summary: str
    body: type[bodies.Body]
    answer: type[answers.Said]
    work: Callable[[Service, Principal, Any], dict[str, Any]]

    @property
    def name(self) -> str:
        """What it is called in the description."""
        return self.path.removeprefix("/v1/").replace("/", "_")


def _search(service: Service, who: Principal, body: bodies.Search) -> dict[str, Any]:
    return answer_object(service.search(who, body.question()))


def _look(what: Kind, service: Service, who: Principal, body: Any) -> dict[str, Any]:
    return looked_object(service.look(who, body.look(what)), what)


def looked_object(found: Looked, what: Kind) -> dict[str, Any]:
    """What a look shows, as the command of its name prints it."""
    return connections_object(found, what) if isinstance(found, Connections) else _OBJECTS[type(found)](found)


_OBJECTS: dict[type[Any], Callable[[Any], dict[str, Any]]] = {
    Importers: importers_object,
    Impact: impact_object,
    Related: related_object,
    ProjectMap: map_object,
    Outlined: lambda found: outline_object(found.filepath, found.definitions),
    Outlines: lambda found: outlines_object(found.folder, found.files),
    Lines: asdict,
}


def _namespaces(service: Service, who: Principal, _: bodies.Body) -> dict[str, Any]:
    return {"namespaces": [namespace_object(one) for one in service.namespaces(who)]}


def _status(service: Service, who: Principal, body: bodies.WhichNamespaces) -> dict[str, Any]:
    return {"namespaces": [status_object(one) for one in service.status(who, body.namespace)]}


def _databases(service: Service, who: Principal, body: bodies.WhichNamespace) -> dict[str, Any]:
    return list_object(service.databases(who, body.namespace))


def _search_databases(service: Service, who: Principal, body: bodies.SearchDatabases) -> dict[str, Any]:
    return schema_answer_object(service.search_databases(who, body.question(), body.namespace), explain=body.explain)


def _show_database(service: Service, who: Principal, body: bodies.ShowDatabase) -> dict[str, Any]:
    return shown_object(service.show_database(who, body.name, body.schema_version, body.namespace))


def _check(service: Service, who: Principal, body: bodies.CheckStatement) -> dict[str, Any]:
    return checked_object(service.check_statement(who, body.sql, body.database, body.namespace))


def _of_kind(what: Kind, summary: str, body: type[bodies.Body], answer: type[answers.Said]) -> Asked:
    return Asked("POST", f"/v1/{what}", summary, body, answer, partial(_look, what))


ROUTES = (
    Asked("POST", "/v1/search", "Find code: in words, or by a name, a path, an error", bodies.Search, answers.SearchAnswer, _search),
    _of_kind("symbol", "Where a name is defined", bodies.Named, answers.Symbols),
    _of_kind("callers", "Who calls what a name means", bodies.Callers, answers.Called),
    _of_kind("callees", "What the definitions of a name call", bodies.Named, answers.Calls),
    _of_kind("importers", "Which files import a file", bodies.File, answers.Importers),
    _of_kind("impact", "What a change of a name touches", bodies.Named, answers.Impact),
    _of_kind("related", "What belongs to a line of a file", bodies.Place, answers.Related),
    _of_kind("map", "A project, or a folder of it, on one page", bodies.Folder, answers.Map),
    _of_kind("outline", "The definitions of a file", bodies.File, answers.Outline),
    _of_kind("outlines", "The definitions of each file of a folder", bodies.Folder, answers.Outlines),
    _of_kind("read", "Lines of a file", bodies.Read, answers.Lines),
    Asked("GET", "/v1/namespaces", "What you may see", bodies.Body, answers.Namespaces, _namespaces),
    Asked("GET", "/v1/status", "How namespaces stand", bodies.WhichNamespaces, answers.Statuses, _status),
    Asked("GET", "/v1/db", "Which databases there are", bodies.WhichNamespace, answers_databases.Databases, _databases),
    Asked(
        "POST",
        "/v1/db/search",
        "Which tables, columns and joins a question needs",
        bodies.SearchDatabases,
        answers_databases.TablesAnswer,
        _search_databases,
    ),
    Asked(
        "POST",
        "/v1/db/show",
        "What is known of a database or a table",
        bodies.ShowDatabase,
        answers_databases.ShownDatabase,
        _show_database,
    ),
    Asked("POST", "/v1/db/check", "Whether a statement fits a database", bodies.CheckStatement, answers_databases.CheckedStatement, _check),
)
