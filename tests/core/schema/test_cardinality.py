"""Does the cardinality of a key follow from keys, and from statistics only where they prove it?"""

from __future__ import annotations

import pytest

from clew.core.schema.cardinality import cardinality, junction
from clew.core.schema.contracts import Column, ColumnStatistics, ForeignKey, Table, UniqueKey

CUSTOMERS = Table(name="customers", columns=(Column(name="id"),), primary_key=("id",))
KEY = ForeignKey(columns=("customer_id",), referred_schema="", referred_table="customers", referred_columns=("id",))
ORDERS = Table(name="orders", columns=(Column(name="id"), Column(name="customer_id")), primary_key=("id",), foreign_keys=(KEY,))


def of(table: Table, *others: Table, key: ForeignKey | None = None) -> str:
    return cardinality(table, key or table.foreign_keys[0], others[0] if others else None)


def with_statistics(table: Table, name: str, rows: int | None, **known: object) -> Table:
    columns = tuple(
        one.model_copy(update={"statistics": ColumnStatistics.model_validate(known)}) if one.name == name else one for one in table.columns
    )
    return table.model_copy(update={"columns": columns, "row_count": rows})


def test_a_key_to_a_primary_key_is_many_to_one() -> None:
    assert of(ORDERS, CUSTOMERS) == "many-to-one"


@pytest.mark.parametrize(
    "unique",
    [{"primary_key": ("customer_id",)}, {"unique_keys": (UniqueKey(columns=("customer_id",)),)}],
    ids=["its primary key", "a unique key"],
)
def test_a_key_that_is_unique_on_both_sides_is_one_to_one(unique: dict[str, object]) -> None:
    assert of(ORDERS.model_copy(update=unique), CUSTOMERS) == "one-to-one"


def test_a_part_of_a_composite_primary_key_is_not_unique() -> None:
    lines = ORDERS.model_copy(update={"primary_key": ("customer_id", "id")})
    assert of(lines, CUSTOMERS) == "many-to-one"


def test_more_columns_than_a_unique_key_are_unique_too() -> None:
    key = KEY.model_copy(update={"columns": ("id", "customer_id"), "referred_columns": ("id", "shop")})
    assert of(ORDERS, CUSTOMERS, key=key) == "one-to-one"


def test_a_declared_key_to_a_table_that_was_not_read_refers_to_something_unique_and_an_inferred_one_to_nothing_known() -> None:
    assert of(ORDERS) == "many-to-one"
    assert of(ORDERS, key=KEY.model_copy(update={"inferred": "names"})) == ""


def test_repeated_values_in_a_sample_prove_that_both_sides_are_many() -> None:
    loose = CUSTOMERS.model_copy(update={"primary_key": ()})
    assert of(ORDERS, loose) == ""
    repeated = with_statistics(loose, "id", 1_000, sampled_rows=100, distinct=60, null_share=0.0)
    assert of(ORDERS, repeated) == "many-to-many"


def test_distinct_values_prove_uniqueness_only_when_the_whole_table_was_seen() -> None:
    loose = CUSTOMERS.model_copy(update={"primary_key": ()})
    assert of(ORDERS, with_statistics(loose, "id", 1_000, sampled_rows=100, distinct=100, null_share=0.0)) == ""
    assert of(ORDERS, with_statistics(loose, "id", 100, sampled_rows=100, distinct=100, null_share=0.0)) == "many-to-one"
    assert of(ORDERS, with_statistics(loose, "id", 100, sampled_rows=100, distinct=90, null_share=0.1)) == "many-to-one"
    assert of(ORDERS, with_statistics(loose, "id", 3, sampled_rows=3, distinct=3, null_share=0.0)) == ""


def test_values_that_are_distinct_by_chance_make_no_one_to_one() -> None:
    assert of(with_statistics(ORDERS, "customer_id", 100, sampled_rows=100, distinct=100, null_share=0.0), CUSTOMERS) == "many-to-one"


def test_a_table_whose_primary_key_is_two_keys_joins_two_others() -> None:
    tag = ForeignKey(columns=("tag_id",), referred_schema="", referred_table="tags", referred_columns=("id",))
    joins = Table(name="order_tags", primary_key=("customer_id", "tag_id"), foreign_keys=(KEY, tag))
    assert junction(joins) == (KEY, tag)
    assert junction(joins.model_copy(update={"primary_key": ("id",)})) is None
    assert junction(ORDERS) is None
