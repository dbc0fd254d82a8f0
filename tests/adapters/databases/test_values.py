"""Which values of columns are kept for questions, from real databases?"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest
from tests.adapters.databases.reading import read
from tests.database_servers import Server

from clew.core.schema.bounds import MOST_OF_A_COLUMN
from clew.core.schema.contracts import HeldValues, Snapshot

SQL = """
CREATE TABLE schools (id int, title varchar(200), county varchar(60), phone varchar(30), enrolled int);
INSERT INTO schools VALUES (1, 'Lincoln High', 'Alameda', '+1 555 123 4567', 300), (2, 'Washington', 'Fresno', '+1 555 123 4568', 200),
 (3, NULL, 'Alameda', NULL, 100), (4, 'write to ada@x.org', ' San Francisco ', '+1 555 123 4569', 50), (5, 'a text of far more words than a value has', '', '', 1);
"""
HELD = {"title": ("Lincoln High", "Washington"), "county": ("Alameda", "Fresno", "San Francisco")}


def held(snapshot: Snapshot, table: str = "schools") -> dict[str, HeldValues]:
    """What is held of a table, by column."""
    return {one.column: one for one in snapshot.held if one.table == table}


def texts(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    return {name: one.values for name, one in held(snapshot).items()}


def sqlite(tmp_path: Path, sql: str = SQL) -> str:
    connection = sqlite3.connect(tmp_path / "it.db")
    connection.executescript(sql)
    connection.close()
    return f"sqlite:///{tmp_path}/it.db"


def test_nothing_is_kept_that_was_not_asked_for(tmp_path: Path) -> None:
    assert read(sqlite(tmp_path), statistics=True).held == ()


def test_distinct_values_of_text_are_kept_and_nothing_personal_or_long(tmp_path: Path) -> None:
    assert texts(read(sqlite(tmp_path), values=True)) == HELD


def test_a_wish_for_personal_samples_keeps_no_personal_values(tmp_path: Path) -> None:
    assert texts(read(sqlite(tmp_path), values=True, statistics=True, pii_values=True)) == HELD


def test_the_same_of_postgresql(postgres: Server) -> None:
    assert texts(read(postgres.database(SQL), values=True)) == HELD


def test_the_same_of_mariadb(mariadb: Server) -> None:
    assert texts(read(mariadb.database(SQL), values=True)) == HELD


def test_the_same_of_duckdb(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "it.duckdb")) as connection:
        connection.execute(SQL)
    assert texts(read(f"duckdb:///{tmp_path}/it.duckdb", values=True)) == HELD


def test_a_column_with_more_values_than_the_bound_is_left_out_and_named(tmp_path: Path) -> None:
    rows = f"""CREATE TABLE schools (code text, county text);
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {MOST_OF_A_COLUMN})
    INSERT INTO schools SELECT 'code ' || i, 'county ' || (i % 58) FROM n;"""
    found = held(read(sqlite(tmp_path, rows), values=True))
    assert (found["code"].values, found["code"].left_out) == ((), f"more than {MOST_OF_A_COLUMN:,}")
    assert (len(found["county"].values), found["county"].left_out) == (58, "")


def test_all_columns_together_stay_within_the_bound_of_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.adapters.databases.values.MOST_OF_A_DATABASE", 4)
    found = held(read(sqlite(tmp_path), values=True))
    assert found["title"].values == HELD["title"]
    assert (found["county"].values, found["county"].left_out) == ((), "all columns hold more than 4")


def test_where_all_rows_take_too_long_the_first_ones_give_values(postgres: Server) -> None:
    slow = """CREATE TABLE many AS SELECT (i % 7)::text AS label FROM generate_series(1, 1000) i;
    CREATE VIEW schools AS SELECT CASE WHEN pg_sleep(0.002) IS NULL THEN '' ELSE 'county ' || label END AS county FROM many;"""
    found = held(read(postgres.database(slow), values=True, timeout_s=0.5, sample_rows=20))
    assert found["county"].values == tuple(f"county {i}" for i in range(7))
    assert found["county"].left_out == "of a sample of the rows"


def test_a_column_that_may_not_be_read_costs_the_others_nothing(postgres: Server) -> None:
    url = postgres.database(SQL + "CREATE USER narrow PASSWORD 'x'; GRANT SELECT (id, county) ON schools TO narrow;")
    assert texts(read(postgres.as_user(url, "narrow", "x"), values=True)) == {"county": HELD["county"]}


def test_hostile_values_are_data(tmp_path: Path) -> None:
    sql = "CREATE TABLE schools (county text); INSERT INTO schools VALUES ('x\u2028y'), (char(27) || '[31m red'), ('a''; DROP TABLE schools'), (x'ff41');"
    assert len(texts(read(sqlite(tmp_path, sql), values=True))["county"]) >= 3
