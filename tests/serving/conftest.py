"""What do tests of what a server answers share? Two projects that lie here, and a store whose projects are elsewhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from clew import open_databases, open_engine
from clew.access import to_facts
from clew.assembly import open_namespaces
from clew.core.access import NamespaceRecord, Principal

ANN = Principal("ann", "developer", frozenset({"red"}))
BOB = Principal("bob", "viewer")
ROOT = Principal("root", "admin")

BASKET = '''"""A shop."""


class Basket:
    """What a customer has chosen."""

    def add_item(self, article: str, count: int = 1) -> None:
        """Put an article into the basket."""
        self.items.append((article, count))

    def total_price(self, prices: dict) -> float:
        """Sum up what the customer has to pay, taxes included."""
        return sum(prices[article] * count for article, count in self.items) * 1.19
'''
CHECKOUT = '''from basket import Basket


def pay(basket: Basket, prices: dict) -> float:
    """Charge the customer."""
    return basket.total_price(prices)
'''
SECRET = '''def launch_rocket(code: str) -> None:
    """Start the rocket; nobody may know."""
    ignite(code)
'''


class Served(NamedTuple):
    """Two folders, and the names of their namespaces: one that everybody sees, and one of Ann's."""

    open: Path
    hidden: Path
    open_name: str
    hidden_name: str


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Projects that tests only read; the open one has a database."""
    patch = pytest.MonkeyPatch()
    patch.setenv("HOME", str(tmp_path_factory.mktemp("served-home")))
    try:
        shop, rocket = tmp_path_factory.mktemp("shop"), tmp_path_factory.mktemp("rocket")
        (shop / "src").mkdir()
        (shop / "src" / "basket.py").write_text(BASKET)
        (shop / "src" / "checkout.py").write_text(CHECKOUT)
        (shop / ".env").write_text("TOKEN=hunter2\n")
        (rocket / "rocket.py").write_text(SECRET)
        with sqlite3.connect(shop / "app.sqlite") as made:
            made.executescript(
                "CREATE TABLE customers (id INTEGER PRIMARY KEY, city text);"
                "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id int REFERENCES customers, total numeric);"
                "INSERT INTO customers VALUES (1, 'Alameda'), (2, 'Alameda'), (3, 'Oakland');"
            )
        made.close()
        for folder in (shop, rocket):
            with open_engine(folder) as engine:
                engine.index()
        with open_databases(shop) as databases:
            databases.add("store", "sqlite:///app.sqlite", base=shop, statistics=True)
            assert databases.index()[0].fault is None
        with open_namespaces(shop) as namespaces:
            namespaces.change(namespaces.own, "public")
            open_name = namespaces.own
        with open_namespaces(rocket) as namespaces:
            hidden = namespaces.own
            namespaces.grant(hidden, ANN.name, "viewer")
        yield Served(shop, rocket, open_name, hidden)
    finally:
        patch.undo()


def facts_of(name: str, owner: str, visibility: str = "private") -> dict[str, str]:
    """The facts of a namespace that is indexed whole."""
    return {**to_facts(NamespaceRecord(name, owner, visibility=visibility)), "complete": "yes"}  # type: ignore[arg-type]
