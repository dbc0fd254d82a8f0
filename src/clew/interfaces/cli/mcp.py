"""What does `clew mcp` do? It serves coding agents by the Model Context Protocol until they are done."""

from __future__ import annotations

import click


@click.command
@click.argument("path", nargs=-1)
@click.option(
    "--http", metavar="HOST:PORT", help="Serve over streamable HTTP at /mcp, instead of stdin and stdout. Port 0 takes a free one."
)
def mcp(path: tuple[str, ...], http: str | None) -> int:
    """Serve coding agents by the Model Context Protocol. Each PATH is a project; with none the client's roots count, else the current folder."""
    from clew.interfaces.mcp.serving import serve_http, serve_stdio

    if http is None:
        serve_stdio(path)
    else:
        serve_http(path, http)
    return 0
