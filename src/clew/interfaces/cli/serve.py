"""What does `clew serve` do? It answers a team over HTTP, each from what is theirs, until it is told to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clew.errors import MissingExtra, UsageError
from clew.interfaces.cli.options import tokens_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command
@click.argument("path", nargs=-1)
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:8765",
    show_default="127.0.0.1:8765",
    help="Where to listen. Port 0 takes a free one.",
)
@click.option(
    "--auth/--no-auth",
    default=None,
    help="Ask for tokens. Without, the user of this machine asks, and only this machine may.  [default: where there are tokens]",
)
@tokens_option
@click.option("--tls-cert", metavar="FILE", help="The certificate to serve by TLS with.")
@click.option("--tls-key", metavar="FILE", help="Its key.")
@click.option("--proxy", metavar="ADDRESS", multiple=True, help="Believe a proxy at this address what it says of clients. May be repeated.")
@click.option("--host", metavar="NAME", multiple=True, help="Answer requests to this name alone. May be repeated.")
def serve(
    path: tuple[str, ...],
    listen: str,
    auth: bool | None,
    tokens: Path | None,
    tls_cert: str | None,
    tls_key: str | None,
    proxy: tuple[str, ...],
    host: tuple[str, ...],
) -> int:
    """Answer a team over HTTP: /v1/search and its like, described at /openapi.json, and MCP at /mcp. Each PATH is a project (default: the one here).

    Who may ask what is said by namespaces and tokens: `clew namespace`, `clew token`. Beyond this machine it listens only with tokens. SIGTERM ends it,
    after what it has begun.
    """
    try:
        from clew.interfaces.web.starting import start
    except ImportError as fault:
        raise MissingExtra(f"clew serve needs {fault.name}", "pip install 'clew[serve]'") from fault
    if bool(tls_cert) != bool(tls_key):
        raise UsageError("a certificate and its key go together", "give both --tls-cert and --tls-key")
    start(
        path or (".",), listen, auth=auth, tokens=tokens, certificate=tls_cert or "", key=tls_key or "", proxies=",".join(proxy), hosts=host
    )
    return 0
