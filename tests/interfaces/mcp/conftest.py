"""What do tests of the server share? A project, and the official client on the other side of a real process."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

Talk = Callable[[Client], Awaitable[None]]


def server_of(folder: Path, *arguments: str) -> StdioServerParameters:
    """How a client starts the server: as a process of its own, in a folder."""
    return StdioServerParameters(command=sys.executable, args=["-m", "clew", "mcp", *arguments], env=dict(os.environ), cwd=str(folder))


@asynccontextmanager
async def connected(folder: Path, arguments: Sequence[str] = (), **options: Any) -> AsyncIterator[Client]:
    """The official client, connected over stdio."""
    async with Client(server_of(folder, *arguments), **options) as client:
        yield client


def over_stdio(talk: Talk, folder: Path, *arguments: str, **options: Any) -> None:
    """Have a talk with a server that ends with it."""

    async def whole() -> None:
        async with connected(folder, arguments, **options) as client:
            await talk(client)

    anyio.run(whole)


async def said(client: Client, tool: str, /, **arguments: Any) -> str:
    """The text of an answer that is no error."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return only_text(result)


async def refused(client: Client, tool: str, /, **arguments: Any) -> str:
    """The text of an answer that is an error."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return only_text(result)


def only_text(result: Any) -> str:
    """The one text that an answer consists of, sent once."""
    assert result.structured_content is None
    (content,) = result.content
    text: str = content.text
    return text


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small project that tests only read."""
    root = tmp_path_factory.mktemp("projects") / "shop"
    write_shop(root)
    return root


def write_shop(root: Path) -> None:
    """Two sources, a file with a secret, one that is ignored."""
    (root / "src").mkdir(parents=True)
    (root / "src" / "basket.py").write_text(BASKET)
    (root / "src" / "mail.js").write_text(MAIL)
    (root / ".env").write_text("TOKEN=hunter2\n")
    (root / "kept.log").write_text("not for you\n")
    (root / ".gitignore").write_text("*.log\n")


BASKET = '''"""A shop."""


class Basket:
    """What a customer has chosen."""

    def __init__(self) -> None:
        self.items = []

    def add_item(self, article: str, count: int = 1) -> None:
        """Put an article into the basket."""
        self.items.append((article, count))

    def total_price(self, prices: dict) -> float:
        """Sum up what the customer has to pay, taxes included."""
        return sum(prices[article] * count for article, count in self.items) * 1.19
'''
MAIL = """// Sends the confirmation of an order by e-mail.
export function sendConfirmation(order) {
  const text = renderTemplate("confirmation", order);
  return smtp.deliver(order.customer.email, text);
}
"""
