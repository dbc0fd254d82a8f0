"""Does the vector leg over schemas propose by name, say what is wrong, and rest when it keeps failing?"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from clew.core.schema.contracts import Column, ForeignKey, Snapshot, Table
from clew.core.schema.meaning import Meanings, Metric
from clew.errors import (
    EmbeddingDimensionMismatchError,
    EmbeddingModelMismatchError,
    IndexUnusable,
    ModelMismatch,
    NoIndex,
    Unreachable,
)
from clew.index.schema_refresh import refresh
from clew.search.legs.schema_vectors import FAILURES, StoredSchemaVectors
from clew.stores.embedded import EmbeddedStore
from clew.testing import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clew.core.catalog import Vector

VERSION, NEXT = "20260101000000_aaaaaaaa", "20260102000000_bbbbbbbb"
INVOICES = Table(schema_name="main", name="invoices", columns=(Column(name="due_date"), Column(name="amount")))
PEOPLE = Table(schema_name="main", name="people", columns=(Column(name="surname"),))
SHOP = Snapshot(datasource="shop", dialect="sqlite", tables=(INVOICES, PEOPLE), version=VERSION)
LAB = Snapshot(datasource="lab", dialect="sqlite", tables=(Table(name="samples", columns=(Column(name="amount"),)),), version=VERSION)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with EmbeddedStore.open(tmp_path / "databases") as opened:
        refresh(SHOP, Meanings(metrics=(Metric(name="overdue share", definition="Of all."),)), opened, HashingEmbedder(32))
        refresh(LAB, Meanings(), opened, HashingEmbedder(32))
        yield opened


def vectors(store: EmbeddedStore, embedder: HashingEmbedder | None = None, **more: float) -> StoredSchemaVectors:
    return StoredSchemaVectors(store, lambda: embedder or HashingEmbedder(32), **more)  # type: ignore[arg-type]


class Failing(HashingEmbedder):
    """Fails while it is told to."""

    fails = True

    def embed_query(self, text: str) -> Vector:
        if self.fails:
            raise TimeoutError("no answer")
        return super().embed_query(text)


def test_what_is_near_is_proposed_by_its_names(store: EmbeddedStore) -> None:
    found = vectors(store).nearest("column due_date", [("shop", VERSION)], ["column"], 2)
    assert found[0][:5] == ("shop", "column", "main", "invoices", "due_date")
    assert [one.kind for one in found] == ["column", "column"] and found[0].score > found[1].score
    (table,) = vectors(store).nearest("people table", [("shop", VERSION)], ["table"], 1)
    assert table[:5] == ("shop", "table", "main", "people", "")
    (metric,) = vectors(store).nearest("overdue share", [("shop", VERSION)], ["metric"], 1)
    assert metric[:5] == ("shop", "metric", "", "overdue share", "")


def test_links_and_datasources_are_proposed(store: EmbeddedStore) -> None:
    key = ForeignKey(columns=("payer",), referred_schema="main", referred_table="people", referred_columns=("surname",))
    invoices = INVOICES.model_copy(update={"columns": (*INVOICES.columns, Column(name="payer")), "foreign_keys": (key,)})
    refresh(SHOP.model_copy(update={"tables": (invoices, PEOPLE), "version": NEXT}), Meanings(), store, HashingEmbedder(32))
    (link,) = vectors(store).nearest("who pays", [("shop", NEXT)], ["relationship"], 5)
    assert link[:5] == ("shop", "relationship", "main", "invoices", "payer")
    both = vectors(store).nearest("samples", [("shop", NEXT), ("lab", VERSION)], ["datasource"], 5)
    assert {one.datasource for one in both} == {"shop", "lab"}


def test_only_the_datasources_that_are_asked_are_searched(store: EmbeddedStore) -> None:
    one = vectors(store).nearest("amount", [("lab", VERSION)], ["column", "table", "datasource"], 50)
    assert {proposal.datasource for proposal in one} == {"lab"}
    both = vectors(store).nearest("amount", [("lab", VERSION), ("shop", VERSION)], ["column"], 50)
    assert {proposal.datasource for proposal in both} == {"lab", "shop"}


def test_a_version_that_is_not_indexed_is_answered_by_the_one_in_force_and_that_is_told(store: EmbeddedStore) -> None:
    leg = vectors(store)
    assert leg.nearest("people", [("shop", NEXT)], ["table"], 9) == leg.nearest("people", [("shop", VERSION)], ["table"], 9)
    assert leg.outdated([("shop", NEXT), ("lab", VERSION)]) == ("shop",)
    with pytest.raises(NoIndex):
        leg.nearest("people", [("nowhere", VERSION)], ["table"], 9)


def test_vectors_of_another_model_or_length_are_refused_by_name_and_indexing_again_repairs(store: EmbeddedStore) -> None:
    longer, other = HashingEmbedder(48), HashingEmbedder(32, name="other")
    with pytest.raises(EmbeddingDimensionMismatchError, match="of 32 numbers and not 48"):
        vectors(store, longer).nearest("people", [("shop", VERSION)], ["table"], 9)
    with pytest.raises(EmbeddingModelMismatchError, match="another model than other") as fault:
        vectors(store, other).nearest("people", [("shop", VERSION)], ["table"], 9)
    assert isinstance(fault.value, ModelMismatch) and "clew db index" in fault.value.hint
    for embedder in (longer, other):
        refresh(SHOP, Meanings(), store, embedder)
        assert vectors(store, embedder).nearest("people", [("shop", VERSION)], ["table"], 9)


def test_after_some_failures_nothing_is_asked_for_a_while_and_that_is_logged(
    store: EmbeddedStore, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = Failing(32)
    leg = vectors(store, embedder)
    with caplog.at_level(logging.INFO, "clew.databases"):
        for _ in range(FAILURES - 1):
            with pytest.raises(IndexUnusable, match="no answer"):
                leg.nearest("people", [("shop", VERSION)], ["table"], 9)
        for _ in range(2):
            with pytest.raises(Unreachable, match="failed too often"):
                leg.nearest("people", [("shop", VERSION)], ["table"], 9)
    assert [record.message for record in caplog.records] == ["the circuit breaker of schema vectors went from closed to open"]
    embedder.fails = False
    with pytest.raises(Unreachable):
        leg.nearest("people", [("shop", VERSION)], ["table"], 9)


def test_when_the_rest_is_over_one_question_tries_and_closes_the_breaker(store: EmbeddedStore, caplog: pytest.LogCaptureFixture) -> None:
    embedder = Failing(32)
    leg = vectors(store, embedder, failures=1, rest_s=0)
    with pytest.raises(Unreachable):
        leg.nearest("people", [("shop", VERSION)], ["table"], 9)
    embedder.fails = False
    with caplog.at_level(logging.INFO, "clew.databases"):
        assert leg.nearest("people", [("shop", VERSION)], ["table"], 9)
    assert [record.message.partition(" went ")[2] for record in caplog.records] == [
        "from closed to open",
        "from open to half-open",
        "from half-open to closed",
    ]


def test_an_index_of_another_model_does_not_open_the_breaker(store: EmbeddedStore) -> None:
    leg = vectors(store, HashingEmbedder(48), failures=1)
    for _ in range(3):
        with pytest.raises(EmbeddingDimensionMismatchError):
            leg.nearest("people", [("shop", VERSION)], ["table"], 9)
