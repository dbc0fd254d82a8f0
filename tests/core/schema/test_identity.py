"""When are two snapshots one schema, and what is said of two that differ?"""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from clew.core.schema.contracts import Check, Column, ColumnStatistics, ForeignKey, Snapshot, Table, UniqueKey
from clew.core.schema.identity import Change, difference, fingerprint, version_of

CUSTOMERS = Table(
    name="customers",
    columns=(Column(name="id", dtype="int", nullable=False), Column(name="email", dtype="text")),
    primary_key=("id",),
    unique_keys=(UniqueKey(columns=("email",)),),
)
TO_CUSTOMERS = ForeignKey(columns=("customer_id",), referred_schema="", referred_table="customers", referred_columns=("id",))
ORDERS = Table(
    name="orders",
    columns=(Column(name="id", dtype="int"), Column(name="customer_id", dtype="int"), Column(name="payer_id", dtype="int")),
    primary_key=("id",),
    foreign_keys=(TO_CUSTOMERS,),
    checks=(Check(text="id > 0"), Check(text="payer_id > 0")),
)


def snapshot(*tables: Table, **more: object) -> Snapshot:
    return Snapshot(**{"datasource": "shop", "dialect": "postgres", "tables": tables, **more})


BASE = fingerprint(snapshot(CUSTOMERS, ORDERS))


@given(st.randoms(use_true_random=False))
def test_the_order_of_parts_is_no_structure(chance: random.Random) -> None:
    def mixed(table: Table) -> Table:
        parts = ("columns", "foreign_keys", "unique_keys", "checks")
        return table.model_copy(update={part: tuple(chance.sample(getattr(table, part), len(getattr(table, part)))) for part in parts})

    tables = [mixed(CUSTOMERS), mixed(ORDERS)]
    chance.shuffle(tables)
    assert fingerprint(snapshot(*tables)) == BASE


def test_texts_statistics_guesses_and_names_of_constraints_are_no_structure() -> None:
    seen = ORDERS.model_copy(
        update={
            "description": "One row per order",
            "row_count": 7,
            "foreign_keys": (
                TO_CUSTOMERS.model_copy(update={"name": "orders_fk"}),
                TO_CUSTOMERS.model_copy(update={"columns": ("payer_id",), "inferred": "by its name"}),
            ),
            "columns": (
                ORDERS.columns[0].model_copy(update={"statistics": ColumnStatistics(distinct=3), "description": "key", "pii": "email"}),
                *ORDERS.columns[1:],
            ),
        }
    )
    assert fingerprint(snapshot(CUSTOMERS, seen, datasource="other", taken_at=9, description="a shop")) == BASE


def test_everything_else_is() -> None:
    changes: list[dict[str, object]] = [
        {"name": "order"},
        {"schema_name": "s"},
        {"kind": "view"},
        {"definition": "SELECT 1"},
        {"partition": "by range (id)"},
        {"primary_key": ("id", "customer_id")},
        {"foreign_keys": ()},
        {"foreign_keys": (TO_CUSTOMERS.model_copy(update={"is_enforced": False}),)},
        {"foreign_keys": (TO_CUSTOMERS.model_copy(update={"referred_schema": "s"}),)},
        {"unique_keys": (UniqueKey(columns=("customer_id",)),)},
        {"checks": ORDERS.checks[:1]},
        {"columns": ORDERS.columns[:2]},
        *(
            {"columns": (ORDERS.columns[0].model_copy(update=change), *ORDERS.columns[1:])}
            for change in (
                {"name": "ID"},
                {"dtype": "bigint"},
                {"nullable": False},
                {"default": "1"},
                {"generated": "1"},
                {"is_identity": True},
                {"allowed": ("a",)},
                {"base": "int"},
            )
        ),
    ]
    marks = [fingerprint(snapshot(CUSTOMERS, ORDERS.model_copy(update=change))) for change in changes]
    assert len({BASE, *marks}) == len(marks) + 1
    assert fingerprint(snapshot(CUSTOMERS, ORDERS, dialect="mysql")) != BASE


def test_two_keys_between_the_same_tables_are_two_keys() -> None:
    second = TO_CUSTOMERS.model_copy(update={"columns": ("payer_id",)})
    twice = ORDERS.model_copy(update={"foreign_keys": (TO_CUSTOMERS, TO_CUSTOMERS)})
    both = ORDERS.model_copy(update={"foreign_keys": (TO_CUSTOMERS, second)})
    marks = {fingerprint(snapshot(CUSTOMERS, one)) for one in (ORDERS, twice, both)}
    assert len(marks) == 3


def test_the_pairs_of_a_key_may_come_in_any_order_and_are_not_mixed_up() -> None:
    def mark(columns: tuple[str, ...], referred: tuple[str, ...]) -> str:
        key = ForeignKey(columns=columns, referred_schema="", referred_table="customers", referred_columns=referred)
        return fingerprint(snapshot(ORDERS.model_copy(update={"foreign_keys": (key,)})))

    assert mark(("a", "b"), ("x", "y")) == mark(("b", "a"), ("y", "x")) != mark(("a", "b"), ("y", "x"))


def test_names_that_run_into_each_other_are_told_apart() -> None:
    one = snapshot(Table(name="a", columns=(Column(name='b","c'), Column(name="d"))))
    other = snapshot(Table(name="a", columns=(Column(name="b"), Column(name='c","d'))))
    assert fingerprint(one) != fingerprint(other)


def test_a_version_is_the_second_in_utc_and_the_fingerprint() -> None:
    assert version_of(0, "0123456789abcdef") == "19700101000000_01234567"
    assert version_of(1_767_225_599, "f" * 64) == "20251231235959_ffffffff"


def test_a_difference_names_each_part_of_each_table() -> None:
    changed = ORDERS.model_copy(
        update={
            "columns": (
                ORDERS.columns[0].model_copy(update={"dtype": "bigint", "description": "key"}),
                ORDERS.columns[1],
                Column(name="note", dtype="text"),
            ),
            "foreign_keys": (),
            "primary_key": ("id", "customer_id"),
        }
    )
    found = difference(snapshot(CUSTOMERS, ORDERS, version="a"), snapshot(changed, Table(name="zones"), version="b"))
    assert (found.before, found.after, found.is_structural) == ("a", "b", True)
    assert [(one.full_name, one.verb) for one in found.tables] == [("customers", "removed"), ("orders", "changed"), ("zones", "added")]
    assert found.tables[1].changes == (
        Change("column", "changed", "id", "int", "bigint"),
        Change("column description", "added", "id", "", "key"),
        Change("column", "removed", "payer_id", before="int"),
        Change("column", "added", "note", after="text"),
        Change("primary key", "changed", "", "id", "id, customer_id"),
        Change("foreign key", "removed", before="(customer_id) -> customers (id)"),
    )


def test_a_difference_of_texts_alone_is_not_structural() -> None:
    found = difference(snapshot(ORDERS), snapshot(ORDERS.model_copy(update={"description": "Orders"})))
    assert not found.is_structural
    assert [change.part for table in found.tables for change in table.changes] == ["description"]


def test_a_schema_does_not_differ_from_itself_in_another_order() -> None:
    assert difference(snapshot(CUSTOMERS, ORDERS), snapshot(ORDERS, CUSTOMERS)).tables == ()
