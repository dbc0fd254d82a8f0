"""Is the tool ask there where a language model is, and does it tell its moves and answer with evidence?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp import Client
from tests.interfaces.mcp.conftest import over_stdio, said
from tests.language_server import Conversation, language_server

from clew.core.tokens import count_tokens

MOVES = (
    {"action": "cat", "target": "src/basket.py"},
    {"action": "note", "target": "src/basket.py", "line_start": 14, "line_end": 16, "text": "sums up the prices"},
    {"action": "done", "text": "The basket sums up its prices [1]."},
)
MOST_TOKENS = 1_000


def use(server: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LLM", "any:small")
    monkeypatch.setenv("CLEW_LLM_URL", server.address)


def test_it_is_listed_where_a_model_is_set_up_and_the_list_stays_small(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lists: list[str] = []

    async def talk(client: Client) -> None:
        lists.append((await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True))

    over_stdio(talk, shop)
    with language_server() as server:
        use(server, monkeypatch)
        over_stdio(talk, shop)
        assert not server.requests, "listing tools asks no model"
    without, with_model = lists
    assert "ask" not in [tool["name"] for tool in json.loads(without)["tools"]]
    assert "ask" in [tool["name"] for tool in json.loads(with_model)["tools"]]
    assert count_tokens(with_model) < MOST_TOKENS


def test_it_answers_with_evidence_and_tells_each_move_as_progress(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    async def heard(done: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async def talk(client: Client) -> None:
        result = await client.call_tool("ask", {"query": "what does the customer have to pay"}, progress_callback=heard)
        assert not result.is_error
        text = result.content[0].text  # type: ignore[union-attr]
        assert text.startswith(f"root {shop}\nThe basket sums up its prices [src/basket.py:14-16].")
        assert "  src/basket.py:14-16  sums up the prices" in text

    with language_server(*MOVES) as server:
        use(server, monkeypatch)
        over_stdio(talk, shop)
    assert told[-3:] == ["cat src/basket.py", "note src/basket.py:14-16", "done"], "after how far the index was, where it was being made"


def test_without_a_model_it_answers_as_search_does_and_says_so(shop: Path) -> None:
    async def talk(client: Client) -> None:
        text = await said(client, "ask", query="what does the customer have to pay")
        assert "src/basket.py:14-16" in text
        assert "warning: answered as mode hybrid answers: no language model is set" in text

    over_stdio(talk, shop)
