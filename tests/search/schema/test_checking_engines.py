"""Does the check agree with the engines themselves? What one of them accepts is not called wrong, what it refuses for a name is."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.database_servers import Server

from clew.adapters.databases import reflect
from clew.core.schema.contracts import Snapshot
from clew.core.schema.protocols import Wishes
from clew.search.schema.checking import check

SCHEMA = (
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, email VARCHAR(100), city VARCHAR(50), country VARCHAR(2))",
    "CREATE TABLE products (id INTEGER PRIMARY KEY, name VARCHAR(50), price_cents INTEGER, parent_id INTEGER REFERENCES products (id))",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), status VARCHAR(20), total_cents INTEGER, "
    "placed_on DATE)",
    "CREATE TABLE order_items (order_id INTEGER REFERENCES orders (id), line_no INTEGER, product_id INTEGER REFERENCES products (id), "
    "quantity INTEGER, PRIMARY KEY (order_id, line_no))",
    "CREATE VIEW big_orders AS SELECT id, customer_id, total_cents AS cents FROM orders WHERE total_cents > 100",
)

STATEMENTS = [
    (line.removeprefix("! ").replace("\\n", "\n"), line.startswith("! "))
    for line in Path(__file__).with_name("statements.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


class Engine(NamedTuple):
    """A database, as a snapshot and as it says what it has against a statement; `unknown` finds in that the name that is not there."""

    snapshot: Snapshot
    refusal: Callable[[str], str]
    unknown: str

    def asks_late(self, sql: str) -> bool:
        """Whether it looks at the names of such a statement only when it runs, or is used."""
        late = {"sqlite": "CREATE VIEW", "mysql": "CREATE INDEX|ALTER|DROP|TRUNCATE"}.get(self.snapshot.dialect)
        return late is not None and re.match(late, sql) is not None


def _refusal(execute: Callable[[str], object], refusal: type[Exception], sql: str) -> str:
    """What a database says against a statement, or nothing."""
    try:
        execute(sql)
    except refusal as said:
        return f"{getattr(said, 'sqlstate', '') or ''} {said}"
    return ""


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    file = tmp_path_factory.mktemp("sqlite") / "it.db"
    connection = sqlite3.connect(file)
    connection.executescript(";".join(SCHEMA))

    def prepare(sql: str) -> None:
        for one in filter(str.strip, sql.split(";")):
            connection.execute(f"EXPLAIN {one.removeprefix('EXPLAIN ')}", (1,) * one.count("?"))

    yield Engine(
        reflect("it", f"sqlite:///{file}", Wishes()),
        lambda sql: _refusal(prepare, sqlite3.Error, sql),
        r"no such (?:table|column)|ambiguous column|has no column",
    )
    connection.close()


@pytest.fixture(scope="module")
def duckdb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    import duckdb as driver

    file = tmp_path_factory.mktemp("duckdb") / "it.duckdb"
    with driver.connect(str(file)) as connection:
        connection.execute(";".join(SCHEMA))
    snapshot = reflect("it", f"duckdb:///{file}", Wishes())
    with driver.connect(str(file)) as connection:

        def prepare(sql: str) -> None:
            connection.execute(f"EXPLAIN {sql}" if sql.startswith("MERGE") else f"PREPARE it AS {sql}")

        yield Engine(
            snapshot,
            lambda sql: _refusal(prepare, driver.Error, sql),
            r"Referenced (?:table|column)|(?:Table|View) with name|Ambiguous|does not have a column",
        )


@pytest.fixture(scope="module")
def postgresql(postgres: Server) -> Iterator[Engine]:
    import psycopg

    url = postgres.database(";".join(SCHEMA))
    with psycopg.connect(url, autocommit=True) as connection:

        def prepare(sql: str) -> None:
            with connection.transaction(force_rollback=True):
                connection.execute("DEALLOCATE ALL")
                connection.execute((f"EXPLAIN {sql}" if sql.startswith("CREATE") else f"PREPARE it AS {sql}").encode())

        yield Engine(reflect("it", url, Wishes()), lambda sql: _refusal(prepare, psycopg.Error, sql), r"42703|42P01|42702|42712")


@pytest.fixture(scope="module")
def mysql(mariadb: Server) -> Iterator[Engine]:
    import pymysql

    url = mariadb.database(";".join(SCHEMA))
    port, database = url.rpartition(":")[2].split("/")
    with pymysql.connect(host="127.0.0.1", port=int(port), user="root", database=database) as connection, connection.cursor() as cursor:

        def prepare(sql: str) -> None:
            cursor.execute(f"PREPARE it FROM {connection.escape(sql)}")
            if "INSERT" in sql and "?" not in sql:  # it counts values only when it runs
                cursor.execute("EXECUTE it")
                connection.rollback()

        yield Engine(
            reflect("it", url, Wishes()), lambda sql: _refusal(prepare, pymysql.Error, sql), r"\((?:1054|1146|1051|1052|1066|1109),"
        )


@pytest.fixture(params=["sqlite", "duckdb", "postgresql", "mysql"])
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = request.getfixturevalue(request.param)
    return found


def test_what_an_engine_accepts_is_not_called_wrong_and_what_it_refuses_for_a_name_is(engine: Engine) -> None:
    different, accepted, unknown = [], 0, 0
    for sql, is_wrong in STATEMENTS:
        refusal, found = engine.refusal(sql), check(sql, engine.snapshot)
        if engine.asks_late(sql):
            continue
        if not refusal:
            accepted += 1
            different += [(sql, one.message) for one in found.findings if one.is_error]
        elif is_wrong or re.search(engine.unknown, refusal):
            unknown += 1
            different += [(sql, refusal)] if found.verdict != "wrong" else []
    assert different == []
    assert accepted > 150
    assert unknown > 90


def test_a_name_of_a_table_in_other_letters_is_doubted_where_servers_tell_them_apart(mysql: Engine) -> None:
    assert check("SELECT id FROM Orders", mysql.snapshot).verdict == "doubtful"
