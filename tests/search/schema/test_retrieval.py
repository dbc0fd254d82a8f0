"""What does a question about databases bring back?"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import pytest
from tests.search.schema.shop import CUSTOMERS, ORDERS, PRODUCTS, SHOP, refers, snapshot, table, with_samples

from clew.core.schema.answer import SchemaAnswer, SchemaQuestion
from clew.core.schema.contracts import Snapshot, Unread
from clew.core.schema.meaning import Meanings, Metric, TableMeaning, Term
from clew.core.schema.protocols import Proposal
from clew.core.tokens import count_tokens
from clew.errors import Unreachable, UsageError
from clew.search.schema.confidence import WEAK
from clew.search.schema.index import Entry
from clew.search.schema.retrieval import SchemaSearch


def ask(text: str, *snapshots: Snapshot, meanings: Meanings | None = None, **more: object) -> SchemaAnswer:
    entries = [Entry(one, meanings or Meanings()) for one in snapshots or (SHOP,)]
    return SchemaSearch(entries).answer(SchemaQuestion(text, **more))  # type: ignore[arg-type]


def names(answer: SchemaAnswer) -> list[str]:
    return [one.table.name for one in answer.tables]


def columns(answer: SchemaAnswer) -> list[str]:
    """All columns of an answer, best first."""
    found = [(column.score, table.table.name, column.column.name) for table in answer.tables for column in table.columns]
    return [f"{name}.{column}" for _, name, column in sorted(found, key=lambda one: -one[0])]


def test_the_table_that_is_named_comes_first() -> None:
    assert names(ask("which orders were placed yesterday"))[0] == "orders"


def test_a_plural_a_case_and_another_word_for_it_find_the_same_table() -> None:
    assert names(ask("ORDER status"))[0] == "orders"
    assert names(ask("email of every client"))[0] == "customers"


def test_the_columns_that_are_asked_for_come_before_others() -> None:
    assert columns(ask("last name and email of customers"))[:2] in (
        ["customers.last_name", "customers.email"],
        ["customers.email", "customers.last_name"],
    )


def test_a_misspelt_name_is_found() -> None:
    assert names(ask("warehosue"))[0] == "warehouses"


def test_tables_between_those_that_are_asked_for_complete_the_answer() -> None:
    answer = ask("email of customers and the sku of products", limit=4, max_tokens=0)
    assert set(names(answer)) == {"customers", "products", "orders", "order_items"}
    conditions = [join.condition for join in answer.joins]
    assert "orders.customer_id = customers.id" in conditions
    assert "order_items.product_id = products.id" in conditions


def test_a_bridge_is_marked_and_stands_behind_what_was_asked_for() -> None:
    left, right = table("alpha", "id integer, colour text", key="id"), table("beta", "id integer, shape text", key="id")
    between = table("x_y", "l integer, r integer", key="l r", keys=(refers("l", "alpha", "id"), refers("r", "beta", "id")))
    answer = ask("alpha colour, beta shape", snapshot(left, right, between), limit=2)
    assert names(answer) == ["alpha", "beta"]
    answer = ask("alpha colour, beta shape", snapshot(left, right, between), limit=3)
    assert names(answer)[2] == "x_y"


def test_a_schema_that_fits_the_budget_is_returned_whole() -> None:
    answer = ask("customers")
    assert answer.full_snapshot
    for name in ("customers", "orders", "order_items", "products", "warehouses"):
        assert f"CREATE TABLE {name} (" in answer.ddl


def test_the_budget_is_kept_and_the_best_columns_are_what_is_shown() -> None:
    wide = table("customers", "id integer, " + ", ".join(f"filler_{i} text" for i in range(300)) + ", email text", key="id")
    answer = ask("email of customers", snapshot(wide, ORDERS), max_tokens=120)
    assert not answer.full_snapshot
    assert answer.tokens == count_tokens(answer.ddl) <= 120
    assert "email text" in answer.ddl


@pytest.mark.parametrize("budget", [0, 30, 60, 100, 150, 200, 400, 2000])
def test_the_ddl_runs_as_it_stands_at_every_budget(budget: int) -> None:
    answer = ask("email of customers and the price of what they ordered", max_tokens=budget)
    sqlite3.connect(":memory:").executescript(answer.ddl)
    assert not budget or answer.tokens <= budget


def test_nothing_found_gives_the_schema_with_a_warning() -> None:
    answer = ask("zzyzx qqfrobnicate")
    assert answer.full_snapshot
    assert answer.tables
    assert "CREATE TABLE customers" in answer.ddl
    assert any("nothing in the schema matches" in one for one in answer.warnings)


def test_nothing_found_in_a_large_schema_keeps_to_the_budget() -> None:
    many = [table(f"t{i}", "id integer, " + ", ".join(f"c{j} text" for j in range(20)), key="id") for i in range(200)]
    answer = ask("zzyzx", snapshot(*many), max_tokens=500)
    assert answer.full_snapshot
    assert 0 < answer.tokens <= 500
    assert any("as far as the budget goes" in one for one in answer.warnings)


def test_no_question_fails() -> None:
    for text in ("", " ", "?", "'", "the of and", "\x00\ud800", "a" * 100_000, "日本語", "💥 " * 50, "\u2028"):
        assert ask(text).tables


def test_a_datasource_without_tables_is_answered() -> None:
    answer = ask("anything", snapshot())
    assert answer.tables == ()


def test_a_datasource_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="nowhere"):
        ask("x", datasources=("nowhere",))


def test_the_latest_version_is_asked_unless_another_is_named() -> None:
    old = snapshot(table("invoices", "id integer", key="id"), version="20250101000000_bbbbbbbb")
    new = snapshot(table("bills", "id integer", key="id"), version="20260101000000_aaaaaaaa")
    search = SchemaSearch([Entry(new), Entry(old)])
    assert names(search.answer(SchemaQuestion("invoices"))) == ["bills"]
    answer = search.answer(SchemaQuestion("invoices", schema_version=old.version))
    assert names(answer) == ["invoices"]
    assert answer.schema_versions == {"shop": old.version}


def test_one_name_in_two_datasources_gives_both_labelled() -> None:
    shop = snapshot(table("users", "id integer, loyalty_tier text", key="id"), datasource="shop")
    forum = snapshot(table("users", "id integer, karma integer", key="id"), datasource="forum")
    assert {(one.datasource, one.table.name) for one in ask("users", shop, forum).tables} == {("shop", "users"), ("forum", "users")}
    assert ask("karma", shop, forum).tables[0].datasource == "forum"
    assert ask("loyalty tier", shop, forum).tables[0].datasource == "shop"


def test_a_value_of_a_column_finds_it() -> None:
    found = ask("how many schools are in Alameda", snapshot(with_samples(CUSTOMERS, "county", "Alameda", "Fresno"), ORDERS, PRODUCTS))
    assert columns(found)[0] == "customers.county"
    assert "holds the value" in found.tables[0].columns[0].reasons[0]


def test_samples_stay_out_of_an_answer_for_who_may_not_see_them() -> None:
    shown = ask("customers in Alameda", snapshot(with_samples(CUSTOMERS, "county", "Alameda")), may_see_samples=False)
    assert "Alameda" not in shown.ddl
    assert all(not column.column.statistics or not column.column.statistics.samples for one in shown.tables for column in one.columns)
    assert all(not column.statistics or not column.statistics.samples for one in shown.tables for column in one.table.columns)
    assert "Alameda" in ask("customers in Alameda", snapshot(with_samples(CUSTOMERS, "county", "Alameda"))).ddl
    there, absent = (
        ask(f"who is in {said}", snapshot(with_samples(CUSTOMERS, "county", "Alameda"), ORDERS), may_see_samples=False)
        for said in ("Alameda", "Xanadu")
    )
    assert str(there).replace("Alameda", "Xanadu") == str(absent)


def test_a_glossary_term_leads_to_what_it_stands_for() -> None:
    meanings = Meanings(glossary=(Term(term="backlog", table="orders", columns=("status",), condition="status = 'open'"),))
    answer = ask("how large is the backlog", meanings=meanings)
    assert names(answer)[0] == "orders"
    assert columns(answer)[0] == "orders.status"
    assert "glossary: backlog" in answer.tables[0].reasons
    assert "status = 'open'" in answer.ddl
    assert answer.full_snapshot
    assert "CREATE TABLE warehouses" in answer.ddl


def test_synonyms_that_were_added_to_a_table_find_it() -> None:
    meanings = Meanings(tables=(TableMeaning(table="warehouses", synonyms=("fulfilment hub",)),))
    assert names(ask("fulfilment hub", meanings=meanings))[0] == "warehouses"


def test_a_metric_is_found_and_brings_its_tables() -> None:
    revenue = Metric(
        name="net revenue", expression="sum(quantity * price)", tables=("order_items", "products"), columns=("products.price",)
    )
    answer = ask("net revenue by month", meanings=Meanings(metrics=(revenue,)))
    assert [one.metric.name for one in answer.metrics] == ["net revenue"]
    assert set(names(answer)[:2]) == {"order_items", "products"}
    assert ask("warehouses", meanings=Meanings(metrics=(revenue,))).metrics == ()


def test_what_metrics_and_terms_name_that_is_not_there_is_said_where_they_are_used() -> None:
    revenue = Metric(name="net revenue", expression="sum(totl)", tables=("order_itms",), columns=("products.price", "products.prize"))
    backlog = Term(term="backlog", table="ordres", columns=("orders.status",), condition="status = 'open'")
    meanings = Meanings(metrics=(revenue,), glossary=(backlog,))
    said = ask("net revenue by month", meanings=meanings).warnings
    assert "the metric net revenue names what the schema does not have: order_itms, products.prize" in said
    assert "the term backlog names what the schema does not have: ordres" in ask("size of the backlog", meanings=meanings).warnings
    assert not any("does not have" in one for one in ask("warehouses", meanings=meanings).warnings)


class Near:
    """A vector leg that proposes what it was told."""

    def __init__(self, *proposals: Proposal) -> None:
        self.proposals = proposals
        self.asked: list[str] = []

    model = "another"

    def nearest(self, question: str, versions: Sequence[tuple[str, str]], kinds: Sequence[str], limit: int) -> tuple[Proposal, ...]:
        self.asked.append(question)
        return tuple(one for one in self.proposals if one.kind in kinds)[:limit]


class Broken:
    """A vector leg whose server is gone."""

    model = ""

    def nearest(self, question: str, versions: Sequence[tuple[str, str]], kinds: Sequence[str], limit: int) -> tuple[Proposal, ...]:
        raise Unreachable("the vector store does not answer", hint="start it")


def test_what_vectors_propose_is_found_where_no_word_matches() -> None:
    near = Near(Proposal("shop", "table", "", "warehouses", "", 0.7), Proposal("shop", "table", "", "orders", "", 0.3))
    answer = SchemaSearch([Entry(SHOP)]).answer(SchemaQuestion("zzyzx"), near)
    assert names(answer)[0] == "warehouses"
    assert (answer.confidence, answer.warnings) == ("low", (WEAK,))


@pytest.mark.parametrize(
    ("question", "level"),
    [
        ("first name of customers who placed orders", "high"),
        ("orders", "high"),
        ("sku", "high"),
        ("parse the http header of a websocket", "none"),
        ("zzyzx", "none"),
    ],
)
def test_an_answer_knows_whether_it_has_to_do_with_the_question(question: str, level: str) -> None:
    answer = ask(question)
    assert answer.confidence == level, answer.confidence_score
    assert answer.tables
    assert answer.ddl
    assert any("nothing in the schema matches" in one for one in answer.warnings) is (level == "none")


def test_what_somebody_wrote_down_makes_an_answer_likely() -> None:
    meanings = Meanings(glossary=(Term(term="backlog", table="orders", columns=("status",)),))
    assert ask("the backlog of yesterday's meeting", meanings=meanings).confidence in ("medium", "high")


ADDRESSES = table("addresses", "id integer, city text", key="id")
PARCELS = table(
    "parcels",
    "id integer, origin_id integer, target_id integer",
    key="id",
    keys=(refers("origin_id", "addresses", "id"), refers("target_id", "addresses", "id")),
)


@pytest.mark.parametrize(("meant", "other"), [("origin_id", "target_id"), ("target_id", "origin_id")])
def test_of_two_links_between_two_tables_the_one_that_is_near_in_meaning_gives_the_columns(meant: str, other: str) -> None:
    near = Near(Proposal("shop", "relationship", "", "parcels", meant, 0.6), Proposal("shop", "relationship", "", "parcels", other, 0.2))
    answer = SchemaSearch([Entry(snapshot(ADDRESSES, PARCELS))]).answer(SchemaQuestion("parcels and addresses"), near)
    scores = {f"{one.table.name}.{each.column.name}": each.score for one in answer.tables for each in one.columns}
    assert scores[f"parcels.{meant}"] > scores[f"parcels.{other}"]
    reasons = next(each.reasons for one in answer.tables for each in one.columns if each.column.name == meant)
    assert any("link" in one for one in reasons)


@pytest.mark.parametrize("meant", ["one", "other"])
def test_of_two_datasources_with_the_same_tables_the_one_that_is_near_in_meaning_comes_first(meant: str) -> None:
    entries = [Entry(snapshot(CUSTOMERS, datasource=name)) for name in ("one", "other")]
    far = "one" if meant == "other" else "other"
    near = Near(Proposal(meant, "datasource", "", meant, "", 0.6), Proposal(far, "datasource", "", far, "", 0.2))
    assert [one.datasource for one in SchemaSearch(entries).answer(SchemaQuestion("email of customers"), near).tables] == [meant, far]


def test_the_glossary_is_in_what_the_vector_leg_is_asked() -> None:
    near = Near()
    meanings = Meanings(glossary=(Term(term="backlog", table="orders", columns=("status",)),))
    SchemaSearch([Entry(SHOP, meanings)]).answer(SchemaQuestion("backlog"), near)
    assert "orders status" in near.asked[0]


def test_a_leg_that_fails_is_said_and_the_schema_fills_the_budget() -> None:
    answer = SchemaSearch([Entry(SHOP)]).answer(SchemaQuestion("customers", max_tokens=200), Broken())
    assert names(answer)[0] == "customers"
    assert answer.full_snapshot
    assert any("vector" in one for one in answer.warnings)


def test_what_could_not_be_read_is_said() -> None:
    answer = ask("customers", snapshot(CUSTOMERS, unread=(Unread(name="secrets", reason="permission denied"),)))
    assert any("secrets" in one for one in answer.warnings)


def test_the_trace_says_which_leg_proposed_what_and_what_was_dropped() -> None:
    answer = ask("email of customers", limit=1, explain=True)
    first = answer.trace[0]
    assert (first.name, first.kind, first.leg, first.kept) == ("customers", "table", "words", True)
    assert first.score > 0
    assert any(one.kind == "column" and one.name == "customers.email" for one in answer.trace)


def test_the_same_question_gives_the_same_answer() -> None:
    once = ask("price of products ordered by customers", max_tokens=150)
    assert all(ask("price of products ordered by customers", max_tokens=150) == once for _ in range(10))


def test_the_order_of_datasources_does_not_matter() -> None:
    other = snapshot(table("users", "id integer, karma integer", key="id"), datasource="forum")
    assert ask("customer email", SHOP, other) == ask("customer email", other, SHOP)


def test_tables_for_which_the_ddl_has_no_room_are_said() -> None:
    answer = ask("orders of customers with products", max_tokens=90)
    shown = [one.table.name for one in answer.tables if f"CREATE TABLE {one.table.name} (" in answer.ddl]
    assert shown
    assert answer.omitted == tuple(one.table.name for one in answer.tables if one.table.name not in shown)
    assert any(
        f"no room for {len(answer.omitted)} of the {len(answer.tables)} tables found, in 90 tokens: " in one for one in answer.warnings
    )
    none = ask("orders of customers with products", max_tokens=10)
    assert len(none.omitted) == len(none.tables)
    assert "not one table fits in 10 tokens" in none.warnings
    roomy = ask("orders of customers with products")
    assert (roomy.omitted, roomy.warnings) == ((), ())
