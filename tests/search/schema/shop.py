"""A small shop's schema, for tests."""

from __future__ import annotations

from clew.core.schema.contracts import Column, ColumnStatistics, ForeignKey, Snapshot, Table, UniqueKey


def table(name: str, columns: str, *, schema: str = "", key: str = "", keys: tuple[ForeignKey, ...] = (), **more: object) -> Table:
    """A table of columns written `name type, name type`."""
    parts = [one.strip().split(" ", 1) for one in columns.split(",")]
    return Table(
        schema_name=schema,
        name=name,
        columns=tuple(Column(name=part[0], dtype=part[1] if len(part) > 1 else "text") for part in parts),
        primary_key=tuple(key.split()),
        foreign_keys=keys,
        **more,  # type: ignore[arg-type]
    )


def refers(columns: str, table: str, referred: str, *, schema: str = "", **more: object) -> ForeignKey:
    return ForeignKey(
        columns=tuple(columns.split()), referred_schema=schema, referred_table=table, referred_columns=tuple(referred.split()), **more
    )  # type: ignore[arg-type]


def snapshot(
    *tables: Table, datasource: str = "shop", dialect: str = "sqlite", version: str = "20260101000000_aaaaaaaa", **more: object
) -> Snapshot:
    return Snapshot(datasource=datasource, dialect=dialect, tables=tuple(sorted(tables, key=lambda one: one.key)), version=version, **more)  # type: ignore[arg-type]


def with_samples(one: Table, column: str, *samples: str, pii: str = "") -> Table:
    """The table with sample values of a column."""
    changed = (
        each.model_copy(update={"statistics": ColumnStatistics(sampled_rows=10, samples=samples), "pii": pii})
        if each.name == column
        else each
        for each in one.columns
    )
    return one.model_copy(update={"columns": tuple(changed)})


CUSTOMERS = table("customers", "id integer, first_name text, last_name text, email text, county text", key="id")
ORDERS = table(
    "orders",
    "id integer, customer_id integer, placed_at timestamp, status text",
    key="id",
    keys=(refers("customer_id", "customers", "id"),),
)
ORDER_ITEMS = table(
    "order_items",
    "order_id integer, product_id integer, quantity integer",
    key="order_id product_id",
    keys=(refers("order_id", "orders", "id"), refers("product_id", "products", "id")),
)
PRODUCTS = table("products", "id integer, name text, price numeric, sku text", key="id", unique_keys=(UniqueKey(columns=("sku",)),))
WAREHOUSES = table("warehouses", "id integer, city text, capacity integer", key="id")
SHOP = snapshot(CUSTOMERS, ORDERS, ORDER_ITEMS, PRODUCTS, WAREHOUSES)
