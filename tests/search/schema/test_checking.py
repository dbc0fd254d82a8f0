"""What is said of a statement that is, or is not, right for a schema?"""

from __future__ import annotations

import pytest
from tests.search.schema.shop import CUSTOMERS, ORDER_ITEMS, ORDERS, PRODUCTS, SHOP, refers, snapshot, table

from clew.core.schema.contracts import Snapshot
from clew.search.schema.checking import Checked, check

POSTGRES = snapshot(
    table("User", "id integer, createdAt timestamp", schema="public", key="id"),
    table("user", "id integer, name text", schema="public", key="id"),
    table("order", "id integer, user integer", schema="public", key="id", keys=(refers("user", "User", "id", schema="public"),)),
    table("author", "id integer, name text", schema="music", key="id"),
    table(
        "employee", "id integer, boss_id integer", schema="public", key="id", keys=(refers("boss_id", "employee", "id", schema="public"),)
    ),
    table("price", "prc integer, prd integer, amount numeric", schema="public", key="prc prd"),
    table("line", "a integer, b integer", schema="public", keys=(refers("a b", "price", "prc prd", schema="public"),)),
    dialect="postgres",
    default_schema="public",
)


def wrong(sql: str, schema: Snapshot = SHOP) -> list[str]:
    """The names that are found wrong."""
    return [one.name for one in check(sql, schema).findings if one.is_error]


def doubts(sql: str, schema: Snapshot = SHOP) -> list[str]:
    return [one.message for one in check(sql, schema).findings if not one.is_error]


RIGHT = (
    "SELECT 1",
    "SELECT * FROM customers",
    "SELECT c.* FROM customers c",
    "SELECT First_Name FROM CUSTOMERS",
    'SELECT "first_name" FROM "customers" AS "C" WHERE "C".id = 1',
    "SELECT count(*) AS n FROM orders GROUP BY status HAVING count(*) > 1 ORDER BY n",
    "SELECT c.email, o.status FROM customers c JOIN orders o ON o.customer_id = c.id",
    "SELECT email FROM customers WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = customers.id AND county = 'x')",
    "WITH big AS (SELECT customer_id, count(*) AS n FROM orders GROUP BY 1) SELECT n, email FROM big JOIN customers ON customer_id = customers.id",
    "WITH big(who, n) AS (SELECT customer_id, count(*) FROM orders GROUP BY 1) SELECT who, n FROM big",
    "SELECT x.n FROM (SELECT count(*) AS n FROM orders) AS x",
    "SELECT x.email FROM (SELECT * FROM customers) AS x",
    "WITH RECURSIVE up AS (SELECT id FROM orders UNION ALL SELECT o.id FROM orders o JOIN up ON up.id = o.id) SELECT id FROM up",
    "SELECT id FROM customers UNION SELECT id FROM orders ORDER BY id",
    "SELECT quantity FROM order_items JOIN orders ON orders.id = order_id JOIN products ON products.id = product_id",
    "SELECT rowid FROM customers",
    "SELECT first_name || ' ' || last_name AS name FROM customers ORDER BY name",
    "INSERT INTO orders (id, customer_id) SELECT id, id FROM customers",
    "UPDATE orders SET status = 'x' WHERE customer_id IN (SELECT id FROM customers)",
    "DELETE FROM orders WHERE status = 'x'",
    "SELECT a.id, b.id FROM customers a JOIN customers b USING (id)",
    "SELECT id FROM customers a JOIN customers b USING (id)",
    "SELECT row_number() OVER (PARTITION BY status ORDER BY placed_at) AS r FROM orders",
    "SELECT value FROM json_each('[1]')",
)


@pytest.mark.parametrize("sql", RIGHT)
def test_what_is_right_is_not_called_wrong(sql: str) -> None:
    assert [(one.kind, one.name, one.message) for one in check(sql, SHOP).findings if one.is_error] == []


@pytest.mark.parametrize(
    ("sql", "named", "near"),
    [
        ("SELECT * FROM custmers", "custmers", "customers"),
        ("SELECT * FROM customer", "customer", "customers"),
        ("SELECT * FROM clients", "clients", "customers"),
        ("SELECT emial FROM customers", "emial", "customers.email"),
        ("SELECT c.mail FROM customers c", "c.mail", "customers.email"),
        ("SELECT fname FROM customers", "fname", "customers.first_name"),
        ("SELECT o.email FROM orders o", "o.email", "customers.email"),
        ("SELECT email FROM orders", "email", "customers.email"),
        ("SELECT x.m FROM (SELECT count(*) AS n FROM orders) AS x", "x.m", ""),
        ("WITH big AS (SELECT county FROM customers) SELECT contry FROM big", "contry", "county"),
        ("SELECT k.email FROM customers c", "k", "c"),
        ("SELECT email FROM customers WHERE id IN (SELECT customer FROM orders)", "customer", "orders.customer_id"),
        ("INSERT INTO orders (id, kustomer_id) VALUES (1, 2)", "kustomer_id", "orders.customer_id"),
        ("UPDATE orders SET state = 'x'", "state", "orders.status"),
        ("DELETE FROM orders WHERE statsu = 'x'", "statsu", "orders.status"),
        ("SELECT id FROM customers JOIN orders ON customer_id = customers.id", "id", "customers.id"),
    ],
)
def test_a_wrong_name_is_found_with_the_nearest_right_one(sql: str, named: str, near: str) -> None:
    found = [one for one in check(sql, SHOP).findings if one.is_error]
    assert [one.name for one in found] == [named]
    assert not near or near in found[0].nearest


