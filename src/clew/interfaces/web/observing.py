"""What is seen of requests from outside? Each has a name, is counted and timed, and, where that is asked for, told in a line of the log."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clew.core.visible import to_json
from clew.serving.correlation import REQUEST, named
from clew.serving.journal import now
from clew.serving.measures import Measures

NAME = "X-Request-Id"
WHO = "clew.who"
"""Where a request's scope says who asked, once that is known."""
ELSEWHERE = "other"


class Observed:
    """An application whose requests are observed. `routes` are the paths that are told apart: what else is asked for is one of many."""

    def __init__(self, app: ASGIApp, routes: frozenset[str], measures: Measures | None, *, logs: bool) -> None:
        self._app = app
        self._routes = routes
        self._measures = measures
        self._logs = logs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the application answer, and note how."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name, begun, status = named(Headers(scope=scope).get(NAME)), time.monotonic(), 500
        route = scope["path"] if scope["path"] in self._routes else ELSEWHERE
        scope["clew.seen"] = {}
        REQUEST.set(name)

        async def answered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[NAME] = name
            await send(message)

        telemetry = self._measures.telemetry if self._measures is not None else None
        try:
            with telemetry.span(f"{scope['method']} {route}", {"route": route}) if telemetry is not None else nullcontext():
                await self._app(scope, receive, answered)
        finally:
            self._note(scope, name, route, status, time.monotonic() - begun)

    def _note(self, scope: Scope, name: str, route: str, status: int, seconds: float) -> None:
        if self._measures is not None:
            self._measures.count("clew_requests_total", {"route": route, "status": str(status)})
            self._measures.took("clew_request_seconds", seconds, {"route": route})
        if self._logs:
            who = scope["clew.seen"].get(WHO, "")
            line = {"method": scope["method"], "path": route, "status": status, "seconds": round(seconds, 4), "who": who}
            log("request", {"request": name, **line})


def log(event: str, said: Mapping[str, Any]) -> None:
    """A line of the structured log, on stderr."""
    line = to_json({"time": now(), "event": event, **said})
    if sys.stderr is not None:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
