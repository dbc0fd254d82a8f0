"""What do tests of the command line share? A small project and a way to run clew."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clew.interfaces.cli.main import main

SHOP = '''"""A shop."""


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


class Done(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON value that it is."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Standard output as a JSON value a line."""
        return [json.loads(line) for line in self.out.split("\n") if line]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two sources, no git, no index; it is the current folder."""
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "web").mkdir()
    (root / "src" / "basket.py").write_text(SHOP)
    (root / "web" / "mail.js").write_text(MAIL)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def clew(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Run a command line in this process."""

    def run(*arguments: object, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsysbinary.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return Done(code, out.decode("utf-8"), err.decode("utf-8"))

    return run


@pytest.fixture
def process() -> Callable[..., Done]:
    """Run a command line in a process of its own, as a shell would."""

    def run(*arguments: object, environment: dict[str, str] | None = None, stdin: bytes = b"") -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "clew", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            env={**os.environ, **(environment or {})},
            check=False,
        )
        return Done(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    return run
