"""Do clients that others have written find every tool: the official one for TypeScript, and the inspector's command line?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.mcp.conftest import Node, listening

DRIVE = Path(__file__).with_name("drive.mjs")
SERVER = (sys.executable, "-m", "clew", "mcp")


def check(said: dict[str, Any], shop: Path) -> None:
    """What each tool, resource and prompt must have said."""
    assert said["tools"] == ["search", "navigate", "schema", "index", "status"]
    assert "search, in words" in said["instructions"]
    texts = {name: answer["text"] for name, answer in said.items() if isinstance(answer, dict)}
    assert texts["search"].startswith(f"root {shop}\nsrc/basket.py:14-16  Basket.total_price\n")
    assert "src/mail.js:1-5  function sendConfirmation" in texts["symbol"]
    assert "class Basket" in texts["outline"]
    assert texts["read"] == f"root {shop}\nsrc/mail.js\n2  export function sendConfirmation(order) {{"
    assert "unchanged" in texts["index"]
    assert "complete" in texts["status"]
    assert "from 1 to 100" in texts["wrong"]
    assert "database" in texts["schema"]  # there is none in this project
    for name, answer in said.items():
        if isinstance(answer, dict):
            assert (answer["parts"], answer["structured"], answer["error"]) == (1, False, name in ("wrong", "schema"))
    assert (said["resources"], said["templates"]) == (["clew://status", "clew://map"], ["clew://outline/{+path}", "clew://map/{+path}"])
    assert "sendConfirmation" in said["resource"]
    assert "shop: 3 files" in said["page"]
    assert "src/mail.js:1-5  sendConfirmation" in texts["calls"]
    assert "shop: 3 files" in texts["map"]
    assert said["prompts"] == ["find", "explain", "before-changing"]
    assert "the basket" in said["prompt"]


def test_the_typescript_client_drives_every_tool_over_stdio(shop: Path, node: Node) -> None:
    check(json.loads(node.run(DRIVE, str(node.modules), "stdio", *SERVER, folder=shop)), shop)


def test_the_typescript_client_drives_every_tool_over_http(shop: Path, node: Node) -> None:
    with listening(shop) as address:
        check(json.loads(node.run(DRIVE, str(node.modules), "http", address, folder=shop)), shop)


CALLS = {
    "search": ["query=sendConfirmation", "limit=2"],
    "navigate": ["what=map"],
    "schema": ["query=orders"],
    "index": ["rebuild=false"],
    "status": [],
}


def test_the_inspector_lists_and_calls_every_tool(shop: Path, node: Node) -> None:
    inspector = node.modules / ".bin" / "mcp-inspector-cli"
    with listening(shop) as address:
        ask = (address, "--transport", "http")
        listed = json.loads(node.run(inspector, "--cli", *ask, "--method", "tools/list", folder=shop))
        assert [tool["name"] for tool in listed["tools"]] == list(CALLS)
        for tool, values in CALLS.items():
            arguments = [part for value in values for part in ("--tool-arg", value)]
            called = json.loads(node.run(inspector, "--cli", *ask, "--method", "tools/call", "--tool-name", tool, *arguments, folder=shop))
            assert called.get("isError", False) == (tool == "schema")  # which says that this project has no database
            assert ("database" if tool == "schema" else str(shop)) in called["content"][0]["text"]


def test_the_inspector_starts_a_server_of_its_own(shop: Path, node: Node) -> None:
    inspector = node.modules / ".bin" / "mcp-inspector-cli"
    called = node.run(
        inspector, "--cli", *SERVER, "--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=total price", folder=shop
    )
    assert "Basket.total_price" in json.loads(called)["content"][0]["text"]


@pytest.mark.parametrize("prompt", ["find", "before-changing"])
def test_a_prompt_without_its_argument_is_refused_by_name(shop: Path, node: Node, prompt: str) -> None:
    inspector = node.modules / ".bin" / "mcp-inspector-cli"
    with pytest.raises(AssertionError, match=f"the prompt {prompt} needs"):
        node.run(inspector, "--cli", *SERVER, "--method", "prompts/get", "--prompt-name", prompt, folder=shop)
