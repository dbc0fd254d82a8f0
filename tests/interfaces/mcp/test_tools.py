"""Does every tool do what it says, over a real pipe?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp import Client
from tests.interfaces.mcp.conftest import over_stdio, refused, said

from clew.core.tokens import count_tokens
from clew.errors import UsageError
from clew.interfaces.mcp.tools import TOOLS, checked

MOST_TOKENS = 1_000
"""What an agent pays for the list before it has asked anything."""


def test_the_whole_list_of_tools_costs_less_than_a_thousand_tokens(shop: Path) -> None:
    async def talk(client: Client) -> None:
        listed = (await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True)
        assert [tool["name"] for tool in json.loads(listed)["tools"]] == ["search", "navigate", "schema", "index", "status"]
        assert count_tokens(listed) < MOST_TOKENS

    over_stdio(talk, shop)


def test_every_tool_answers_with_places_under_one_root(shop: Path) -> None:
    async def talk(client: Client) -> None:
        found = await said(client, "search", query="what does the customer have to pay")
        assert found.startswith(f"root {shop}\n")
        assert "src/basket.py:14-16  Basket.total_price\n14      def total_price(" in found
        assert found.count(str(shop)) == 1
        assert "sendConfirmation" in await said(client, "search", query="sendConfirmation", language="javascript", **{"in": "src"})
        symbol = await said(client, "navigate", what="symbol", target="Basket.add_item")
        assert "src/basket.py:10-12  method Basket.add_item\n10      def add_item(" in symbol
        assert "total_price" not in symbol
        outline = await said(client, "navigate", what="outline", target="src/basket.py")
        assert "    14-16       def total_price(self, prices: dict) -> float" in outline
        assert "src/mail.js  sendConfirmation" in await said(client, "navigate", what="outline", target="src")
        lines = await said(client, "navigate", what="read", target="src/basket.py:4-5")
        assert lines == f'root {shop}\nsrc/basket.py\n4  class Basket:\n5      """What a customer has chosen."""'
        assert "3 unchanged" in await said(client, "index")
        assert "complete" in await said(client, "status")

    over_stdio(talk, shop)


def test_what_calls_and_imports_what_is_told_with_its_lines(tmp_path: Path) -> None:
    (tmp_path / "prices.py").write_text("def net(price):\n    return price / 1.19\n\n\ndef both(price):\n    return net(price), price\n")
    (tmp_path / "bill.py").write_text("from prices import net\n\n\ndef bill(items):\n    return [net(item) for item in items]\n")

    async def talk(client: Client) -> None:
        callers = await said(client, "navigate", what="callers", target="net")
        assert callers.startswith(f"root {tmp_path}\n")
        assert "bill.py:5  bill" in callers
        assert "prices.py:6  both" in callers
        assert "bill.py:5  net  prices.py:1" in await said(client, "navigate", what="callees", target="bill")
        assert "bill.py:1  " in await said(client, "navigate", what="importers", target="prices.py")
        assert "nothing imports bill.py" in await said(client, "navigate", what="importers", target="bill.py")
        assert "no callers of bill are known" in await said(client, "navigate", what="callers", target="bill")
        impact = await said(client, "navigate", what="impact", target="net")
        assert "called by:\n  bill.py:5  bill\n  prices.py:6  both\nimported by:\n  bill.py:1  prices net" in impact
        assert "no definition is named nett; the nearest: net" in await said(client, "navigate", what="impact", target="nett")
        related = await said(client, "navigate", what="related", target="bill.py:5")
        assert "calls:\n  bill.py:5  net  prices.py:1" in related
        assert "line 1 of bill.py is in no definition" in await said(client, "navigate", what="related", target="bill.py:1")
        page = await said(client, "navigate", what="map", target=".")
        assert page.startswith(f"root {tmp_path}\n") and "prices.py  1  net, both" in page
        assert count_tokens(await said(client, "navigate", what="map", target=".", max_tokens=100)) <= 100

    over_stdio(talk, tmp_path)


def test_questions_for_a_relation_are_answered_by_the_lines_that_say_it(tmp_path: Path) -> None:
    (tmp_path / "prices.py").write_text("def net(price):\n    return price / 1.19\n\n\ndef both(price):\n    return net(price), price\n")
    (tmp_path / "bill.py").write_text("from prices import net\n\n\ndef bill(items):\n    return [net(item) for item in items]\n")

    async def talk(client: Client) -> None:
        text = await said(client, "search", query="who calls net?")
        assert text == (
            f"root {tmp_path}\nbill.py:4-5  bill\n5      return [net(item) for item in items]\nprices.py:5-6  both\n6      return net(price), price\n\n"
            "net is defined:\n  prices.py:1  def net(price)"
        )
        assert "`navigate callers net`" in await said(client, "search", query="who calls net?", limit=1)
        beside = await said(client, "search", query="both prices", limit=1)
        assert "both calls:\n  prices.py:1  def net(price)" in beside
        assert (
            "navigate" in (client.instructions or "") and "impact" in (client.instructions or "") and "map" in (client.instructions or "")
        )

    over_stdio(talk, tmp_path)


def test_everything_and_folders_have_a_map_and_an_outline(shop: Path) -> None:
    async def talk(client: Client) -> None:
        assert "shop: 3 files (python 1, javascript 1)" in await said(client, "navigate", what="map")
        assert "src: 2 files" in await said(client, "navigate", what="map", target="src")
        assert "src/mail.js  sendConfirmation" in await said(client, "navigate", what="outline")
        assert "no folder" in await refused(client, "navigate", what="map", target="srcs")
        assert "src is a folder" in await refused(client, "navigate", what="importers", target="src")

    over_stdio(talk, shop)


OUTSIDE = ["../../etc/passwd", "/etc/passwd", "src/../../secret", ".env", "kept.log", ".git/config", "src/none.py", "\0", "src"]


def test_nothing_but_the_projects_files_can_be_read(shop: Path) -> None:
    async def talk(client: Client) -> None:
        await said(client, "search", query="Basket")
        for target in OUTSIDE:
            assert "hunter2" not in await refused(client, "navigate", what="read", target=target)
        assert "outside" in await refused(client, "search", query="root", **{"in": "/etc"})
        assert "hunter2" not in await said(client, "search", query="TOKEN hunter2")

    over_stdio(talk, shop)


def test_a_wrong_call_is_told_what_to_do_and_the_next_one_is_answered(shop: Path) -> None:
    async def talk(client: Client) -> None:
        assert "it takes query, limit" in await refused(client, "search", question="x")
        assert "needs the argument 'query'" in await refused(client, "search")
        assert "a whole number" in await refused(client, "search", query="x", limit="many")
        assert "from 1 to 100" in await refused(client, "search", query="x", limit=0)
        assert await refused(client, "search", query="   ") == "query is empty\nask in words, or with a name, a path, an error message"
        assert "navigate callers needs a target" in await refused(client, "navigate", what="callers")
        assert "navigate read needs a target" in await refused(client, "navigate", what="read", target=" ")
        assert "one of symbol, callers, callees, importers, impact, related, map, outline, read" in await refused(
            client, "navigate", what="up", target="x"
        )
        assert str(shop) in await refused(client, "search", query="x", root="/nowhere")
        assert "the tools are search" in await refused(client, "grep", query="x")
        assert "no definition is named Baskett; the nearest: Basket" in await said(client, "navigate", what="symbol", target="Baskett")
        assert "Basket" in await said(client, "search", query="Basket")

    over_stdio(talk, shop)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_schema_and_the_check_of_each_argument_agree(tool: object) -> None:
    for one in TOOLS:
        for name, schema in one.arguments.items():
            given = {required: "x" for required in one.required if required != "what"}
            given |= {"what": "read"} if "what" in one.required else {}
            with pytest.raises(UsageError, match=f"{name} cannot be"):
                checked(one.name, {**given, name: ["wrong"]})
            if "default" in schema:
                assert checked(one.name, {**given, name: schema["default"]})[name] == schema["default"]
