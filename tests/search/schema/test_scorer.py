"""Which words find which tables and columns?"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.search.schema.shop import CUSTOMERS, SHOP, refers, snapshot, table

from clew.search.schema.index import Entry, build
from clew.search.schema.misspelling import Spellings
from clew.search.schema.scorer import Scorer
from clew.search.schema.vocabulary import abbreviations, cues, is_known, related, synonyms
from clew.search.schema.weights import WEIGHTS
from clew.search.schema.words import asked, name_words, text_words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("order_items", ("order", "item")),
        ("OrderItems", ("order", "item")),
        ("gasstations", ("gas", "station")),
        ("customerid", ("custom", "id")),
        ("pitstops", ("pit", "stop")),
        ("CDSCode", ("cds", "code")),
        ("address2", ("address", "2")),
        ("Größe", ("gross",)),
        ("", ()),
    ],
)
def test_names_are_split_and_stemmed(name: str, words: tuple[str, ...]) -> None:
    assert name_words(name) == words


def test_a_question_gives_words_cues_and_literals() -> None:
    found = asked('Who in "Acme Ltd" lived near Lake Tahoe in 1999?')
    assert {"live", "lake", "taho", "1999"} <= set(found.words)
    assert {"who", "(name)", "(year)"} <= set(found.cues)
    assert "Acme Ltd" in found.literals
    assert "acm" in found.quoted


def test_a_question_of_stop_words_alone_is_asked_as_it_is() -> None:
    assert asked("what is it").words


def test_a_possessive_is_no_word() -> None:
    assert asked("the customer's order").words == ("custom", "order")


def test_code_is_a_word_of_schemas() -> None:
    assert "code" in asked("the country code of each work order").words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("revenue of the last year", ("revenu",)),
        ("returns of the past 30 days", ("return",)),
        ("last names of customers", ("last", "name", "custom")),
        ("revenue per month", ("revenu", "month")),
        ("the top 5 customers", ("5", "custom")),
        ("the last three invoices", ("three", "invoic")),
        ("services in the alphabetical order", ("servic",)),
        ("ages of members in ascending lexicographical order", ("age", "member")),
        ("members sorted by age", ("member", "age")),
        ("customers who ordered by phone", ("custom", "order", "phone")),
        ("the order of events", ("order", "event")),
        ("no more than 3 rooms", ("3", "room")),
    ],
)
def test_phrases_that_sort_limit_or_date_an_answer_name_nothing(question: str, words: tuple[str, ...]) -> None:
    assert asked(question).words == words


@pytest.mark.parametrize(
    ("question", "is_dated"),
    [
        ("orders of last year", True),
        ("orders by day", True),
        ("orders of three weeks ago", True),
        ("orders today", True),
        ("monthly orders", True),
        ("last names", False),
        ("orders by customer", False),
        ("orders of this customer", False),
    ],
)
def test_a_stretch_of_time_asks_for_dates(question: str, is_dated: bool) -> None:
    assert ("(period)" in asked(question).cues) is is_dated


@pytest.mark.parametrize(("question", "is_month"), [("what may be late", False), ("orders of May 2020", True), ("orders of june", True)])
def test_a_month_is_written_with_a_capital_where_it_is_a_word_too(question: str, is_month: bool) -> None:
    assert bool({"may", "june"} & set(asked(question).cues)) is is_month


def test_descriptions_lose_words_that_every_sentence_holds() -> None:
    assert text_words("the name of the customer") == {"name", "custom"}


def test_lists_of_words_are_read() -> None:
    assert "depart" in abbreviations()["dept"]
    assert "custom" in synonyms()["client"]
    assert cues()["who"]
    assert "automobil" in related("car")[0]
    assert is_known("station")
    assert not is_known("gasstat")
    assert related("qqq") == ((), (), ())


def test_spellings_find_what_is_misspelt() -> None:
    found = Spellings(["warehous", "custom", "id"])
    assert set(found.like("warehosu")) == {"warehous"}
    assert found.like("zzz") == {}
    assert found.like("qqqqqqq") == {}


def scores(question: str) -> dict[str, float]:
    index = build([Entry(SHOP)])
    found = Scorer(index, WEIGHTS).score(asked(question))
    return {one.name: float(value) for one, value in zip(index.tables, found.tables, strict=True)}


def test_a_neighbour_of_what_is_asked_for_beats_a_stranger() -> None:
    found = scores("orders")
    assert found["orders"] > found["customers"] > found["warehouses"] == 0


def test_keys_between_likely_tables_are_likely_columns() -> None:
    index = build([Entry(SHOP)])
    found = Scorer(index, WEIGHTS).score(asked("orders of customers")).columns
    by_name = {f"{index.tables[index.table_of[at]].name}.{column.name}": found[at] for at, column in enumerate(index.columns)}
    assert by_name["orders.customer_id"] > by_name["orders.placed_at"]
    assert by_name["customers.id"] > by_name["customers.county"]


def column_scores(question: str) -> dict[str, float]:
    index = build([Entry(SHOP)])
    found = Scorer(index, WEIGHTS).score(asked(question)).columns
    return {f"{index.tables[index.table_of[at]].name}.{column.name}": float(found[at]) for at, column in enumerate(index.columns)}


@pytest.mark.parametrize("question", ["orders last year", "orders in 2021", "orders since 3/4/2021", "when orders came", "orders per week"])
def test_a_time_is_answered_by_columns_that_hold_times(question: str) -> None:
    dated, plain = column_scores(question), column_scores("orders")
    assert dated["orders.placed_at"] - plain["orders.placed_at"] > 0.9
    assert dated["orders.placed_at"] > dated["orders.status"]


def test_last_year_is_no_last_name() -> None:
    people = table("people", "id integer, last_name text, joined timestamp", key="id")
    index = build([Entry(snapshot(people))])
    found = dict(zip((one.name for one in index.columns), Scorer(index, WEIGHTS).score(asked("people of last year")).columns, strict=True))
    assert found["joined"] > found["last_name"]


def test_tables_without_columns_are_scored() -> None:
    index = build([Entry(snapshot(table("empty", "x").model_copy(update={"columns": ()}), CUSTOMERS))])
    found = Scorer(index, WEIGHTS).score(asked("empty customers"))
    assert (found.tables > 0).all()


def test_a_datasource_that_answers_more_of_the_question_comes_first() -> None:
    one = snapshot(
        table("users", "id integer, karma integer", key="id"),
        table("posts", "id integer, user_id integer", key="id", keys=(refers("user_id", "users", "id"),)),
        datasource="forum",
    )
    other = snapshot(table("users", "id integer, tier text", key="id"), datasource="shop")
    index = build([Entry(one), Entry(other)])
    found = Scorer(index, WEIGHTS).score(asked("users and their posts")).tables
    by_name = {(index.entries[index.datasource_of[at]].snapshot.datasource, one.name): found[at] for at, one in enumerate(index.tables)}
    assert by_name["forum", "users"] > by_name["shop", "users"]


_PRINTS = """
from clew.core.schema.answer import SchemaQuestion
from clew.search.schema.index import Entry
from clew.search.schema.retrieval import SchemaSearch
from tests.search.schema.shop import SHOP
print(SchemaSearch([Entry(SHOP)]).answer(SchemaQuestion("clients and the merchandise they bought in warehosue", max_tokens=150)))
"""


def test_two_processes_give_the_same_answer() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", _PRINTS],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
