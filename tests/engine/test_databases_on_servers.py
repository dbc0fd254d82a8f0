"""What becomes of passwords, changes and outages of real servers, from the URL to the answer?"""

from __future__ import annotations

import logging
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.database_servers import Server

from clew.assembly import open_databases
from clew.databases import Databases

PASSWORD = "p@ss:w%rd/ß?#"
SQL = "CREATE TABLE orders (id int PRIMARY KEY, total numeric(10,2)); "


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and a user's data folder of this test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def said(databases: Databases) -> str:
    """All that is said of the databases."""
    parts: list[str] = []
    for one in databases.index():
        parts += [
            str(one.fault or ""),
            one.fault.hint if one.fault else "",
            *one.warnings,
            *map(str, one.snapshot.unread if one.snapshot else ()),
        ]
    for listed in (*databases.listed(), *databases.status()):
        parts += [listed.registration.url, listed.standing.fault, str(listed.fault or "")]
    return "\n".join(parts)


def forms() -> tuple[str, ...]:
    return (PASSWORD, quote(PASSWORD, safe=""), quote(PASSWORD), "w%rd", "w%25rd")


@pytest.mark.parametrize("encoded", [False, True])
def test_a_password_opens_the_database_and_is_nowhere_to_be_seen(
    mariadb: Server, project: Path, caplog: pytest.LogCaptureFixture, encoded: bool
) -> None:
    caplog.set_level(logging.DEBUG)
    url = mariadb.database(SQL)
    user = f"reader{mariadb.made}"
    mariadb.run(f"CREATE USER '{user}'@'%' IDENTIFIED BY '{PASSWORD}'; GRANT SELECT ON *.* TO '{user}'@'%';")
    address = url.rpartition("@")[2]
    with open_databases(project) as databases:
        databases.add("right", f"mysql://{user}:{quote(PASSWORD, safe='') if encoded else PASSWORD}@{address}")
        databases.add("wrong", f"mysql://nobody:{PASSWORD}@{address}")
        whole = said(databases)
        readings = {one.name: one for one in databases.index()}
        assert readings["right"].fault is None
        assert readings["wrong"].fault is not None
        assert "nobody" in readings["wrong"].fault.message
        answer = databases.search("total of orders")
    whole += "\n".join((*answer.warnings, caplog.text))
    assert answer.tables[0].table.name == "orders"
    assert [form for form in forms() if form in whole] == []
    for path in project.rglob("*"):
        assert not (path.is_file() and any(form.encode() in path.read_bytes() for form in forms())), path


def test_a_password_from_the_environment_is_filled_in(mariadb: Server, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = mariadb.database(SQL)
    user = f"reader{mariadb.made}"
    mariadb.run(f"CREATE USER '{user}'@'%' IDENTIFIED BY '{PASSWORD}'; GRANT SELECT ON *.* TO '{user}'@'%';")
    monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)
    with open_databases(project) as databases:
        databases.add("shop", f"mysql://{user}:${{SHOP_PASSWORD}}@{url.rpartition('@')[2]}")
        assert databases.search("total of orders").tables[0].table.name == "orders"
        assert not Path(databases.vault).exists()


def test_a_change_of_the_live_database_is_noticed_and_taken_in(postgres: Server, project: Path) -> None:
    url = postgres.database(SQL)
    name = url.rpartition("/")[2]
    with open_databases(project) as databases:
        databases.add("shop", url)
        first = next(iter(databases.index()))
        assert first.snapshot is not None
        postgres.run("ALTER TABLE orders ADD COLUMN note text; CREATE TABLE returns (id int);", name)
        state = next(iter(databases.status()))
        assert state.drift is not None
        assert [(one.name, one.verb) for one in state.drift.tables] == [("orders", "changed"), ("returns", "added")]
        assert [one for one in databases.search("orders").warnings if one.startswith("shop was another than its snapshot")]
        changed = next(iter(databases.index()))
        assert changed.outcome == "changed"
        assert changed.refreshed is not None
        assert 0 < changed.refreshed.embedded < changed.refreshed.chunks
        assert databases.search("note of an order").warnings == ()
        assert databases.diff(first.snapshot.version, "shop").is_structural


def test_a_database_that_goes_away_is_answered_for_and_comes_back(postgres: Server, project: Path) -> None:
    url = postgres.database(SQL)
    name = url.rpartition("/")[2]
    with open_databases(project) as databases:
        databases.add("shop", url)
        list(databases.index())
        postgres.run(f"ALTER DATABASE {name} RENAME TO {name}_away")
        assert next(iter(databases.index())).fault is not None
        answer = databases.search("total of orders")
        assert answer.tables[0].table.name == "orders"
        assert [one for one in answer.warnings if one.startswith("shop could not be read just now") and "its snapshot" in one]
        postgres.run(f"ALTER DATABASE {name}_away RENAME TO {name}")
        assert next(iter(databases.index())).outcome == "unchanged"
        assert databases.search("total of orders").warnings == ()
