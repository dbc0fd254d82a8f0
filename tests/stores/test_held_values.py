"""Are values found by the words of a question, and gone when they are to be?"""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.core.schema.contracts import HeldValues
from clew.core.schema.protocols import HeldCount, Holder
from clew.errors import IndexUnusable
from clew.stores.held_values import SqliteValues

COUNTIES = HeldValues(schema_name="public", table="schools", column="county", values=("Alameda", "San Francisco", "fresno"))
CODES = HeldValues(table="schools", column="code", left_out="more than 10,000")


@pytest.fixture
def values(tmp_path: Path) -> SqliteValues:
    return SqliteValues(tmp_path / "databases" / "values.db")


def test_a_value_is_found_by_folded_words_as_the_database_spells_it(values: SqliteValues) -> None:
    values.keep("it", (COUNTIES, CODES))
    found = values.holding(["alameda", "san francisco", "fresno", "san"], ["it"])
    assert found == tuple(
        Holder("it", "public", "schools", "county", key, text)
        for key, text in (("alameda", "Alameda"), ("fresno", "fresno"), ("san francisco", "San Francisco"))
    )
    assert values.count("it") == HeldCount(1, 3, ("schools.code: more than 10,000",))


def test_only_datasources_that_are_asked_are_looked_at(values: SqliteValues) -> None:
    values.keep("it", (COUNTIES,))
    values.keep("other", (COUNTIES,))
    assert {one.datasource for one in values.holding(["alameda"], ["other"])} == {"other"}


def test_what_is_kept_anew_takes_the_place_of_all_before(values: SqliteValues, tmp_path: Path) -> None:
    values.keep("it", (COUNTIES,))
    values.keep("other", (COUNTIES,))
    values.keep("it", ())
    assert values.holding(["alameda"], ["it"]) == ()
    assert values.count("it") == HeldCount()
    assert values.count("other").values == 3
    values.keep("other", ())
    assert b"San Francisco" not in (tmp_path / "databases" / "values.db").read_bytes()


def test_a_question_with_very_many_words_is_looked_up(values: SqliteValues) -> None:
    values.keep("it", (COUNTIES,))
    assert len(values.holding([f"word {number}" for number in range(2_000)] + ["alameda"], ["it"])) == 1


def test_nothing_is_made_where_nothing_is_to_be_kept(values: SqliteValues, tmp_path: Path) -> None:
    values.keep("it", ())
    assert values.holding(["alameda"], ["it"]) == ()
    assert not (tmp_path / "databases").exists()


def test_a_damaged_file_is_told_and_can_be_discarded(values: SqliteValues, tmp_path: Path) -> None:
    values.keep("it", (COUNTIES,))
    (tmp_path / "databases" / "values.db").write_bytes(b"no database at all" * 1_000)
    with pytest.raises(IndexUnusable):
        values.holding(["alameda"], ["it"])
    values.discard()
    values.keep("it", (COUNTIES,))
    assert values.count("it").values == 3
