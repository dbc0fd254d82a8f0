"""Is the tool ask there where a language model is, and does it tell its moves and answer with evidence?"""

from __future__ import annotations

import json
from pathlib import Path

import mcp_types as types
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


class Lent:
    """A client's model that makes these moves, and says when it was asked."""

    def __init__(self, *moves: dict[str, object] | str) -> None:
        self.moves = list(moves)
        self.asked: list[types.CreateMessageRequestParams] = []

    async def __call__(self, context: object, params: types.CreateMessageRequestParams) -> types.CreateMessageResult | types.ErrorData:
        self.asked.append(params)
        move = self.moves.pop(0) if self.moves else "I have said all."
        if move == "refuse":
            return types.ErrorData(code=-1, message="the user said no")
        text = move if isinstance(move, str) else json.dumps(move)
        return types.CreateMessageResult(role="assistant", content=types.TextContent(text=text), model="the-clients-own")


@pytest.mark.parametrize("protocol", ["auto", "legacy"])
def test_the_clients_own_model_reads_with_progress_and_no_key_is_needed(shop: Path, protocol: str) -> None:
    lent = Lent(*MOVES)
    told: list[str] = []
    texts: list[str] = []

    async def heard(done: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async def talk(client: Client) -> None:
        assert "ask" in [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("ask", {"query": "what does the customer have to pay"}, progress_callback=heard)
        assert not result.is_error
        texts.append(result.content[0].text)  # type: ignore[union-attr]

    over_stdio(talk, shop, mode=protocol, sampling_callback=lent)
    assert texts[0].startswith(f"root {shop}\nThe basket sums up its prices [src/basket.py:14-16].")
    assert told[-3:] == ["cat src/basket.py", "note src/basket.py:14-16", "done"]
    assert len(lent.asked) == 3 and "<evidence>" in str(lent.asked[0].messages[0].content)


@pytest.mark.parametrize("reply", ["refuse", "I would rather not."])
def test_a_clients_model_that_is_of_no_use_leaves_the_answer_of_plain_search(shop: Path, reply: str) -> None:
    lent = Lent(*[reply] * 40)

    async def talk(client: Client) -> None:
        text = await said(client, "ask", query="what does the customer have to pay")
        assert "src/basket.py:14-16" in text and "warning: nothing was found by reading" in text

    over_stdio(talk, shop, mode="legacy", sampling_callback=lent)
    assert 1 <= len(lent.asked) <= 15
