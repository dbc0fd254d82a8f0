"""How does the server run? Over stdin and stdout until the client goes, or over HTTP until it is told to end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from clew.errors import UsageError
from clew.interfaces.cli.output import note
from clew.interfaces.mcp.projects import Projects
from clew.interfaces.mcp.server import Service

PARENT_S = 2.0
"""How often it is looked whether whoever started the server is still there: its end closes stdin, unless a child of it holds the pipe."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
PATH = "/mcp"


def serve_stdio(given: Sequence[str]) -> None:
    """Serve the client on the other side of stdin and stdout; the process ends with it. Nothing but messages reaches stdout."""
    projects = Projects(given)
    try:
        anyio.run(_stdio, projects)
    finally:
        projects.close()


async def _stdio(projects: Projects) -> None:
    server = Service(projects, client_roots=True).server()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_with_parent, projects)
        tasks.start_soon(_end_by_signal, projects)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _end_with_parent(projects: Projects) -> None:
    parent = os.getppid()
    while os.getppid() == parent:
        await anyio.sleep(PARENT_S)
    _leave(projects, 0)


async def _end_by_signal(projects: Projects) -> None:
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for number in signals:
            _leave(projects, 128 + number)


def _leave(projects: Projects, code: int) -> None:
    """End at once: the thread that waits for a line of stdin cannot be woken."""
    projects.close()
    os._exit(code)


def serve_http(given: Sequence[str], address: str) -> None:
    """Serve any number of clients on a loopback address, or the one that is given, until SIGINT or SIGTERM."""
    import uvicorn

    host, port = _address(address)
    projects = Projects(given)
    app = (
        Service(projects, client_roots=False)
        .server()
        .streamable_http_app(streamable_http_path=PATH, host=host, transport_security=_security(host))
    )
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", access_log=False)
    try:
        listening = config.bind_socket()
    except SystemExit as fault:  # uvicorn has said why
        raise UsageError(f"cannot listen on {address}", "choose another port: --http 127.0.0.1:0 takes a free one") from fault
    listening.listen()  # who reads the address below may connect at once
    if host not in LOOPBACK:
        note("warning: there is no password: whoever reaches this address can search the projects")
    note(f"listening on http://{_shown(host)}:{listening.getsockname()[1]}{PATH}")
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        projects.close()


def _security(host: str) -> TransportSecuritySettings:
    """Only requests to the address itself, and from no page of another origin."""
    names = LOOPBACK if host in LOOPBACK else (host,)
    hosts = [f"{_shown(name)}:*" for name in names]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{one}" for one in hosts])


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _address(text: str) -> tuple[str, int]:
    """HOST:PORT, or a port alone on 127.0.0.1. Raises UsageError."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > 65_535:
        raise UsageError(f"{text!r} is no address", "give HOST:PORT, for example 127.0.0.1:8765")
    if host in ("0.0.0.0", "::"):
        raise UsageError(f"{host} is every address of this machine", "name the one that clients use: requests to any other are refused")
    return host, int(port)
