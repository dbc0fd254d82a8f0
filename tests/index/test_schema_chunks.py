"""Do a schema's chunks say what they must: typed, with an id and a text of their own, every key, every metric?"""

from __future__ import annotations

import json

from clew.core.schema.chunks import ColumnChunk, DatasourceChunk, MetricChunk, RelationshipChunk, SchemaChunk, TableChunk
from clew.core.schema.contracts import Column, ColumnStatistics, ForeignKey, Snapshot, Table, UniqueKey
from clew.core.schema.meaning import Meanings, Metric, TableMeaning, Term
from clew.index.schema_chunks import schema_documents, with_keys

VERSION = "20260102030405_0a1b2c3d"
SECRET = ColumnStatistics(sampled_rows=3, null_share=0.0, distinct=3, minimum="ada@x.org", maximum="zoe@x.org", samples=("ada@x.org",))
CUSTOMERS = Table(
    schema_name="public",
    name="customers",
    columns=(
        Column(name="id", dtype="integer", nullable=False),
        Column(name="email", dtype="text", description="Where invoices go.", pii="email", statistics=SECRET),
        Column(name="mood", dtype="mood", allowed=("happy", "sad")),
    ),
    primary_key=("id",),
    unique_keys=(UniqueKey(columns=("email",), name="customers_email_key"),),
    description="Who buys.",
    row_count=42,
)


def key(*columns: str, to: str = "customers", name: str = "", **more: object) -> ForeignKey:
    known = {"columns": columns, "referred_schema": "public", "referred_table": to, "referred_columns": ("id",), "name": name}
    return ForeignKey.model_validate(known | more)


ORDERS = Table(
    schema_name="public",
    name="orders",
    columns=(Column(name="id"), Column(name="customer_id"), Column(name="payer_id")),
    primary_key=("id",),
    foreign_keys=(key("customer_id", name="a"), key("payer_id", name="b")),
)
SHOP = Snapshot(datasource="shop", dialect="postgres", tables=(CUSTOMERS, ORDERS), version=VERSION, description="Orders of the shop.")


def chunks(snapshot: Snapshot = SHOP, meanings: Meanings | None = None) -> dict[str, SchemaChunk]:
    made = [chunk for document in schema_documents(snapshot, meanings or Meanings()) for chunk in document.chunks]
    assert len({chunk.id for chunk in made}) == len(made)
    return {chunk.id: chunk for chunk in made}


def test_every_part_of_a_schema_is_a_chunk_with_an_id_that_carries_the_version() -> None:
    assert list(chunks()) == [
        f"schema.datasource:shop:{VERSION}",
        f"schema.table:public.customers:{VERSION}",
        f"schema.column:public.customers.id:{VERSION}",
        f"schema.column:public.customers.email:{VERSION}",
        f"schema.column:public.customers.mood:{VERSION}",
        f"schema.table:public.orders:{VERSION}",
        f"schema.column:public.orders.id:{VERSION}",
        f"schema.column:public.orders.customer_id:{VERSION}",
        f"schema.column:public.orders.payer_id:{VERSION}",
        f"schema.relationship:public.orders.customer_id->public.customers.id:{VERSION}",
        f"schema.relationship:public.orders.payer_id->public.customers.id:{VERSION}",
    ]


def test_metadata_is_json_and_names_datasource_and_version_in_every_chunk() -> None:
    metric = Metric(name="revenue", definition="What was paid.", grain=("day",), source="metrics.yml")
    made = chunks(meanings=Meanings(metrics=(metric,)))
    assert {type(chunk) for chunk in made.values()} == {DatasourceChunk, TableChunk, ColumnChunk, RelationshipChunk, MetricChunk}
    for chunk in made.values():
        known = json.loads(json.dumps(chunk.get_metadata(may_see_samples=True)))
        assert (known["datasource_id"], known["schema_version"], known["id"]) == ("shop", VERSION, chunk.id)


def test_a_table_tells_its_columns_keys_and_rows() -> None:
    known = chunks()[f"schema.table:public.customers:{VERSION}"].get_metadata()
    assert known["columns"] == ["id", "email", "mood"]
    assert (known["primary_key"], known["row_count"], known["keys"]) == (["id"], 42, ["unique: email"])
    text = chunks()[f"schema.table:public.customers:{VERSION}"].get_page_content()
    assert text.split("\n")[:3] == ["shop", "table public.customers", "Who buys."]


def test_values_of_rows_are_in_no_text_and_in_metadata_only_for_who_may_see_them() -> None:
    made = chunks()
    assert not any("ada@x.org" in chunk.get_page_content() for chunk in made.values())
    assert not any("ada@x.org" in str(chunk.get_metadata()) for chunk in made.values())
    email = made[f"schema.column:public.customers.email:{VERSION}"]
    assert email.get_metadata(may_see_samples=True)["samples"] == ["ada@x.org"]
    assert (email.get_metadata()["distinct"], email.get_metadata()["pii"]) == (3, "email")