def test_names_fold_as_postgres_folds_them() -> None:
    assert wrong('SELECT "createdAt" FROM "User"', POSTGRES) == []
    assert wrong('SELECT createdAt FROM "User"', POSTGRES) == ["createdAt"]
    assert wrong("SELECT name FROM public.user", POSTGRES) == []
    assert wrong("SELECT name FROM author", POSTGRES) == []
    assert doubts("SELECT name FROM author", POSTGRES) == ["author is not in the default schema public: it is found as music.author"]
    assert doubts("SELECT name FROM music.author", POSTGRES) == []
    assert wrong("SELECT name FROM public.author", POSTGRES) == ["public.author"]
    assert wrong("SELECT NAME FROM Music.Author", POSTGRES) == []


def test_what_a_statement_uses_is_resolved() -> None:
    found = check("SELECT c.email FROM customers c JOIN orders o ON c.id = o.customer_id", SHOP)
    assert found.is_right
    assert found.tables == ("customers", "orders")
    assert set(found.columns) == {"customers.email", "customers.id", "orders.customer_id"}
    assert found.joins == ("orders.customer_id = customers.id",)


def test_a_join_that_no_key_stands_for_is_doubted_and_the_key_is_named() -> None:
    found = check("SELECT 1 FROM customers c JOIN orders o ON c.id = o.id", SHOP)
    assert found.is_right
    assert [(one.kind, one.nearest) for one in found.findings] == [("join", ("orders.customer_id = customers.id",))]
    assert doubts("SELECT 1 FROM customers c, products p WHERE c.id = p.id") == ["no key joins these tables"]


def test_a_part_of_a_composite_key_is_doubted() -> None:
    assert doubts("SELECT 1 FROM line l JOIN price p ON l.a = p.prc", POSTGRES) == ["only a part of the key is joined, b is missing"]
    assert doubts("SELECT 1 FROM price p JOIN line l ON l.a = p.prc AND p.prd = l.b", POSTGRES) == []


def test_a_table_may_be_joined_to_itself() -> None:
    assert doubts("SELECT 1 FROM employee e JOIN employee b ON e.boss_id = b.id", POSTGRES) == []
    assert doubts("SELECT 1 FROM employee b JOIN employee e ON e.boss_id = b.id", POSTGRES) == []


@pytest.mark.parametrize(
    "sql", ["", ";", "SELEC", "SELECT FROM WHERE", "\x00", "SELECT * FROM (", "(" * 5000, "SELECT '" + "a" * 200_000 + "'", "\ud800"]
)
def test_no_text_fails(sql: str) -> None:
    found = check(sql, SHOP)
    assert isinstance(found, Checked)
    assert not found.is_right


def test_every_join_that_is_offered_passes_the_check() -> None:
    for schema, tables in ((SHOP, (CUSTOMERS, ORDERS, ORDER_ITEMS, PRODUCTS)),):
        for one in tables:
            for key in one.foreign_keys:
                sql = f"SELECT 1 FROM {one.name} JOIN {key.referred_table} ON {one.name}.{key.columns[0]} = {key.referred_table}.{key.referred_columns[0]}"
                assert check(sql, schema).findings == ()


def test_a_verdict_says_right_doubtful_or_wrong() -> None:
    assert check("SELECT email FROM customers", SHOP).verdict == "right"
    assert check("SELECT 1 FROM customers c JOIN orders o ON o.id = c.id", SHOP).verdict == "doubtful"
    assert check("SELECT emial FROM customers", SHOP).verdict == "wrong"


def test_a_join_by_using_is_checked_as_one_by_on() -> None:
    assert (
        doubts("SELECT 1 FROM customers c JOIN orders o USING (id)")
        == doubts("SELECT 1 FROM customers c JOIN orders o ON o.id = c.id")
        != []
    )
    keyed = snapshot(
        table("a", "a_id integer", key="a_id"), table("b", "b_id integer, a_id integer", key="b_id", keys=(refers("a_id", "a", "a_id"),))
    )
    assert check("SELECT 1 FROM a JOIN b USING (a_id)", keyed).verdict == "right"
    assert check("SELECT 1 FROM a JOIN b USING (a_id)", keyed).joins


def test_a_part_of_a_name_spelled_wrong_is_led_to_the_whole() -> None:
    cents = snapshot(table("bill", "id integer, total_cents integer, note text", key="id"))
    (finding,) = check("SELECT totl FROM bill", cents).findings
    assert finding.nearest[0] == "bill.total_cents"


def test_sqlite_and_duckdb_know_aliases_in_where_and_others_do_not() -> None:
    sql = "SELECT id * 2 AS twice FROM customers WHERE twice > 4"
    assert wrong(sql, snapshot(*SHOP.tables, dialect="sqlite")) == []
    assert wrong(sql, snapshot(*SHOP.tables, dialect="duckdb")) == []
    assert wrong(sql, snapshot(*SHOP.tables, dialect="postgres")) == ["twice"]
    assert wrong("SELECT id FROM main.customers", snapshot(*SHOP.tables, dialect="sqlite")) == []
    assert wrong("SELECT id FROM other.customers", snapshot(*SHOP.tables, dialect="sqlite")) == ["other.customers"]


def test_values_are_counted_against_columns() -> None:
    assert wrong("INSERT INTO orders (id, status) VALUES (1, 'x'), (2, 'y')") == []
    assert wrong("INSERT INTO orders (id, status) VALUES (1, 'x'), (2)") == ["orders"]
    assert wrong("INSERT INTO products VALUES (1)") == ["products"]
    assert wrong('INSERT INTO "User" VALUES (1)', POSTGRES) == []
    assert wrong(f"INSERT INTO products VALUES ({', '.join('1' * 30)})") == ["products"]
