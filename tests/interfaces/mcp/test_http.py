"""Does the server answer over HTTP, and only to those who may ask?"""

from __future__ import annotations

import json
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest
from mcp import Client
from tests.interfaces.mcp.conftest import listening, refused, said

MESSAGE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "probe", "version": "0"}},
}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_answers_several_clients_over_http(shop: Path, mode: str) -> None:
    async def talk(address: str) -> None:
        async with Client(address, mode=mode) as one, Client(address, mode=mode) as other:
            assert "Basket.total_price" in await said(one, "search", query="what does the customer have to pay")
            assert "class Basket" in await said(other, "navigate", what="outline", target="src/basket.py")
            assert "class Basket" in await said(one, "navigate", what="read", target="src/basket.py:4")
            assert "Basket.add_item" in await said(one, "navigate", what="symbol", target="add_item")
            assert "unchanged" in await said(other, "index")
            assert "complete" in await said(one, "status")
            assert "outside" in await refused(one, "navigate", what="read", target="../x")

    with listening(shop) as address:
        anyio.run(talk, address)


HEADERS = [
    ({}, 200),
    ({"Host": "evil.example"}, 421),
    ({"Origin": "http://evil.example"}, 403),
    ({"Origin": "http://localhost:3000"}, 200),
]


def test_pages_of_other_origins_and_other_names_of_this_machine_are_refused(shop: Path) -> None:
    with listening(shop) as address:
        for headers, expected in HEADERS:
            connection = HTTPConnection(urlsplit(address).netloc)
            whole = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
            connection.request("POST", urlsplit(address).path, json.dumps(MESSAGE), whole)
            assert connection.getresponse().status == expected
            connection.close()


@pytest.mark.parametrize("address", ["nowhere", "0.0.0.0:80", "127.0.0.1:99999", "[::]:1"])
def test_an_address_that_cannot_be_served_is_named(shop: Path, address: str) -> None:
    done = subprocess.run([sys.executable, "-m", "clew", "mcp", "--http", address], cwd=shop, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"address" in done.stderr