def test_no_text_holds_the_version() -> None:
    assert not any("2026" in chunk.get_page_content() for chunk in chunks().values())


def test_a_relationship_tells_its_pairs_of_columns_and_how_many_go_with_how_many() -> None:
    known = chunks()[f"schema.relationship:public.orders.customer_id->public.customers.id:{VERSION}"].get_metadata()
    assert known["column_pairs"] == ["public.orders.customer_id = public.customers.id"]
    assert (known["cardinality"], known["inferred"]) == ("many-to-one", "")


def test_two_keys_over_the_same_columns_are_two_chunks_and_the_same_key_twice_is_one() -> None:
    orders = ORDERS.model_copy(update={"foreign_keys": (key("customer_id", name="a"), key("customer_id", name="b"))})
    twice = chunks(SHOP.model_copy(update={"tables": (CUSTOMERS, orders)}))
    assert [chunk.get_metadata()["constraint"] for chunk in twice.values() if isinstance(chunk, RelationshipChunk)] == ["a", "b"]
    orders = ORDERS.model_copy(update={"foreign_keys": (key("customer_id", name="a"),) * 2})
    once = chunks(SHOP.model_copy(update={"tables": (CUSTOMERS, orders)}))
    assert sum(isinstance(chunk, RelationshipChunk) for chunk in once.values()) == 1


def test_what_was_added_to_a_table_stands_in_its_chunks_and_what_does_not_exist_in_none() -> None:
    added = TableMeaning(
        schema_name="public",
        table="customers",
        synonyms=("clients",),
        domain="sales",
        questions=("Who buys most?",),
        column_descriptions={"mood": "How they felt.", "nothing": "imagined"},
        column_synonyms={"email": ("contact",)},
    )
    made = chunks(meanings=Meanings(tables=(added, TableMeaning(table="imagined", description="imagined"))))
    table = made[f"schema.table:public.customers:{VERSION}"].get_page_content()
    assert all(word in table for word in ("clients", "sales", "Who buys most?"))
    assert "How they felt." in made[f"schema.column:public.customers.mood:{VERSION}"].get_page_content()
    assert "contact" in made[f"schema.column:public.customers.email:{VERSION}"].get_page_content()
    assert not any("imagined" in chunk.get_page_content() for chunk in made.values())


def test_a_glossary_puts_its_words_where_they_point_to() -> None:
    glossary = (
        Term(term="buyer", synonyms=("purchaser",), table="PUBLIC.Customers"),
        Term(term="address", table="customers", columns=("EMAIL",)),
        Term(term="payer", columns=("orders.payer_id",)),
        Term(term="elsewhere", table="customers", datasource="other"),
    )
    made = chunks(meanings=Meanings(glossary=glossary))
    assert made[f"schema.table:public.customers:{VERSION}"].synonyms == ("buyer", "purchaser")
    assert made[f"schema.column:public.customers.email:{VERSION}"].synonyms == ("address",)
    assert made[f"schema.column:public.orders.payer_id:{VERSION}"].synonyms == ("payer",)
    assert not any("elsewhere" in chunk.synonyms for chunk in made.values())


def test_metrics_of_this_datasource_are_chunks_with_definition_and_grain() -> None:
    revenue = Metric(name="Net revenue", definition="Paid less refunds.", expression="sum(paid) - sum(refunded)", grain=("day", "shop"))
    made = chunks(meanings=Meanings(metrics=(revenue, Metric(name="other", datasource="elsewhere"))))
    (metric,) = (chunk for chunk in made.values() if isinstance(chunk, MetricChunk))
    assert metric.id == f"schema.metric:Net revenue:{VERSION}"
    known = metric.get_metadata()
    assert (known["name"], known["definition"], known["grain"]) == ("Net revenue", "Paid less refunds.", ["day", "shop"])
    assert "sum(paid) - sum(refunded)" in metric.get_page_content()


def test_names_that_look_like_parts_of_an_id_get_ids_of_their_own() -> None:
    odd = tuple(Table(schema_name=schema, name=name) for schema, name in (("a.b", "c"), ("a", "b.c"), ("", "a.b.c"), ('a"', "b:c")))
    made = chunks(SHOP.model_copy(update={"tables": odd}))
    assert sum(isinstance(chunk, TableChunk) for chunk in made.values()) == 4


def test_keys_that_nobody_declared_are_relationships_marked_as_inferred() -> None:
    bare = SHOP.model_copy(update={"tables": (CUSTOMERS, ORDERS.model_copy(update={"foreign_keys": ()}))})
    linked = with_keys(bare, [(1, key("customer_id", inferred="the name says so"))])
    (relationship,) = (chunk for chunk in chunks(linked).values() if isinstance(chunk, RelationshipChunk))
    known = relationship.get_metadata()
    assert (known["inferred"], known["cardinality"], known["table"]) == ("the name says so", "many-to-one", "orders")
    assert chunks(linked)[f"schema.table:public.orders:{VERSION}"].get_metadata()["keys"] == [
        "customer_id references customers (id), inferred"
    ]
    assert with_keys(bare, ()) is bare
