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


def test_the_name_of_the_only_key_called_so_means_it() -> None:
    payments = table("pymt", "pid integer, amount numeric", key="pid")
    assert believed(payments, table("rfnd", "rid integer, pid integer", key="rid")) == {"rfnd.pid -> pymt.pid"}
    assert believed(payments, table("rfnd", "rid integer, pid text", key="rid")) == set()


def test_names_without_words_are_linked_by_their_keys() -> None:
    one = table("t_012", "prod_id integer, nm text", key="prod_id")
    assert believed(one, table("t_047", "ln_id integer, prod_id integer", key="ln_id")) == {"t_047.prod_id -> t_012.prod_id"}


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("carriers", "carr_id"),
        ("carr", "carrier_id"),
        ("shipments", "shpmt_id"),
        ("shpmt", "shipment_id"),
        ("cargo_holds", "crg_hold_id"),
        ("crg_hold", "cargo_hold_id"),
    ],
)
def test_short_forms_of_a_table_mean_it(name: str, column: str) -> None:
    assert believed(table(name, "id integer", key="id"), table("loads", f"ld integer, {column} integer", key="ld")) == {
        f"loads.{column} -> {name}.id"
    }


def test_what_may_be_short_for_two_tables_means_neither() -> None:
    one, other = table("carriers", "id integer", key="id"), table("carriages", "id integer", key="id")
    assert believed(one, other, table("loads", "ld integer, carr_id integer", key="ld")) == set()


@pytest.mark.parametrize("column", ["team", "home_team", "team_2", "team_id_2"])
def test_a_number_named_as_a_table_means_its_key(column: str) -> None:
    teams = table("team", "team_id integer, name text", key="team_id")
    assert believed(teams, table("match", f"round integer, {column} integer", key="round")) == {f"match.{column} -> team.team_id"}


@pytest.mark.parametrize("column", ["team text", "number_of_team integer", "home_teams integer"])
def test_a_text_or_a_count_named_as_a_table_means_nothing(column: str) -> None:
    teams = table("team", "team_id integer, name text", key="team_id")
    assert believed(teams, table("match", f"round integer, {column}", key="round")) == set()


def test_of_tables_with_the_same_key_the_one_that_is_named_is_meant() -> None:
    shared = [table(name, "race_id integer", key="race_id") for name in ("races", "lap_times", "pit_stops")]
    found = believed(*shared, table("results", "id integer, race_id integer", key="id"))
    assert "results.race_id -> races.race_id" in found and not any(one.startswith("results") and "races" not in one for one in found)
    stations = [table(name, "station_id integer", key="station_id") for name in ("gas_station", "station_staff", "station_tank")]
    assert "pumps.station_id -> gas_station.station_id" in believed(*stations, table("pumps", "id integer, station_id integer", key="id"))


def test_a_key_of_nature_behind_the_one_that_was_made_is_meant_by_its_name() -> None:
    business = table("business", "bid integer, business_id text", key="bid")
    assert believed(business, table("review", "rid integer, business_id text", key="rid")) == {"review.business_id -> business.business_id"}


@pytest.mark.parametrize("column", ["parent_id", "parent_category_id"])
def test_a_parent_is_a_row_of_the_table_itself(column: str) -> None:
    assert believed(table("categories", f"id integer, {column} integer", key="id")) == {f"categories.{column} -> categories.id"}


LINES = table("order_lines", "order_id integer, line_no integer, product text", key="order_id line_no")


def test_a_key_of_several_columns_is_inferred_whole() -> None:
    (link,) = inferred(snapshot(LINES, table("returns", "id integer, order_id integer, line_no integer", key="id")))
    assert (link.key.columns, link.key.referred_table, link.key.referred_columns) == (
        ("order_id", "line_no"),
        "order_lines",
        ("order_id", "line_no"),
    )


def test_a_part_of_it_other_types_or_another_such_key_mean_nothing() -> None:
    assert believed(LINES, table("returns", "id integer, order_id integer", key="id")) == set()
    assert believed(LINES, table("returns", "id integer, order_id integer, line_no text", key="id")) == set()
    twin = LINES.model_copy(update={"name": "order_lines_old"})
    assert believed(LINES, twin, table("returns", "id integer, order_id integer, line_no integer", key="id")) == set()


def test_the_key_of_a_table_that_joins_two_is_none_to_refer_to() -> None:
    students, courses = table("students", "id integer", key="id"), table("courses", "id integer", key="id")
    taken = table("student_courses", "student_id integer, course_id integer", key="student_id course_id")
    found = believed(students, courses, taken, table("marks", "id integer, student_id integer, course_id integer", key="id"))
    assert not any(one.endswith(("student_courses.student_id", "student_courses.course_id")) for one in found)


def test_rows_that_were_put_away_do_not_refer_to_those_that_are_there() -> None:
    orders = table("orders", "order_id integer", key="order_id")
    assert believed(orders, table("orders_archive", "order_id integer", key="order_id")) == set()
    assert believed(orders, table("order_details", "order_id integer", key="order_id"))


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
