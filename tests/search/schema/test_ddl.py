"""Does the SQL that is shown run, and does nothing in it act?"""

from __future__ import annotations

import sqlite3

import pytest
from tests.search.schema.shop import refers, snapshot, table, with_samples

from clew.core.schema.contracts import Check, Snapshot, UniqueKey
from clew.search.schema.ddl import Part, Wording, render
from clew.search.schema.links import links


def whole(schema: Snapshot, **wording: bool) -> str:
    parts = [Part(place, [column.name for column in one.columns]) for place, one in enumerate(schema.tables)]
    return render(schema, parts, links(schema), Wording(**wording))


ODD = (
    table("order", "select integer, Total Amount numeric", key="select"),
    table("50%", "id integer", key="id"),
    table('a"b', "x.y integer", key="x.y"),
    table("日本語テーブル", "名前 text"),
    table("line\nbreak", "id integer"),
)


def test_odd_names_run() -> None:
    base = sqlite3.connect(":memory:")
    base.executescript(whole(snapshot(*ODD)))
    assert {row[0] for row in base.execute("select name from sqlite_master where type = 'table'")} == {one.name for one in ODD}


def test_a_comment_cannot_leave_its_line() -> None:
    evil = "harmless\n); DROP TABLE victims; --\u2028\x1b[31m"
    one = table("t", "id integer", description=evil, checks=(Check(text=evil),))
    one = one.model_copy(update={"columns": (one.columns[0].model_copy(update={"description": evil, "generated": evil}),)})
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE victims (id integer)")
    base.executescript(whole(snapshot(with_samples(one, "id", evil))))
    assert base.execute("select count(*) from sqlite_master where name = 'victims'").fetchone() == (1,)
    assert "\x1b" not in whole(snapshot(one))


def test_keys_in_a_circle_are_added_afterwards_where_the_dialect_can() -> None:
    ring = [
        table(f"ring_{a}", "id integer, next integer", key="id", keys=(refers("next", f"ring_{b}", "id"),)) for a, b in ("ab", "bc", "ca")
    ]
    assert "ALTER TABLE" in whole(snapshot(*ring, dialect="postgres"))
    assert "ALTER TABLE" not in whole(snapshot(*ring, dialect="sqlite"))
    assert whole(snapshot(*ring, dialect="duckdb")).count("FOREIGN KEY") == 2
    sqlite3.connect(":memory:").executescript(whole(snapshot(*ring, dialect="sqlite")))


def test_a_key_to_a_table_that_is_not_shown_is_left_out() -> None:
    schema = snapshot(table("a", "id integer, b integer", key="id", keys=(refers("b", "b", "id"),)), table("b", "id integer", key="id"))
    assert "REFERENCES" not in render(schema, [Part(0, ("id", "b"))], links(schema))


def test_a_key_that_the_database_would_refuse_is_a_note() -> None:
    tables = (table("a", "b text", keys=(refers("b", "b", "id"),)), table("b", "id integer", key="id"))
    ddl = whole(snapshot(*tables, dialect="postgres"))
    assert "FOREIGN KEY" not in ddl
    assert "-- b = b.id (a key)" in ddl


def test_a_unique_key_that_is_referred_to_is_written() -> None:
    tables = (
        table("a", "sku text", keys=(refers("sku", "b", "sku"),)),
        table("b", "id integer, sku text", key="id", unique_keys=(UniqueKey(columns=("sku",)),)),
    )
    ddl = whole(snapshot(*tables, dialect="postgres"))
    assert "UNIQUE (sku)" in ddl
    assert ddl.index("CREATE TABLE b") < ddl.index("CREATE TABLE a")


def test_an_inferred_link_is_a_note() -> None:
    tables = (table("customers", "id integer", key="id"), table("orders", "id integer, customer_id integer", key="id"))
    assert "-- customer_id = customers.id (inferred)" in whole(snapshot(*tables))


def test_enums_and_domains_come_before_their_tables() -> None:
    one = table("t", "id integer, feeling mood, price money_value", schema="public", key="id")
    columns = (
        one.columns[0],
        one.columns[1].model_copy(update={"allowed": ("sad", "it's ok")}),
        one.columns[2].model_copy(update={"base": "numeric(10,2)"}),
    )
    ddl = whole(snapshot(one.model_copy(update={"columns": columns}), dialect="postgres", default_schema="public"))
    assert "CREATE TYPE mood AS ENUM ('sad', 'it''s ok');" in ddl
    assert "CREATE DOMAIN money_value AS numeric(10,2);" in ddl
    assert ddl.index("CREATE TYPE") < ddl.index("CREATE TABLE")


def test_what_is_not_shown_of_a_table_is_counted() -> None:
    schema = snapshot(table("t", "a integer, b integer, c integer"))
    assert "-- 2 more columns not shown" in render(schema, [Part(0, ("a",))])


@pytest.mark.parametrize("shown", [True, False])
def test_samples_are_shown_only_where_they_may_be(shown: bool) -> None:
    ddl = whole(snapshot(with_samples(table("t", "county text, phone text"), "county", "Alameda")), samples=shown)
    assert ("Alameda" in ddl) is shown


def test_values_of_personal_columns_are_not_shown() -> None:
    assert "555" not in whole(snapshot(with_samples(table("t", "phone text"), "phone", "555-1234", pii="phone number")))


def test_types_of_another_schema_bring_it_and_those_that_cannot_be_made_are_named() -> None:
    one = table("t", "feeling kinds.mood, pair public.money_pair", schema="public")
    columns = (one.columns[0].model_copy(update={"allowed": ("sad",)}), one.columns[1])
    ddl = whole(snapshot(one.model_copy(update={"columns": columns}), dialect="postgres", default_schema="public"))
    assert ddl.startswith("CREATE SCHEMA IF NOT EXISTS kinds;\nCREATE TYPE kinds.mood")
    assert "pair text -- of type public.money_pair" in ddl


def test_a_column_without_a_known_type_is_text_where_the_dialect_needs_one() -> None:
    one = table("mrr", "m integer, mrr integer", schema="public")
    views = one.model_copy(update={"columns": tuple(column.model_copy(update={"dtype": ""}) for column in one.columns)})
    assert "mrr text -- type unknown" in whole(snapshot(views, dialect="postgres", default_schema="public"))


def test_columns_that_are_always_filled_say_so() -> None:
    one = table("orders", "id integer, total numeric, note text", key="id")
    filled = tuple(column.model_copy(update={"nullable": column.name == "note"}) for column in one.columns)
    ddl = whole(snapshot(one.model_copy(update={"columns": filled})))
    assert "total numeric NOT NULL" in ddl
    assert ddl.count("NOT NULL") == 1, "of a primary key it goes without saying"
    sqlite3.connect(":memory:").executescript(ddl)


def test_samples_are_written_as_sql_has_them_and_those_of_keys_are_not_shown() -> None:
    one = table("orders", "id integer, customer_id integer, country text, total numeric, code text", key="id")
    one = one.model_copy(update={"foreign_keys": (refers("customer_id", "customers", "id"), refers("country", "countries", "id"))})
    for column, samples in {"id": ("71",), "customer_id": ("72",), "country": ("DE",), "total": ("12.50", "n/a"), "code": ("007",)}.items():
        one = with_samples(one, column, *samples)
    ddl = whole(snapshot(one))
    assert "7" not in ddl.replace("007", "")
    assert "total numeric, -- e.g. 12.50, 'n/a'" in ddl
    assert "code text, -- e.g. '007'" in ddl
    assert "country text, -- e.g. 'DE'" in ddl, "a key that says something"
