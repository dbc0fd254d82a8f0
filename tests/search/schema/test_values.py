"""Do values that are kept apart from the schema lead a question to their columns?"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.search.schema.shop import ORDERS, SHOP, snapshot

from clew.core.schema.answer import SchemaAnswer, SchemaQuestion
from clew.core.schema.contracts import HeldValues
from clew.search.schema.index import Entry
from clew.search.schema.retrieval import SchemaSearch
from clew.stores.held_values import SqliteValues

SECOND = snapshot(ORDERS, datasource="second")


@pytest.fixture
def values(tmp_path: Path) -> SqliteValues:
    kept = SqliteValues(tmp_path / "values.db")
    kept.keep(
        "shop",
        (
            HeldValues(table="customers", column="county", values=("Alameda", "San Francisco", "orders", "São Tomé")),
            HeldValues(table="warehouses", column="city", values=("San Jose", "Rome")),
            HeldValues(table="gone", column="nowhere", values=("Alameda",)),
        ),
    )
    return kept


def ask(values: SqliteValues, text: str, **more: object) -> SchemaAnswer:
    return SchemaSearch([Entry(SHOP)]).answer(SchemaQuestion(text, **more), None, values)  # type: ignore[arg-type]


def best(answer: SchemaAnswer) -> str:
    columns = [(one.score, f"{found.table.name}.{one.column.name}") for found in answer.tables for one in found.columns]
    return max(columns)[1]


@pytest.mark.parametrize("said", ["Alameda", "alameda", "ALAMEDA", "San Francisco", "san-francisco", "sao tome"])
def test_a_kept_value_finds_its_column_however_it_is_written(values: SqliteValues, said: str) -> None:
    assert best(ask(values, f"how many are in {said}?")) == "customers.county"


def test_the_reason_spells_the_value_as_the_database_does(values: SqliteValues) -> None:
    found = ask(values, "how many are in san francisco?").tables[0]
    assert found.table.name == "customers"
    assert "holds the value San Francisco" in found.columns[0].reasons
    assert "San Francisco" not in ask(values, "how many are in san francisco?").ddl


def test_who_may_not_see_values_cannot_find_out_whether_there_is_one(values: SqliteValues) -> None:
    for question in ("how many are in {}?", "customers in '{}'", "{}"):
        there, absent = (ask(values, question.format(said), may_see_samples=False) for said in ("Alameda", "Xanadu"))
        assert str(there).replace("Alameda", "Xanadu") == str(absent)
        assert "a value" not in str(there)


def test_a_word_that_names_a_table_is_no_value_unless_it_is_quoted(values: SqliteValues) -> None:
    assert not any(
        "holds the value" in reason for one in ask(values, "all orders").tables for each in one.columns for reason in each.reasons
    )
    assert "holds the value orders" in str(ask(values, 'where is "orders"').tables)


def test_values_of_a_datasource_that_is_not_asked_are_not_looked_at(values: SqliteValues) -> None:
    answer = SchemaSearch([Entry(SECOND)]).answer(SchemaQuestion("how many are in Alameda"), None, values)
    assert "Alameda" not in str([one.reasons for one in answer.tables])


def test_values_that_cannot_be_looked_up_are_a_warning(values: SqliteValues, tmp_path: Path) -> None:
    (tmp_path / "values.db").write_bytes(b"no database at all" * 1_000)
    answer = ask(values, "customers in Alameda")
    assert any("values of columns were not looked up" in one for one in answer.warnings)
    assert answer.tables[0].table.name == "customers"
