"""How does a request become an answer? Checked from the outside in: its host, its bearer, its share, its size, its fields; then the service is asked."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from clew.core.access import Principal
from clew.core.visible import to_json, visible
from clew.errors import ClewError, UsageError
from clew.interfaces.cli.output import internal
from clew.interfaces.web.agents import Agents
from clew.interfaces.web.bodies import Body
from clew.interfaces.web.entering import Entrance
from clew.interfaces.web.faults import HttpFault, body_of, status_of, too_large, too_many
from clew.interfaces.web.observing import WHO, Observed, log
from clew.interfaces.web.openapi import document
from clew.interfaces.web.routes import ROUTES, Asked
from clew.interfaces.web.work import Work
from clew.serving.configured import Serving
from clew.serving.correlation import REQUEST
from clew.serving.limits import Shares
from clew.serving.measures import Measures
from clew.serving.service import Service
from clew.serving.timing import Timing

JSON = "application/json"
_MOST_FAULTS, _LONGEST_FAULT = 3, 120
"""Fields that a refusal names, and characters of what it says of each."""


Endpoint = Callable[[Request], Awaitable[Response]]


class Web:
    """One server: what it answers with, who may ask, how much."""

    def __init__(
        self,
        service: Service,
        entrance: Entrance,
        serving: Serving,
        hosts: Callable[[Mapping[str, str]], bool],
        measures: Measures | None = None,
        timing: Timing | None = None,
    ) -> None:
        self.service = service
        self.serving = serving
        self.work = Work(serving.threads, serving.waiting)
        self._entrance = entrance
        self._shares = Shares(serving.requests)
        self._is_for_us = hosts
        self._measures = measures
        self._timing = timing
        self.agents = Agents(service, self._done, self._noted, serving.body)
        self._described = to_json(document()).encode()

    def app(self) -> ASGIApp:
        """The application."""
        routes = [Route(one.path, self._guarded(partial(self._answered, one)), methods=[one.method]) for one in ROUTES]
        beside = [
            Route("/openapi.json", self._description, methods=["GET"]),
            Route("/healthz", self._healthy, methods=["GET"]),
            Route("/readyz", self._guarded(self._ready), methods=["GET"]),
        ]
        agents = Route("/mcp", _Endpoint(self._agents))
        metrics = [Route("/metrics", self._guarded(self._metrics), methods=["GET"])] if self.serving.metrics else []
        every = [*routes, *beside, *metrics, agents]
        faults: Any = {HTTPException: self._http_fault}
        inner = Starlette(routes=every, exception_handlers=faults, lifespan=self._lifespan)
        return Observed(inner, frozenset(one.path for one in every), self._measures, logs=self.serving.log)

    def _guarded(self, endpoint: Endpoint) -> Endpoint:
        """The endpoint, whose faults are answers too."""

        async def answered(request: Request) -> Response:
            try:
                return await endpoint(request)
            except Exception as fault:  # noqa: BLE001 - the outermost door of a request
                return await self._fault(request, fault)

        return answered

    async def principal(self, request: Request) -> Principal:
        """Who asks, within their share. Raises HttpFault."""
        if not self._is_for_us(request.headers):
            raise HttpFault(421, "misdirected", "the request is for another server", "ask by the name under which the server was started")
        authorization = request.headers.get("authorization")
        asked = partial(self._entrance.principal, authorization)
        try:
            who = await self.work.done(asked, self.serving.seconds) if self._entrance.is_slow else asked()
        except UsageError as fault:
            raise ClewError(f"nobody can be let in: {fault.message}", fault.hint) from fault  # the server's own, not told to who asks
        request.scope["clew.seen"][WHO] = who.name
        wait = self._shares.taken(who.name)
        if wait:
            raise too_many(wait)
        return who

    async def _answered(self, asked: Asked, request: Request) -> Response:
        end = time.monotonic() + self.serving.seconds
        who = await self.principal(request)
        body = _checked(asked.body, _query(asked.body, request) if asked.method == "GET" else await self._sent(request, end))

        def work() -> bytes:
            body.refuse_nul()
            return to_json(asked.work(self.service, who, body)).encode()

        return Response(await self.work.done(work, max(end - time.monotonic(), 0.001)), media_type=JSON)

    async def _sent(self, request: Request, end: float) -> Any:
        """The JSON of a request's body, which is not read further than it may be."""
        kind = request.headers.get("content-type", JSON).partition(";")[0].strip().lower()
        if kind != JSON:
            raise HttpFault(415, "unsupported_media_type", "the request is not JSON", f"send Content-Type: {JSON}")
        most, parts, size = self.serving.body, [], 0
        try:
            async with asyncio.timeout(max(end - time.monotonic(), 0.001)):
                async for part in request.stream():
                    size += len(part)
                    if size > most:
                        raise too_large(most)
                    parts.append(part)
        except TimeoutError as fault:
            raise HttpFault(408, "timeout", "the request did not arrive in time", "send it in one go") from fault
        except ClientDisconnect as fault:
            raise HttpFault(400, "invalid", "the request ended before its end") from fault
        try:
            return json.loads(b"".join(parts), parse_constant=_no_number)
        except (ValueError, RecursionError) as fault:
            raise HttpFault(400, "invalid_json", "the request is not valid JSON", "send one JSON object in UTF-8") from fault

    async def _description(self, request: Request) -> Response:
        return Response(self._described, media_type=JSON)

    async def _metrics(self, request: Request) -> Response:
        """What Prometheus fetches; for those alone who have a token."""
        await self.principal(request)
        levels = await self.work.done(self.service.levels, self.serving.seconds)
        resting = float(self._timing.resting()) if self._timing is not None else 0.0
        text = (self._measures or Measures()).text({**levels, "clew_provider_resting": resting, "clew_working": float(self.work.running)})
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    def _noted(self, fault: Exception) -> None:
        """Write down where a fault of ours happened, under the name of its request."""
        if self.serving.log:
            log("fault", {"request": REQUEST.get(), "kind": type(fault).__name__})
        internal(fault)

    async def _healthy(self, request: Request) -> Response:
        return Response(b'{"status": "ok"}', media_type=JSON)

    async def _ready(self, request: Request) -> Response:
        await self.work.done(self.service.refuse_unready, self.serving.seconds)
        return Response(b'{"status": "ready"}', media_type=JSON)

    async def _agents(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            who = await self.principal(request)
        except Exception as fault:  # noqa: BLE001 - as above
            await (await self._fault(request, fault))(scope, receive, send)
        else:
            await self.agents.handle(who, scope, receive, send)

    async def _done(self, work: Callable[[], str]) -> str:
        return await self.work.done(work, self.serving.seconds)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        async with self.agents.sessions.run():
            yield

    async def _fault(self, request: Request, fault: Exception) -> Response:
        if not isinstance(fault, ClewError) or status_of(fault) == 500:
            return self._own_fault(fault)
        headers = dict(fault.headers) if isinstance(fault, HttpFault) else {}
        return Response(body_of(fault), status_of(fault), headers, JSON)

    async def _http_fault(self, request: Request, fault: Exception) -> Response:
        status = fault.status_code if isinstance(fault, HTTPException) else 500
        code, said, hint = _OF_HTTP.get(status, ("invalid", "the request cannot be answered", ""))
        headers = tuple((fault.headers or {}).items()) if isinstance(fault, HTTPException) else ()
        return await self._fault(request, HttpFault(status, code, said, hint, headers))

    def _own_fault(self, fault: Exception) -> Response:
        """What went wrong is written down here, and not told to whoever asked."""
        self._noted(fault)
        said = ClewError("a fault of the server", "ask its operator to look into its log")
        return Response(body_of(said), 500, media_type=JSON)


_OF_HTTP = {
    404: ("not_found", "there is nothing at this address", "GET /openapi.json lists what there is"),
    405: ("method_not_allowed", "this address is asked in another way", "GET /openapi.json says how"),
}


class _Endpoint:
    """What answers any method: Starlette gives a function GET alone."""

    def __init__(self, answered: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._answered = answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answered(scope, receive, send)


def _query(kind: type[Body], request: Request) -> dict[str, Any]:
    """A query's parameters; one that may stand there several times is a list."""
    found: dict[str, Any] = {}
    for name, value in parse_qsl(request.url.query, keep_blank_values=True):
        several = name in kind.model_fields and isinstance(kind.model_fields[name].default, tuple)
        found[name] = [*found.get(name, ()), value] if several or name in found else value
    return found


def _checked(kind: type[Body], given: Any) -> Body:
    """The fields of a request. Raises HttpFault 422 naming what is wrong with the first of them."""
    try:
        return kind.model_validate(_as_asked(kind, given))
    except (ValidationError, RecursionError) as fault:
        said = (
            "; ".join(_wrong(one) for one in fault.errors(include_url=False, include_input=False)[:_MOST_FAULTS])
            if isinstance(fault, ValidationError)
            else "too deep"
        )
        raise HttpFault(422, "invalid", f"the request is not as it should be: {said}", "GET /openapi.json says what may be sent") from fault


def _as_asked(kind: type[Body], given: Any) -> Any:
    """JSON has lists where a field is a tuple, and a query has one value where it stands once."""
    if not isinstance(given, dict):
        return given
    found: dict[str, Any] = {}
    for name, value in given.items():
        field = next((one for key, one in kind.model_fields.items() if name == (one.alias or key)), None)
        several = field is not None and isinstance(field.default, tuple)
        whole = int(value) if isinstance(value, float) and value.is_integer() else value  # 1.0 is a whole number in JSON
        found[name] = tuple(whole) if several and isinstance(whole, list) else whole
    return found


def _wrong(error: Any) -> str:
    place = ".".join(map(str, error["loc"])) or "the whole"
    return visible(f"{place[:_LONGEST_FAULT]}: {error['msg'][:_LONGEST_FAULT]}")


def _no_number(text: str) -> Any:
    raise ValueError(text)
