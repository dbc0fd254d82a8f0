"""How are tables joined, and which are missing between them?"""

from __future__ import annotations

from tests.search.schema.shop import SHOP, refers, snapshot, table

from clew.core.schema.contracts import Snapshot
from clew.search.schema.bridges import bridges
from clew.search.schema.joins import joins
from clew.search.schema.links import LinkGraph, links


def conditions(schema: Snapshot) -> list[str]:
    return [one.condition for one in joins(schema, links(schema), range(len(schema.tables)))]


def test_a_composite_key_joins_all_its_pairs_in_their_order() -> None:
    line = table("quote_line", "a integer, b integer, c integer", keys=(refers("a b c", "price", "prc prd ptp"),))
    price = table("price", "prc integer, prd integer, ptp integer", key="prc prd ptp")
    assert conditions(snapshot(line, price)) == ["quote_line.a = price.prc AND quote_line.b = price.prd AND quote_line.c = price.ptp"]


def test_a_table_that_refers_to_itself_gets_an_alias() -> None:
    own = table("employee", "id integer, boss_id integer", key="id", keys=(refers("boss_id", "employee", "id"),))
    assert conditions(snapshot(own)) == ["employee.boss_id = employee_2.id"]


def test_two_keys_between_the_same_tables_are_two_joins() -> None:
    flight = table(
        "flight",
        "id integer, origin integer, target integer",
        key="id",
        keys=(refers("origin", "airport", "id"), refers("target", "airport", "id")),
    )
    assert conditions(snapshot(flight, table("airport", "id integer", key="id"))) == [
        "flight.origin = airport.id",
        "flight.target = airport.id",
    ]


def test_names_are_quoted_where_the_dialect_needs_it() -> None:
    tables = (
        table("order", "id integer, user integer", schema="public", key="id", keys=(refers("user", "User", "id", schema="public"),)),
        table("User", "id integer", schema="public", key="id"),
    )
    assert conditions(snapshot(*tables, dialect="postgres", default_schema="public")) == ['"order"."user" = "User".id']
    assert conditions(snapshot(*tables, dialect="mysql", default_schema="public")) == ["`order`.`user` = `User`.id"]


def test_a_key_across_schemas_keeps_both() -> None:
    song = table(
        "song", "id integer, author_id integer", schema="music", key="id", keys=(refers("author_id", "author", "id", schema="public"),)
    )
    author = table("author", "id integer", schema="public", key="id")
    assert conditions(snapshot(song, author, dialect="postgres", default_schema="public")) == ["music.song.author_id = author.id"]


def test_cardinality_comes_from_the_keys() -> None:
    one = table("profile", "user_id integer", key="user_id", keys=(refers("user_id", "users", "id"),))
    many = table("posts", "id integer, user_id integer", key="id", keys=(refers("user_id", "users", "id"),))
    schema = snapshot(one, many, table("users", "id integer", key="id"))
    found = {join.left: join.cardinality for join in joins(schema, links(schema), range(3))}
    assert found == {"profile": "one-to-one", "posts": "many-to-one"}


def places(*names: str) -> list[int]:
    return [next(place for place, one in enumerate(SHOP.tables) if one.name == name) for name in names]


def test_the_shortest_way_between_chosen_tables_is_added() -> None:
    graph = LinkGraph(links(SHOP))
    assert bridges(places("customers", "products"), graph) == tuple(places("orders", "order_items"))
    assert bridges(places("customers", "orders"), graph) == ()
    assert bridges(places("customers", "warehouses"), graph) == ()
    assert bridges([], graph) == ()
