"""Can what an id names be read back from it?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.core.schema.naming import Named, chunk_id, dotted, namespace_of, quoted, read_id, relationship_name
from clew.setting_rules import is_namespace

VERSION = "20260102030405_0a1b2c3d"
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["a.b", 'a"b', "a->b", "a,b", "", "\\", "a:b", " "]
)


def test_plain_names_stand_in_an_id_as_they_are() -> None:
    assert chunk_id("table", dotted("public", "users"), VERSION) == f"schema.table:public.users:{VERSION}"
    assert chunk_id("column", f"{dotted('', 'users')}.{quoted('größe')}", VERSION) == f"schema.column:users.größe:{VERSION}"
    ends = ("public", "orders"), ("customer_id", "shop"), ("public", "customers"), ("id", "shop")
    assert relationship_name(*ends) == "public.orders.customer_id,shop->public.customers.id,shop"


def test_an_id_that_is_not_of_a_schema_names_nothing() -> None:
    assert [read_id(text) for text in ("0123456789abcdef", "schema.view:x:1", "", "schema.table")] == [None] * 4


@given(NAMES, NAMES, NAMES)
def test_a_table_a_column_and_a_metric_are_read_back_from_their_ids(schema: str, table: str, column: str) -> None:
    assert read_id(chunk_id("table", dotted(schema, table), VERSION)) == Named("table", schema, table, "", VERSION)
    name = f"{dotted(schema, table)}.{quoted(column)}"
    assert read_id(chunk_id("column", name, VERSION)) == Named("column", schema, table, column, VERSION)
    assert read_id(chunk_id("metric", quoted(table), VERSION)) == Named("metric", "", table, "", VERSION)


@given(NAMES, NAMES, st.lists(NAMES, min_size=1, max_size=3))
def test_the_table_that_refers_is_read_back_from_the_id_of_a_relationship(schema: str, table: str, columns: list[str]) -> None:
    name = relationship_name((schema, table), columns, (schema, "other"), columns)
    assert read_id(chunk_id("relationship", name, VERSION)) == Named("relationship", schema, table, columns[0], VERSION)


@given(st.tuples(NAMES, NAMES), st.tuples(NAMES, NAMES))
def test_two_tables_never_share_an_id(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert (dotted(*one) == dotted(*other)) == (one == other)


@given(NAMES, st.sampled_from(["", VERSION]))
def test_every_datasource_and_version_has_a_legal_namespace_of_its_own(name: str, version: str) -> None:
    assert is_namespace(namespace_of(name, version))
    assert namespace_of(name, version) != namespace_of(f"{name}x", version)
    assert namespace_of(name, version) != namespace_of(name, f"{version}1")
