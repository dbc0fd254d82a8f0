"""What do tests of the server share? A server in a thread, on a socket of this machine, with a token for each role."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.serving.conftest import ANN, BOB, ROOT, Served, served

from clew.access import Audit
from clew.assembly import open_service
from clew.core.access import Principal
from clew.core.credentials import Credential
from clew.errors import ClewError
from clew.interfaces.web.app import Web
from clew.interfaces.web.entering import Anybody, Bearers, Entrance
from clew.interfaces.web.running import Listening, allowed_hosts, serve
from clew.serving.configured import Serving
from clew.serving.service import Service
from clew.stores.tokens import TokenFile

__all__ = ["served"]


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    @property
    def code(self) -> str:
        """That of the fault, which has the one form of all faults."""
        assert set(self.json) == {"error"}
        assert set(self.json["error"]) == {"code", "message", "hint"}
        return str(self.json["error"]["code"])


@dataclass(frozen=True)
class Asking:
    """Somebody who asks a server."""

    address: str
    token: str = ""

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, raw: bytes | None = None) -> Reply:
        """One request, on a connection of its own."""
        connection = HTTPConnection(urlsplit(self.address).netloc, timeout=30)
        said = {"Content-Type": "application/json", **({"Authorization": f"Bearer {self.token}"} if self.token else {}), **(headers or {})}
        try:
            connection.request(method, path, raw if raw is not None else None if body is None else json.dumps(body), said)
            answer = connection.getresponse()
            return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def post(self, path: str, **body: Any) -> Reply:
        return self.ask("POST", path, body)

    def get(self, path: str) -> Reply:
        return self.ask("GET", path)

    def named(self, token: str) -> Asking:
        return replace(self, token=token)


@contextmanager
def running(
    service: Service, entrance: Entrance, serving: Serving | None = None, where: Listening | None = None, **observed: Any
) -> Iterator[tuple[Asking, Web]]:
    """A server in a thread; it is stopped as by a signal."""
    serving = serving or Serving(requests=1_000_000)
    where = where or Listening("127.0.0.1", 0)
    web = Web(service, entrance, serving, allowed_hosts(where, serving.hosts), **observed)
    there, servers, addresses, faults = threading.Event(), [], [], []

    def ready(server: Any, address: str) -> None:
        servers.append(server)
        addresses.append(address)
        there.set()

    def run() -> None:
        try:
            serve(web, where, ready)
        except ClewError as fault:
            faults.append(fault)
            there.set()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        there.wait()
        if faults:
            raise faults[0]
        yield Asking(addresses[0]), web
    finally:
        for server in servers:
            server.should_exit = True
        thread.join()


@dataclass(frozen=True)
class Team:
    """A running server, those who may ask it, and its parts."""

    anybody: Asking
    ann: Asking
    bob: Asking
    root: Asking
    tokens: TokenFile
    served: Served
    web: Web


def token_for(tokens: TokenFile, who: Principal, **others: Any) -> str:
    """A token whose bearer this is."""
    permissions = None if who.permissions is None else tuple(who.permissions)
    namespaces = None if who.namespaces is None else tuple(who.namespaces)
    return tokens.create(Credential("", who.name, "", who.role, tuple(who.teams), namespaces, permissions, **others))[1]


@pytest.fixture(scope="session")
def team(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """A server with two projects, and a token for each of three."""
    tokens = TokenFile(tmp_path_factory.mktemp("tokens") / "tokens.json")
    made = [token_for(tokens, who) for who in (ANN, BOB, ROOT)]
    with open_service([served.open, served.hidden], hides_places=True) as service, running(service, Bearers(tokens)) as (asking, web):
        yield Team(asking, *map(asking.named, made), tokens, served, web)


@pytest.fixture
def serving(served: Served) -> Callable[..., Any]:
    """A server of one's own."""

    @contextmanager
    def started(entrance: Entrance | None = None, audit: Audit | None = None, folder: Path | None = None, **bounds: Any) -> Iterator[Any]:
        bounded = Serving(**{"requests": 1_000_000, **bounds})
        opened = open_service([folder or served.open], audit, hides_places=True)
        with opened as service, running(service, entrance or Anybody(ROOT), bounded) as (asking, web):
            yield asking, web

    return started
