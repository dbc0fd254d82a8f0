"""Do agents get through MCP what their principal may see, and nothing else?"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.interfaces.mcp.conftest import refused, said
from tests.interfaces.web.conftest import Asking, Team

Talk = Callable[[Client], Awaitable[None]]


def talked(asking: Asking, talk: Talk, mode: str = "auto") -> None:
    """Have the official client talk to the server, with the token of whoever asks."""

    async def whole() -> None:
        async with connected(asking, mode) as client:
            await talk(client)

    anyio.run(whole)


@asynccontextmanager
async def connected(asking: Asking, mode: str = "auto") -> Any:
    headers = {"Authorization": f"Bearer {asking.token}"}
    async with (
        httpx_client(headers) as http,
        Client(streamable_http_client(f"{asking.address}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


def httpx_client(headers: dict[str, str]) -> Any:
    return httpx.AsyncClient(headers=headers, timeout=30)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_answers(team: Team, mode: str) -> None:
    async def talk(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["search", "navigate", "schema", "status"]
        found = await said(client, "search", query="what does the customer have to pay")
        assert found.startswith(f"root {team.served.open_name}\n")
        assert "Basket.total_price" in found
        assert "class Basket" in await said(client, "navigate", what="outline", target="src/basket.py")
        assert "src/checkout.py  pay" in await said(client, "navigate", what="outline", target="src")
        assert "class Basket" in await said(client, "navigate", what="read", target="src/basket.py:4")
        assert "Basket.add_item" in await said(client, "navigate", what="symbol", target="add_item")
        assert "src/checkout.py:6" in await said(client, "navigate", what="callers", target="total_price")
        assert "src/checkout.py" in await said(client, "navigate", what="importers", target="src/basket.py")
        assert "src/checkout.py" in await said(client, "navigate", what="impact", target="Basket")
        assert "total_price" in await said(client, "navigate", what="related", target="src/checkout.py:6")
        assert "src/" in await said(client, "navigate", what="map")
        assert "CREATE TABLE" in await said(client, "schema", query="orders of a customer")
        assert "cty" in await said(client, "schema", query="SELECT cty FROM customers")
        assert "complete" in await said(client, "status")
        assert "not in the index" in await refused(client, "navigate", what="importers", target="no.py")
        assert "not in the index" in await refused(client, "navigate", what="read", target=".env")
        assert "no path inside" in await refused(client, "navigate", what="read", target="../x")
        assert "no tool" in await refused(client, "index")

    talked(team.bob, talk, mode)


def test_each_is_answered_from_what_is_theirs(team: Team) -> None:
    answers = []

    async def of_bob(client: Client) -> None:
        assert "launch_rocket" not in await said(client, "search", query="launch_rocket")
        for name in (team.served.hidden_name, "s" * len(team.served.hidden_name)):
            for tool, arguments in (("search", {"query": "x"}), ("navigate", {"what": "map"}), ("schema", {"query": "x"}), ("status", {})):
                answers.append((tool, (await refused(client, tool, root=name, **arguments)).replace(name, "NAME")))

    async def of_ann(client: Client) -> None:
        found = await said(client, "search", query="launch_rocket, total_price")
        assert f"root {team.served.hidden_name}" in found
        assert "1 files" in await said(client, "navigate", what="map", root=team.served.hidden_name)
        assert "several namespaces could be meant" in await refused(client, "navigate", what="map")

    talked(team.bob, of_bob)
    talked(team.ann, of_ann)
    assert answers[:4] == answers[4:]


def test_resources_and_prompts_are_those_of_every_client(team: Team) -> None:
    async def talk(client: Client) -> None:
        for uri, expected in (("clew://status", "complete"), ("clew://map", "src/"), ("clew://outline/src/basket.py", "class Basket")):
            (content,) = (await client.read_resource(uri)).contents
            assert expected in content.text
        assert len((await client.list_prompts()).prompts) == 3

    talked(team.bob, talk)


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_nobody_talks_without_a_token(team: Team, method: str) -> None:
    found = team.anybody.ask(method, "/mcp", {})
    assert (found.status, found.code) == (401, "unauthenticated")
    assert team.bob.ask(method, "/mcp", {}, {"Host": "evil.example"}).status == 421
    assert team.bob.ask(method, "/mcp", {}, {"Origin": "http://evil.example"}).status == 421
