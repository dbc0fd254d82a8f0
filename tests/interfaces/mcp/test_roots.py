"""Which projects are asked: those of the command line, those that the client names, or the current folder?"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from tests.interfaces.mcp.conftest import over_stdio, refused, said, write_shop


def naming(folders: list[Path]) -> Callable[[Any], Awaitable[types.ListRootsResult]]:
    """What a client answers when it is asked for its roots; the list may change."""

    async def roots(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root.model_validate({"uri": folder.as_uri()}) for folder in folders])

    return roots


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """A shop, and a project beside it."""
    write_shop(tmp_path / "shop")
    other = tmp_path / "my tools"
    (other / "lib").mkdir(parents=True)
    (other / "lib" / "prices.py").write_text(
        'def round_price(price):\n    """Round what the customer has to pay."""\n    return round(price, 2)\n'
    )
    (other / "notes.py").write_text("def note_down(text):\n    return text\n")
    return tmp_path / "shop", other


def test_one_question_is_answered_from_several_projects_each_under_its_root(two: tuple[Path, Path]) -> None:
    shop, other = two

    async def talk(client: Client) -> None:
        both = await said(client, "search", query="what does the customer have to pay", limit=4)
        assert both.count("root ") == 2
        assert f"root {shop}\n" in both
        assert f"root {other}\n" in both
        one = await said(client, "search", query="price", root="my tools")
        assert "prices.py" in one
        assert str(shop) not in one
        assert f"root {other}" in await said(client, "navigate", what="read", target="lib/prices.py")
        assert "round_price" in await said(client, "navigate", what="symbol", target="round_price", root=str(other / "lib"))
        assert (await said(client, "status")).count("project  ") == 2
        assert str(other) in await refused(client, "search", query="price", root="elsewhere")

    over_stdio(talk, shop.parent, str(shop), str(other))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_clients_roots_count_where_the_command_line_names_none(two: tuple[Path, Path], tmp_path: Path, mode: str) -> None:
    shop, other = two
    elsewhere = tmp_path / "empty"
    elsewhere.mkdir()

    async def talk(client: Client) -> None:
        found = await said(client, "search", query="round price")
        assert found.startswith(f"root {other}\n")
        assert str(shop) not in await said(client, "search", query="total price of the basket")
        assert "outside" in await refused(client, "navigate", what="read", target=str(shop / "src" / "basket.py"))

    over_stdio(talk, elsewhere, mode=mode, list_roots_callback=naming([other, tmp_path / "gone"]))


def test_roots_that_change_are_asked_for_again(two: tuple[Path, Path]) -> None:
    shop, other = two
    named = [shop]

    async def talk(client: Client) -> None:
        assert (await said(client, "search", query="price")).startswith(f"root {shop}\n")
        named[:] = [other]
        await client.session.send_roots_list_changed()
        assert (await said(client, "search", query="price")).startswith(f"root {other}\n")

    over_stdio(talk, shop.parent, mode="legacy", list_roots_callback=naming(named))


def test_a_root_inside_a_project_shows_nothing_of_the_rest(two: tuple[Path, Path]) -> None:
    _, other = two

    async def index_whole(client: Client) -> None:
        await said(client, "index")

    over_stdio(index_whole, other, str(other))

    async def talk(client: Client) -> None:
        assert "lib/prices.py" in await said(client, "search", query="round price")
        for query in ("note_down", "notes.py", "text"):
            assert "note_down" not in await said(client, "search", query=query)
        assert "note_down" not in await said(client, "search", query="note_down", **{"in": "*.py"})
        assert "note_down" not in await said(client, "search", query="note_down", **{"in": "notes.py"})
        assert "outside" in await refused(client, "navigate", what="read", target="notes.py")
        assert "outside" in await refused(client, "navigate", what="outline", target="notes.py")
        assert "notes" not in await said(client, "navigate", what="outline", target="lib")

    over_stdio(talk, other.parent, list_roots_callback=naming([other / "lib"]))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_roots_that_are_no_folders_here_leave_the_current_one(two: tuple[Path, Path], mode: str) -> None:
    async def talk(client: Client) -> None:
        assert (await said(client, "search", query="price")).startswith(f"root {two[0]}\n")

    over_stdio(talk, two[0], mode=mode, list_roots_callback=naming([two[0] / "gone"]))
