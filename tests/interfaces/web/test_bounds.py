"""Does the server keep to its bounds: of size, time, share, and of who may reach it?"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.interfaces.web.conftest import Asking, Reply, Team, running
from tests.serving.conftest import ROOT

from clew.core.access import Principal
from clew.core.answer import Answer, Question
from clew.errors import UsageError
from clew.interfaces.web.entering import Anybody
from clew.interfaces.web.running import Listening, address, allowed_hosts
from clew.serving import Service
from clew.serving.configured import Serving, configured
from clew.serving.limits import Shares

Starting = Callable[..., Any]


class Held(Service):
    """A service whose searches wait until they are let go."""

    def __init__(self) -> None:
        super().__init__(())
        self.begun = threading.Semaphore(0)
        self.let_go = threading.Event()

    def search(self, who: Principal, question: Question) -> Answer:
        self.begun.release()
        self.let_go.wait()
        return Answer(question.text, "fast")


def test_a_larger_body_is_refused_before_it_is_read_whole(serving: Starting) -> None:
    with serving(body=1_000) as (asking, _):
        assert asking.post("/v1/search", query="x" * 900).status == 200
        found = asking.post("/v1/search", query="x" * 1_000)
        assert (found.status, found.code) == (413, "too_large")
        endless = socket.create_connection(("127.0.0.1", urlsplit(asking.address).port or 0))
        endless.sendall(
            b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + b"800\r\n" + b"x" * 0x800 + b"\r\n"
        )
        assert endless.recv(100).startswith(b"HTTP/1.1 413")
        endless.close()


def test_an_answer_that_takes_too_long_is_not_waited_for() -> None:
    service = Held()
    with running(service, Anybody(ROOT), Serving(requests=10_000, seconds=1, threads=1, waiting=1)) as (asking, web):
        found = asking.post("/v1/search", query="x")
        assert (found.status, found.code) == (504, "timeout")
        assert asking.get("/healthz").status == 200, "the server goes on"
        late = [threading.Thread(target=asking.post, args=("/v1/search",), kwargs={"query": "x"}) for _ in range(1)]
        for one in late:
            one.start()
        while web.work.running < 2:
            threading.Event().wait(0.01)
        busy = asking.post("/v1/search", query="x")
        assert (busy.status, busy.code, busy.headers["retry-after"]) == (503, "busy", "1")
        for one in late:
            one.join()
        service.let_go.set()


def test_a_stop_finishes_what_has_begun() -> None:
    service, replies = Held(), list[Reply]()
    with running(service, Anybody(ROOT), Serving(requests=10_000, drain=60)) as (asking, _):
        late = threading.Thread(target=lambda: replies.append(asking.post("/v1/search", query="x")))
        late.start()
        service.begun.acquire()
        threading.Timer(0.2, service.let_go.set).start()
    late.join()
    assert [one.status for one in replies] == [200]


def test_a_stop_does_not_wait_for_ever() -> None:
    service, faults = Held(), list[Exception]()

    def ask(asking: Asking) -> None:
        try:
            asking.post("/v1/search", query="x")
        except OSError as fault:
            faults.append(fault)

    with running(service, Anybody(ROOT), Serving(requests=10_000, drain=1)) as (asking, _):
        late = threading.Thread(target=ask, args=(asking,))
        late.start()
        service.begun.acquire()
    assert not service.let_go.is_set(), "the server has ended, its question has not"
    service.let_go.set()
    late.join()


def test_a_body_that_does_not_come_is_not_waited_for(serving: Starting) -> None:
    with serving(seconds=1) as (asking, _):
        slow = socket.create_connection(("127.0.0.1", urlsplit(asking.address).port or 0))
        slow.sendall(b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        assert slow.recv(100).startswith(b"HTTP/1.1 408")
        slow.close()


def test_who_asks_too_often_is_told_when_to_ask_again(serving: Starting) -> None:
    with serving(requests=8) as (asking, _):
        assert [asking.get("/v1/namespaces").status for _ in range(3)] == [200, 200, 429]
        found = asking.get("/v1/namespaces")
        assert found.code == "too_many_requests"
        assert 1 <= int(found.headers["retry-after"]) <= 8
        assert asking.get("/healthz").status == 200


def test_shares_fill_again_and_are_each_ones_own() -> None:
    now = [0.0]
    shares = Shares(60, lambda: now[0])
    assert [shares.taken("ann") for _ in range(16)] == [0] * 15 + [1]
    assert shares.taken("bob") == 0
    now[0] = 2.5
    assert [shares.taken("ann") for _ in range(3)] == [0, 0, 1]
    now[0] = 1_000.0
    assert [shares.taken("ann") for _ in range(16)] == [0] * 15 + [1]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "localhost"}, 200),
        ({"Origin": "http://evil.example"}, 421),
        ({"Origin": "null"}, 421),
        ({"Origin": "http://localhost:3000"}, 200),
    ],
)
def test_a_page_of_another_origin_cannot_reach_a_loopback_server(team: Team, headers: dict[str, str], status: int) -> None:
    for path in ("/v1/namespaces",):
        assert team.bob.ask("GET", path, headers=headers).status == status


def test_beyond_this_machine_the_names_count_that_were_given() -> None:
    where = Listening("0.0.0.0", 443)
    assert allowed_hosts(where, ())({"host": "anything"})
    only = allowed_hosts(where, ("clew.example",))
    assert only({"host": "clew.example:443"})
    assert not only({"host": "other.example"})
    assert allowed_hosts(Listening("::1", 80), ())({"host": "[::1]:80"})


@pytest.mark.parametrize("text", ["nowhere", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:http", ""])
def test_an_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="address"):
        address(text)


@pytest.mark.parametrize(
    "table",
    [
        [],
        {"colour": 1},
        {"requests": 0},
        {"requests": "many"},
        {"requests": True},
        {"audit_text": 1},
        {"identity": {}},
        {"identity": {"issuer": "https://id.example", "jwks": "keys.json"}},
        {"identity": {"issuer": "https://id.example", "audience": "clew", "jwks": "k", "role": "king"}},
        {"identity": {"issuer": "https://id.example", "audience": "clew", "jwks": "k", "roles": {"x": "king"}}},
    ],
)
def test_a_setting_that_means_nothing_is_named(table: object) -> None:
    with pytest.raises(UsageError, match="serve"):
        configured(table, "config.toml")


def test_settings_say_the_bounds() -> None:
    made = configured({"requests": 5, "identity": {"issuer": "https://id.example", "audience": "clew", "jwks": "keys.json"}}, "config.toml")
    assert (made.requests, made.seconds) == (5, 30)
    assert made.identity is not None
    assert (made.identity.audience, made.identity.role) == (("clew",), "viewer")
