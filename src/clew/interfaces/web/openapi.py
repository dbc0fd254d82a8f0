"""How is the interface described to programs? An OpenAPI document, made from the table of routes and from the models of what they take and give."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import Any

from pydantic.json_schema import models_json_schema

from clew.interfaces.web.answers import Health, Refused
from clew.interfaces.web.routes import ROUTES, Asked

_REF = "#/components/schemas/{model}"
_REFUSALS = {
    "400": "it means nothing",
    "401": "there is no valid token",
    "403": "your role does not reach",
    "404": "there is no such namespace, or none that you may see; or nothing is indexed",
    "408": "it was not sent in time",
    "413": "it is too large",
    "415": "it is not JSON",
    "421": "it was sent to another name than the server's",
    "422": "a field is not known, missing, or of a wrong type or size",
    "429": "you ask too often",
    "500": "a fault of the server",
    "503": "what is asked cannot be read now, or too much is asked",
    "504": "the answer was not there in time",
}


@cache
def document() -> dict[str, Any]:
    """The description of everything in the table, and of what is beside it."""
    models: list[tuple[Any, Any]] = [(one, "serialization") for route in ROUTES for one in (route.answer,)]
    models += [(route.body, "validation") for route in ROUTES if route.method == "POST"]
    models += [(Refused, "serialization"), (Health, "serialization")]
    refs, schemas = models_json_schema(list(dict.fromkeys(models)), ref_template=_REF)
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, refs)
    for path, summary in (("/healthz", "Whether the server lives"), ("/readyz", "Whether it can answer")):
        paths[path] = {"get": {"operationId": path[1:], "summary": summary, "security": [], "responses": _health(path, refs)}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "clew", "version": version("clew"), "description": "Finds the few places that matter in a code base."},
        "paths": paths,
        "security": [{"bearer": []}],
        "components": {"schemas": schemas["$defs"], "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(route: Asked, refs: dict[Any, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {"operationId": route.name, "summary": route.summary, "description": (route.answer.__doc__ or "").strip()}
    if route.method == "POST":
        said["requestBody"] = {"required": True, "content": _json(refs[route.body, "validation"])}
    else:
        said["parameters"] = list(_parameters(route))
    return {
        **said,
        "responses": {"200": {"description": "the answer", "content": _json(refs[route.answer, "serialization"])}, **_refused(refs)},
    }


def _parameters(route: Asked) -> Any:
    for name, schema in route.body.model_json_schema().get("properties", {}).items():
        yield {"name": name, "in": "query", "required": False, "schema": schema, "description": schema.get("description", "")}


def _health(path: str, refs: dict[Any, Any]) -> dict[str, Any]:
    well = {"200": {"description": "it does", "content": _json(refs[Health, "serialization"])}}
    codes = ("421", "503") if path == "/readyz" else ("421",)
    return {**well, **{code: one for code, one in _refused(refs).items() if code in codes}}


def _refused(refs: dict[Any, Any]) -> dict[str, Any]:
    return {code: {"description": said, "content": _json(refs[Refused, "serialization"])} for code, said in _REFUSALS.items()}


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
