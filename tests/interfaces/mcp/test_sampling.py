"""Is the client's own model asked, by the official client over a real process, where a tier is asked for by name, and only there?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from tests.interfaces.mcp.conftest import over_stdio, said, write_shop

from clew.assembly import open_engine

QUESTION = "how is the total of a basket worked out"


class Model:
    """A client's model: it chooses the last of what is offered, or says what it is told to."""

    def __init__(self, *replies: str) -> None:
        self.asked: list[types.CreateMessageRequestParams] = []
        self.replies = list(replies)

    async def __call__(self, context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult | types.ErrorData:
        self.asked.append(params)
        last = max(map(int, re.findall(r"^(\d+) ", said_in(params), re.M)))
        text = self.replies.pop(0) if self.replies else f'{{"numbers": [{last}]}}'
        if text == "refuse":
            return types.ErrorData(code=-1, message="the user said no")
        return types.CreateMessageResult(role="assistant", content=types.TextContent(text=text), model="the-clients-own")


def said_in(params: types.CreateMessageRequestParams) -> str:
    return "\n".join(str(getattr(message.content, "text", "")) for message in params.messages)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write_shop(tmp_path / "shop")
    with open_engine(tmp_path / "shop") as engine:
        engine.index()
    return tmp_path / "shop"


@pytest.mark.parametrize("protocol", ["auto", "legacy"])
def test_the_clients_model_chooses_in_mode_standard_and_no_key_is_needed(shop: Path, protocol: str) -> None:
    model = Model()
    texts: list[str] = []

    async def talk(client: Client) -> None:
        texts.append(await said(client, "search", query=QUESTION, mode="standard"))

    over_stdio(talk, shop, str(shop), mode=protocol, sampling_callback=model)
    assert 1 <= len(model.asked) <= 3, texts
    assert "language model" not in texts[0].partition("\n")[0]
    first = model.asked[0]
    assert QUESTION in said_in(first) and "<evidence>" in said_in(first) and "numbers" in (first.system_prompt or "")
    assert first.max_tokens > 0 and "no language model is set" not in texts[0]


@pytest.mark.parametrize(
    ("protocol", "reply"),
    [("legacy", "refuse"), ("legacy", "I would rather not."), ("auto", "I would rather not."), ("auto", '{"numbers": [999]}')],
    ids=["refuses", "talks", "talks, newer protocol", "invents"],
)
def test_a_clients_model_that_is_of_no_use_costs_no_answer(shop: Path, protocol: str, reply: str) -> None:
    model = Model(*[reply] * 9)
    texts: list[str] = []

    async def talk(client: Client) -> None:
        texts.append(await said(client, "search", query=QUESTION, mode="standard"))
        texts.append(await said(client, "search", query=QUESTION, mode="hybrid"))

    over_stdio(talk, shop, str(shop), mode=protocol, sampling_callback=model)
    assert 1 <= len(model.asked) <= 3 and "basket.py" in texts[0] and "basket.py" in texts[1]


def test_auto_and_clients_without_a_model_ask_nothing(shop: Path) -> None:
    model = Model()
    texts: list[str] = []

    async def lending(client: Client) -> None:
        texts.append(await said(client, "search", query=QUESTION))

    async def alone(client: Client) -> None:
        texts.append(await said(client, "search", query=QUESTION, mode="standard"))

    over_stdio(lending, shop, str(shop), sampling_callback=model)
    over_stdio(alone, shop, str(shop))
    assert model.asked == [] and "no language model is set" in texts[1] and "language model" not in texts[0]
