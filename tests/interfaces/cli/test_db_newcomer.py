"""What is somebody told who types a command of databases for the first time, or whose database has moved?"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.interfaces.conftest import Done

Clew = Callable[..., Done]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's data folder of this test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


def made(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT);")
    connection.close()
    return path


@pytest.mark.parametrize(
    "arguments",
    [("diff", "shop"), ("check", "SELECT 1"), ("search", "orders"), ("index",), ("status",), ("show", "shop"), ("remove", "shop")],
)
def test_without_any_database_every_command_says_how_to_add_one(project: Path, clew: Clew, arguments: tuple[str, ...]) -> None:
    done = clew("db", *arguments)
    assert (done.code, done.err) == (3, "clew: no database is registered here\n      add one: clew db add NAME URL\n")


def test_a_group_without_a_command_names_its_help_in_two_lines(project: Path, clew: Clew) -> None:
    done = clew("db")
    assert (done.code, done.err) == (2, "clew: clew db needs a command\n      clew db --help lists them\n")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("shop.db", "sqlite:///shop.db"),
        ("data/shop.SQLite3", "sqlite:///data/shop.SQLite3"),
        ("a.duckdb", "duckdb:///a.duckdb"),
        ("s.sql", "ddl:s.sql"),
    ],
)
def test_a_file_in_the_place_of_a_url_is_led_to_its_url(project: Path, clew: Clew, typed: str, meant: str) -> None:
    done = clew("db", "add", "shop", typed)
    assert done.code == 2
    assert f"if it is a file: {meant}\n" in done.err


def test_an_option_that_a_ddl_file_does_not_have_is_named(project: Path, clew: Clew) -> None:
    (project / "s.sql").write_text("CREATE TABLE orders (id int);")
    assert clew("db", "add", "shop", f"ddl:{project}/s.sql?dialct=mysql").code == 0
    done = clew("db", "index")
    assert (done.code, "has no option dialct" in done.out) == (2, True)


def test_another_url_takes_the_fault_of_the_one_before_along(project: Path, clew: Clew) -> None:
    clew("db", "add", "shop", f"sqlite:///{project}/absent.db")
    assert clew("db", "index").code == 3
    assert "the last attempt failed" in clew("db", "list").out
    clew("db", "add", "shop", f"sqlite:///{made(project / 'shop.db')}", "--replace")
    assert "failed" not in clew("db", "list").out
    assert clew("db", "search", "orders").code == 0


def test_a_column_in_the_place_of_a_table_is_led_to_its_table(project: Path, clew: Clew) -> None:
    clew("db", "add", "shop", f"sqlite:///{made(project / 'shop.db')}")
    clew("db", "index")
    done = clew("db", "show", "shop.orders.status")
    assert (done.code, "clew db show shop.orders shows the table" in done.err) == (2, True)


def test_a_file_that_is_gone_is_said_by_whatever_still_answers(project: Path, clew: Clew) -> None:
    file = made(project / "shop.db")
    clew("db", "add", "shop", f"sqlite:///{file}")
    clew("db", "index")
    file.unlink()
    for arguments in (("check", "SELECT status FROM orders"), ("search", "orders"), ("show", "shop.orders")):
        done = clew("db", *arguments)
        assert (done.code, "there is no file" in done.err) == (0, True), arguments
    checked = json.loads(clew("db", "check", "SELECT status FROM orders", "--json").out)
    assert "answered from its snapshot" in checked["warnings"][0]
