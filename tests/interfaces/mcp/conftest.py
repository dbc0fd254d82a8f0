"""What do tests of the server share? A project, and the official client on the other side of a real process."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

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


@contextmanager
def listening(folder: Path, *arguments: str) -> Iterator[str]:
    """A server over HTTP, and its address."""
    command = [sys.executable, "-m", "clew", "mcp", *arguments, "--http", "127.0.0.1:0"]
    server = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE)
    assert server.stderr is not None
    try:
        line = server.stderr.readline().decode()
        assert line.startswith("listening on http://127.0.0.1:"), line
        yield line.removeprefix("listening on ").strip()
    finally:
        server.terminate()
        server.communicate(timeout=20)


class Node(NamedTuple):
    """A node program, and the folder whose modules it finds."""

    program: str
    modules: Path

    def run(self, script: Path, *arguments: str, folder: Path) -> str:
        """What a script prints."""
        command = [self.program, str(script), *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()


NODE_PACKAGES = ("@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/inspector-cli@0.15.0")


@pytest.fixture(scope="session")
def node() -> Node:
    """Node with the official client and the inspector, installed once by npm into the machine's temporary folder."""
    path = os.pathsep.join([os.environ.get("PATH", ""), str(Path(sys.executable).parent)])
    program, npm = shutil.which("node", path=path), shutil.which("npm", path=path)
    assert program, "node is part of the extra dev: pip install -e '.[dev]'"
    assert npm
    digest = hashlib.sha256(" ".join(NODE_PACKAGES).encode()).hexdigest()[:8]
    folder = Path(tempfile.gettempdir()) / f"clew-tests-{os.getuid()}-{digest}"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--no-save", "--prefix", str(folder), *NODE_PACKAGES]
            subprocess.run(command, check=True, env={**os.environ, "PATH": path}, timeout=300)
            (folder / "done").touch()
    return Node(program, folder / "node_modules")
