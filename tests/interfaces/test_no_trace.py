"""Does a question leave anything behind in a folder that may not be indexed unasked? An index there would be the root of every project below."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.interfaces.mcp.conftest import over_stdio

from clew import open_databases, open_engine
from clew.errors import NoIndex
from clew.interfaces.cli.app import COMMANDS
from clew.interfaces.cli.db import NAMES as DB_COMMANDS
from clew.sources.project import project_root

Run = Callable[..., Any]

ASKED = {"init", "index", "watch", "mcp", "install", "db add", "store"}
"""What makes an index, or something else, because that is what it is told to do; `mcp` is tried below."""
QUESTIONS = (
    ("search", "who sends mails"),
    ("search", ""),
    ("search", "mails", "--mode", "fast", "--json"),
    ("status",),
    ("outline", "letters.py"),
    ("outline", "."),
    ("symbol", "send"),
    ("callers", "send"),
    ("callees", "send"),
    ("importers", "letters.py"),
    ("impact", "send"),
    ("related", "letters.py"),
    ("map",),
    ("map", "inside"),
    ("ask", "who sends mails"),
    ("mount",),
    ("mount", "inside"),
    ("namespace", "list"),
    ("namespace", "visibility", "public"),
    ("models",),
    ("serve",),
    ("token", "list"),
    ("gc",),
    ("eval", "--questions", "2"),
    ("doctor",),
    ("db", "list"),
    ("db", "index"),
    ("db", "index", "--rebuild"),
    ("db", "search", "who sends mails"),
    ("db", "show", "shop"),
    ("db", "diff", "shop"),
    ("db", "status"),
    ("db", "check", "SELECT 1", "--db", "shop"),
    ("db", "remove", "shop"),
)
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search", {"query": "who sends mails"}),
    ("navigate", {"what": "symbol", "target": "send"}),
    ("navigate", {"what": "callers", "target": "send"}),
    ("navigate", {"what": "outline", "target": "letters.py"}),
    ("navigate", {"what": "read", "target": "letters.py"}),
    ("schema", {"query": "who sends mails"}),
    ("status", {}),
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, which is not indexed unasked, and the current folder."""
    home = tmp_path / "home"
    (home / "inside").mkdir(parents=True)
    (home / "letters.py").write_text("def send(mail):\n    return mail\n")
    (home / "inside" / "more.py").write_text("from letters import send\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.chdir(home)
    return home


def test_every_command_is_tried_or_makes_what_it_is_told_to() -> None:
    every = {*COMMANDS, *(f"db {name}" for name in DB_COMMANDS)} - {"db"}
    tried = {" ".join(words[:2]) if words[0] == "db" else words[0] for words in QUESTIONS}
    assert tried | ASKED == every


@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
def test_no_command_that_asks_leaves_an_index(home: Path, clew: Run, words: tuple[str, ...]) -> None:
    clew(*words)
    assert not os.path.lexists(home / ".clew")
    assert project_root(home / "inside") == home / "inside"


def test_no_tool_that_asks_leaves_an_index(home: Path) -> None:
    async def talk(client: Client) -> None:
        for tool, arguments in CALLS:
            await client.call_tool(tool, arguments)
            assert not os.path.lexists(home / ".clew"), (tool, arguments)

    over_stdio(talk, home)
    assert not os.path.lexists(home / ".clew")


def test_neither_does_python(home: Path) -> None:
    with open_engine(home) as engine, pytest.raises(NoIndex):
        engine.search("who sends mails")
    with open_databases(home) as databases, pytest.raises(NoIndex):
        databases.search("who sends mails")
    assert not os.path.lexists(home / ".clew")


def test_a_home_is_indexed_when_that_is_asked_for(home: Path, clew: Run) -> None:
    assert clew("index").code == 0
    assert (home / ".clew" / "catalog.db").is_file()
    assert clew("search", "send").code == 0
