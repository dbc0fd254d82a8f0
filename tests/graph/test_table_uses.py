"""Which tables does code name, in which of its ways, and what only looks like it?"""

from __future__ import annotations

import pytest

from clew.graph.table_uses import MIGRATION, MODEL, QUERY, classes_of_table, mentions, tables_of_class


def named(text: str, filepath: str = "app/x.py") -> set[tuple[str, str]]:
    return {(one.name, one.how) for one in mentions(text, filepath)}


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ('cursor.execute("SELECT a, b FROM orders WHERE x")', "orders"),
        ("select * from public.orders o join customers c on true", "customers"),
        ('q = """\n  SELECT o.id\n  FROM "shop"."Orders" o\n"""', "orders"),
        ("INSERT INTO `orders` (a) VALUES (1)", "orders"),
        ("UPDATE orders SET a = 1", "orders"),
        ("DELETE FROM [dbo].[orders] WHERE 1", "orders"),
        ("WITH x AS (SELECT 1 FROM a) SELECT * FROM orders", "orders"),
    ],
)
def test_tables_of_statements_are_named_however_they_are_written(text: str, table: str) -> None:
    assert (table, QUERY) in named(text)


@pytest.mark.parametrize(
    ("text", "filepath"),
    [
        ('class Purchase(Base):\n    __tablename__ = "orders"', "m.py"),
        ("class Order(models.Model):\n    pass", "shop/models.py"),
        ("class Meta:\n    db_table = 'orders'", "m.py"),
        ("class Order < ApplicationRecord\nend", "app/models/order.rb"),
        ('@Entity\n@Table(name = "orders")\npublic class Purchase {}', "Purchase.java"),
        ("@Entity('orders')\nexport class Purchase {}", "purchase.ts"),
        ('export const orders = pgTable("orders", {})', "schema.ts"),
        ('schema "orders" do', "order.ex"),
        ('func (Purchase) TableName() string { return "orders" }', "order.go"),
        ("protected $table = 'orders';", "Purchase.php"),
        ('orders = Table("orders", metadata)', "t.py"),
    ],
)
def test_models_of_many_frameworks_stand_for_their_tables(text: str, filepath: str) -> None:
    assert ("orders", MODEL) in named(text, filepath)


@pytest.mark.parametrize(
    ("text", "filepath"),
    [
        ('op.create_table("orders", Column("id"))', "alembic/versions/1.py"),
        ("create_table :orders do |t|", "db/migrate/1_orders.rb"),
        ("Schema::create('orders', function", "database/1.php"),
        ("knex.schema.createTable('orders', t => {})", "m.js"),
        ("CREATE TABLE IF NOT EXISTS orders (id int)", "V1__x.sql"),
        ("ALTER TABLE orders ADD COLUMN x int", "x.py"),
    ],
)
def test_migrations_are_told_from_queries(text: str, filepath: str) -> None:
    assert ("orders", MIGRATION) in named(text, filepath)


@pytest.mark.parametrize(
    "text",
    [
        "from orders import Order",
        "import x from 'orders'",
        "# data that comes from orders",
        "take it from orders and update customers",
        "class Orders:\n    pass",
        "orders = []",
    ],
)
def test_what_only_looks_like_it_is_no_mention(text: str) -> None:
    assert not {name for name, _ in named(text)} & {"orders", "customers"}


def test_classes_and_tables_are_called_after_each_other() -> None:
    assert {"order_item", "order_items"} <= set(tables_of_class("OrderItem"))
    assert "categories" in tables_of_class("Category")
    assert "addresses" in tables_of_class("Address")
    assert "shop_order" in tables_of_class("Order", "shop/models.py")
    assert set(classes_of_table("order_items")) == {"OrderItem", "OrderItems"}
    assert "Category" in classes_of_table("categories")


@pytest.mark.parametrize(
    "text", ["select " * 50_000, "FROM " * 50_000, "class A(" * 20_000, "update x " * 30_000, "\0" * 100_000, "select from" * 30_000]
)
def test_hostile_texts_cost_little(text: str) -> None:
    assert sum(1 for _ in mentions(text)) < 200_000
