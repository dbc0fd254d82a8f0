"""What is at work when a write of `clew db` fails? Commands on a project with one database, and what must be true afterwards."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

from .injecting import COUNT, Ended, Injector

TABLES = """CREATE TABLE customers (id INTEGER PRIMARY KEY, name text, city text);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id int REFERENCES customers, total numeric);
INSERT INTO customers VALUES (1, 'Ada', 'Alameda'), (2, 'Bob', 'Berlin');"""
CHANGE = "CREATE TABLE payments (id INTEGER PRIMARY KEY, order_id int REFERENCES orders, paid date);"
ADD = ("db", "add", "shop", "sqlite:///app.db")
INDEX = ("db", "index", "--json")
ASK = ("db", "search", "payments for orders of customers", "--json")
OURS = {3, 4, 5}
"""Exit codes of a command that says no: may not write, damaged, another writer."""


class Scenario(NamedTuple):
    """A command, and those that ran before the database was changed."""

    name: str
    command: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = (ADD, INDEX)


SCENARIOS = {
    one.name: one
    for one in (
        Scenario("add", ADD, ()),
        Scenario("first index", INDEX, (ADD,)),
        Scenario("first question", ASK, (ADD,)),
        Scenario("index after a change", INDEX),
        Scenario("question after a change", ASK),
        Scenario("values turned on", (*INDEX, "--values", "--statistics")),
        Scenario("rebuild", (*INDEX, "--rebuild")),
        Scenario("another URL", ("db", "add", "shop", "sqlite:///other.db", "--replace", "--json")),
        Scenario("remove", ("db", "remove", "shop", "--json")),
    )
}


def made(path: Path, sql: str) -> None:
    """Run statements in an SQLite file."""
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()


class DatabaseCase:
    """A scenario made ready in a folder of its own, and its trials."""

    def __init__(self, scenario: Scenario, injector: Injector, work: Path) -> None:
        self.scenario = scenario
        self._injector = injector
        self.root = work / "project"
        self.root.mkdir(parents=True)
        self._before = work / "before"
        made(self.root / "app.db", TABLES)
        made(self.root / "other.db", TABLES + CHANGE)
        (self.root / ".clew").mkdir()
        for command in scenario.before:
            assert self._run(*command).code == 0
        shutil.move(self.root / ".clew", self._before)
        made(self.root / "app.db", CHANGE)

    def count(self) -> tuple[str, ...]:
        """The writes that the command comes to when nothing fails."""
        self._reset()
        ended = self._run(*self.scenario.command)
        assert ended.code == 0, ended
        return ended.log

    def trial(self, at: int, action: int, *, lasting: bool = False) -> str:
        """Let the write fail, and then go on as somebody would who reads what is said. Returns how it went; raises AssertionError where it went wrong."""
        self._reset()
        ended = self._run(*self.scenario.command, at=at, action=action, lasting=lasting)
        assert not ended.is_our_fault, ended
        assert ended.code < 0 or ended.code in {0, *OURS}, ended
        listed = self._run("db", "list", "--json")
        assert listed.code == 0, (ended, listed)
        names = [one["name"] for one in json.loads(listed.out)["databases"]]
        if self.scenario.name == "remove":
            return self._forgotten(names, ended)
        if self.scenario.name == "add" and not names:
            assert self._run(*ADD).code == 0
            names = ["shop"]
        assert names == ["shop"], (ended, names)
        asked = self._run(*ASK)
        how = self._judged(asked, ended)
        repair = (*INDEX, "--rebuild") if "--rebuild" in asked.out + asked.err else INDEX
        repaired = self._run(*repair)
        assert repaired.code == 0, (ended, asked, repaired)
        again = self._run(*ASK)
        assert self._judged(again, ended) == "right", (ended, asked, again)
        return how

    def _forgotten(self, names: list[str], ended: Ended) -> str:
        """Removing can be asked again until it is done; then nothing of it comes back with a database of the same name."""
        if names:
            again = self._run("db", "remove", "shop", "--json")
            assert again.code == 0, (ended, again)
        listed = self._run("db", "list", "--json")
        assert json.loads(listed.out)["databases"] == [], (ended, listed)
        assert self._run("db", "add", "shop", "sqlite:///other.db").code == 0
        assert self._judged(self._run(*ASK), ended) == "right", ended
        return "said" if names else "right"

    def _judged(self, asked: Ended, ended: Ended) -> str:
        """Right is an answer of the database as it is now; else the answer, or the error, says what to do."""
        assert not asked.is_our_fault, (ended, asked)
        reply: Any = json.loads(asked.out)
        if "error" in reply:
            assert "clew db" in reply["error"]["hint"], (ended, asked)
            return "refused"
        tables = {one["table"] for one in reply["tables"]}
        if tables == {"customers", "orders", "payments"} and not reply["warnings"]:
            return "right"
        assert tables >= {"customers", "orders"}, (ended, asked)
        assert any("clew db index" in one for one in reply["warnings"]), (ended, asked)
        return "said"

    def _reset(self) -> None:
        shutil.rmtree(self.root / ".clew", ignore_errors=True)
        shutil.copytree(self._before, self.root / ".clew")

    def _run(self, *arguments: str, at: int = 0, action: int = COUNT, lasting: bool = False) -> Ended:
        return self._injector.run(self.root, *arguments, at=at, action=action, lasting=lasting)
