"""Does each route answer as it is described, each principal from what is theirs?"""

from __future__ import annotations

from typing import Any

import pytest
from tests.interfaces.web.conftest import Team

from clew.interfaces.web.routes import ROUTES

ASKED: dict[str, dict[str, Any]] = {
    "/v1/search": {"query": "what does the customer have to pay", "limit": 3, "in": ["src"], "max_tokens": 600, "around": True},
    "/v1/symbol": {"name": "total_price"},
    "/v1/callers": {"name": "total_price", "depth": 2},
    "/v1/callees": {"name": "pay"},
    "/v1/importers": {"filepath": "src/basket.py"},
    "/v1/impact": {"name": "Basket"},
    "/v1/related": {"filepath": "src/checkout.py", "line": 6},
    "/v1/map": {},
    "/v1/outline": {"filepath": "src/basket.py"},
    "/v1/outlines": {"folder": "src"},
    "/v1/read": {"filepath": "src/basket.py", "line_start": 4, "line_end": 5},
    "/v1/db/search": {"query": "revenue per customer", "explain": True},
    "/v1/db/show": {"name": "store.customers"},
    "/v1/db/check": {"sql": "SELECT city FROM customers"},
    "/v1/namespaces": {},
    "/v1/status": {},
    "/v1/db": {},
}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.path)
def test_each_route_answers_in_the_form_that_is_described(team: Team, route: Any) -> None:
    found = team.bob.ask(route.method, route.path, ASKED[route.path] if route.method == "POST" else None)
    assert found.status == 200, found.raw
    assert found.headers["content-type"] == "application/json"
    route.answer.model_validate(found.json)
    assert team.anybody.ask(route.method, route.path, ASKED[route.path]).status == 401


def test_answers_say_what_was_found(team: Team) -> None:
    assert team.bob.post("/v1/search", query="total_price").json["results"][0]["symbol_name"] == "Basket.total_price"
    assert team.bob.post("/v1/callers", name="total_price").json["callers"][0]["source"]["name"] == "pay"
    assert team.bob.post("/v1/read", filepath="src/basket.py", line_start=4, line_end=4).json["text"] == "class Basket:"
    assert team.bob.post("/v1/db/check", sql="SELECT cty FROM customers").json["findings"][0]["nearest"] == ["customers.city"]
    assert [one["namespace"] for one in team.bob.get("/v1/namespaces").json["namespaces"]] == [team.served.open_name]
    assert len(team.ann.get("/v1/status").json["namespaces"]) == 2
    assert len(team.ann.get(f"/v1/status?namespace={team.served.hidden_name}").json["namespaces"]) == 1


def test_nothing_says_where_things_are_on_the_server(team: Team) -> None:
    for route in ROUTES:
        found = team.root.ask(route.method, route.path, {**ASKED[route.path], **_named(team, route)} if route.method == "POST" else None)
        assert str(team.served.open.parent).encode() not in found.raw, route.path


def _named(team: Team, route: Any) -> dict[str, Any]:
    return {"namespace": team.served.open_name} if "namespace" in route.body.model_fields else {}


def test_what_may_not_be_seen_is_refused_with_the_bytes_for_what_there_is_not(team: Team) -> None:
    hidden = team.served.hidden_name
    stranger = "s" * len(hidden)
    for route in ROUTES:
        if route.path == "/v1/namespaces":
            continue
        replies = []
        for name in (hidden, stranger):
            if route.method == "GET":
                found = team.bob.get(f"{route.path}?namespace={name}")
            else:
                field = {"namespaces": [name]} if route.path == "/v1/search" else {"namespace": name}
                found = team.bob.post(route.path, **{**ASKED[route.path], **field})
            replies.append(
                (
                    found.status,
                    found.raw.replace(name.encode(), b"NAME"),
                    {**found.headers, "date": "", "content-length": "", "x-request-id": ""},
                )
            )
        assert replies[0] == replies[1], route.path
        assert replies[0][0] == 404


BAD: tuple[tuple[str, str, Any, int, str], ...] = (
    ("POST", "/v1/search", {}, 422, "invalid"),
    ("POST", "/v1/search", {"query": "x", "colour": 1}, 422, "invalid"),
    ("POST", "/v1/search", {"query": 7}, 422, "invalid"),
    ("POST", "/v1/search", {"query": ""}, 422, "invalid"),
    ("POST", "/v1/search", {"query": "  "}, 400, "usage"),
    ("POST", "/v1/search", {"query": "x\0"}, 400, "usage"),
    ("POST", "/v1/search", {"query": "x", "language": ["a\0"]}, 400, "usage"),
    ("POST", "/v1/read", {"filepath": "a\0"}, 400, "usage"),
    ("POST", "/v1/search", {"query": "\ud800"}, 422, "invalid"),
    ("POST", "/v1/search", {"query": "x", "limit": 0}, 422, "invalid"),
    ("POST", "/v1/search", {"query": "x", "limit": True}, 422, "invalid"),
    ("POST", "/v1/search", {"query": "x", "mode": "magic"}, 422, "invalid"),
    ("POST", "/v1/search", {"query": "x", "namespaces": ["NO"]}, 422, "invalid"),
    ("POST", "/v1/search", {"query": "x", "in": ["../.."]}, 400, "usage"),
    ("POST", "/v1/search", ["query"], 422, "invalid"),
    ("POST", "/v1/read", {"filepath": ".env"}, 400, "usage"),
    ("POST", "/v1/read", {"filepath": "/etc/passwd"}, 400, "usage"),
    ("POST", "/v1/read", {"filepath": "src/basket.py", "line_start": 999}, 400, "usage"),
    ("POST", "/v1/db/show", {"name": "nothing"}, 400, "usage"),
    ("GET", "/v1/status?colour=1", None, 422, "invalid"),
    ("GET", "/v1/search", None, 405, "method_not_allowed"),
    ("POST", "/v1/status", {}, 405, "method_not_allowed"),
    ("GET", "/v2/search", None, 404, "not_found"),
    ("GET", "/", None, 404, "not_found"),
)


@pytest.mark.parametrize(("method", "path", "body", "status", "code"), BAD, ids=[f"{one[0]} {one[1]} {str(one[2])[:30]}" for one in BAD])
def test_what_is_wrong_is_refused_in_one_form(team: Team, method: str, path: str, body: Any, status: int, code: str) -> None:
    found = team.bob.ask(method, path, body)
    assert (found.status, found.code) == (status, code)


@pytest.mark.parametrize("raw", [b"", b"{", b'{"query": NaN}', b"\xff\xfe", b"[" * 100_000, b'{"query": "x"} trailing'])
def test_what_is_no_json_is_refused(team: Team, raw: bytes) -> None:
    found = team.bob.ask("POST", "/v1/search", raw=raw)
    assert (found.status, found.code) == (400, "invalid_json")


def test_another_kind_of_body_is_refused(team: Team) -> None:
    found = team.bob.ask("POST", "/v1/search", {"query": "x"}, {"Content-Type": "text/plain"})
    assert (found.status, found.code) == (415, "unsupported_media_type")


def test_health_and_readiness_need_no_token(team: Team) -> None:
    assert team.anybody.get("/healthz").json == {"status": "ok"}
    assert team.anybody.get("/readyz").json == {"status": "ready"}
    described = team.anybody.get("/openapi.json").json
    assert set(described["paths"]) == {*(route.path for route in ROUTES), "/healthz", "/readyz"}
