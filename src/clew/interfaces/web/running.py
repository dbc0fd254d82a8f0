"""How does the server run? It listens where only those can reach it who may, until it is told to stop, and then finishes what it has begun."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import ssl
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import uvicorn

from clew.core.visible import visible
from clew.errors import UsageError
from clew.interfaces.cli.output import note
from clew.interfaces.web.app import Web

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")
LAST_S = 2.0
"""What is still at work when a stop has waited long enough is given so much longer to be given up on."""


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a server listens: at `host`:`port`, by TLS where there are `certificate` and `key`, behind `proxies` whose word about the client is believed."""

    host: str
    port: int
    certificate: str = ""
    key: str = ""
    proxies: str = ""

    @property
    def is_loopback(self) -> bool:
        """Whether this machine alone reaches it."""
        return self.host in LOOPBACK


def address(text: str) -> tuple[str, int]:
    """HOST:PORT, or a port alone on 127.0.0.1. Raises UsageError."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65_535:
        raise UsageError(f"{text!r} is no address", "give HOST:PORT, for example 127.0.0.1:8765")
    return host.strip("[]") or "127.0.0.1", int(port)


def allowed_hosts(where: Listening, named: tuple[str, ...]) -> Callable[[Mapping[str, str]], bool]:
    """Whether a request's Host and Origin are ours: on a loopback address only its own names, so that no page of another origin can reach it by
    a name that it made lead here; else those that are named, or any."""
    names = frozenset(named) or (frozenset(LOOPBACK) if where.is_loopback else frozenset())

    def is_for_us(headers: Mapping[str, str]) -> bool:
        if not names:
            return True
        origin = headers.get("origin", "")
        return _name(headers.get("host", "")) in names and (not origin or _name(origin.partition("://")[2]) in names)

    return is_for_us


def _name(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


class _Server(uvicorn.Server):
    """Ends when it is told to, and returns, where uvicorn's own would have the signal end the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        former = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS} if _in_main_thread() else {}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def _in_main_thread() -> bool:
    import threading

    return threading.current_thread() is threading.main_thread()


def serve(web: Web, where: Listening, ready: Callable[[uvicorn.Server, str], None] | None = None) -> None:
    """Serve until SIGINT or SIGTERM. `ready` is told the address, once it can be connected to. Raises UsageError for what cannot be listened at."""
    config = uvicorn.Config(
        web.app(),
        host=where.host,
        port=where.port,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=bool(where.proxies),
        forwarded_allow_ips=where.proxies or None,
        timeout_graceful_shutdown=web.serving.drain,
        limit_concurrency=None,
        ssl_certfile=where.certificate or None,
        ssl_keyfile=where.key or None,
        ws="none",
    )
    _load(config, where)
    try:
        listening = config.bind_socket()
    except (SystemExit, OSError) as fault:
        raise UsageError(
            f"cannot listen on {shown(where.host)}:{where.port}", "choose another address: --listen 127.0.0.1:0 takes a free port"
        ) from fault
    listening.listen(config.backlog)
    at = f"http{'s' if where.certificate else ''}://{shown(where.host)}:{listening.getsockname()[1]}"
    server = _Server(config)
    note(f"listening on {at}")
    if ready is not None:
        ready(server, at)
    try:
        asyncio.run(server.serve(sockets=[listening]))
    finally:
        listening.close()
        if not web.work.close(LAST_S) and _in_main_thread():
            note("clew: some questions were given up on: they took longer than a stop may")
            _flush()
            os._exit(0)  # threads at work cannot be ended otherwise, and the interpreter would wait for them


def _load(config: uvicorn.Config, where: Listening) -> None:
    """Read certificate and key now, so that what is wrong with them is said in a line."""
    try:
        config.load()
    except (OSError, ssl.SSLError, ValueError) as fault:
        raise UsageError(
            f"the certificate {visible(where.certificate)} cannot be used: {getattr(fault, 'strerror', '') or fault}",
            "give a PEM certificate with --tls-cert and its unencrypted key with --tls-key",
        ) from fault


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def shown(host: str) -> str:
    """A host as it stands in an address."""
    return f"[{host}]" if ":" in host else host
