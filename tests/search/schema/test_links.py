"""Which tables are linked, and which links are only believed?"""

from __future__ import annotations

import pytest
from tests.search.schema.shop import refers, snapshot, table

from clew.core.schema.contracts import Snapshot, Table
from clew.search.schema.links import LinkGraph, inferred, links


def believed(*tables: Table) -> set[str]:
    """Inferred links, written `orders.customer_id -> customers.id`."""
    schema = snapshot(*tables)
    return {_written(schema, link.left, link.key.columns[0], link.right, link.key.referred_columns[0]) for link in inferred(schema)}


def _written(schema: Snapshot, left: int, column: str, right: int, referred: str) -> str:
    return f"{schema.tables[left].name}.{column} -> {schema.tables[right].name}.{referred}"


CUSTOMERS = table("customers", "id integer, name text", key="id")


@pytest.mark.parametrize("column", ["customer_id", "CustomerId", "customerid", "cust_id", "billing_customer_id", "customer_fk"])
def test_a_column_that_names_a_table_and_its_key_refers_to_it(column: str) -> None:
    assert believed(CUSTOMERS, table("orders", f"id integer, {column} integer", key="id")) == {f"orders.{column} -> customers.id"}


def test_a_key_with_the_same_telling_name_refers_to_it() -> None:
    schools = table("schools", "cds_code text, name text", key="cds_code")
    assert believed(schools, table("scores", "cds_code text, year integer")) == {"scores.cds_code -> schools.cds_code"}


def test_no_link_is_believed_against_the_types() -> None:
    assert believed(CUSTOMERS, table("orders", "id integer, customer_id text", key="id")) == set()


def test_no_link_is_believed_where_two_tables_fit() -> None:
    one, other = table("clients", "person_id integer", key="person_id"), table("vendors", "person_id integer", key="person_id")
    assert believed(one, other, table("calls", "id integer, person_id integer", key="id")) == set()


def test_names_that_say_nothing_link_nothing() -> None:
    assert (
        believed(
            table("a", "id integer, name text", key="id"),
            table("b", "id integer, name text", key="id"),
            table("c", "id integer, code text"),
        )
        == set()
    )


def test_a_declared_key_is_not_inferred_again() -> None:
    orders = table("orders", "id integer, customer_id integer", key="id", keys=(refers("customer_id", "customers", "id"),))
    assert believed(CUSTOMERS, orders) == set()
    assert [bool(link.key.inferred) for link in links(snapshot(CUSTOMERS, orders))] == [False]


def test_an_inferred_link_says_why() -> None:
    (link,) = inferred(snapshot(CUSTOMERS, table("orders", "id integer, customer_id integer", key="id")))
    assert "customer_id" in link.key.inferred
    assert not link.key.is_enforced


def test_a_key_to_a_table_that_is_not_there_is_no_link() -> None:
    assert links(snapshot(table("orders", "id integer, x integer", key="id", keys=(refers("x", "gone", "id", is_external=True),)))) == ()


def test_neighbours_end_in_circles() -> None:
    ring = [
        table(f"ring_{a}", "id integer, next integer", key="id", keys=(refers("next", f"ring_{b}", "id"),)) for a, b in ("ab", "bc", "ca")
    ]
    graph = LinkGraph(links(snapshot(*ring)))
    assert graph.neighbours(0) == [1, 2]
    own = table("employee", "id integer, boss integer", key="id", keys=(refers("boss", "employee", "id"),))
    assert LinkGraph(links(snapshot(own))).neighbours(0) == []
