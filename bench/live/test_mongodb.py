"""Does the mongodb store keep its promises on a real MongoDB? The contract of every store, and the commands that the tests can only imitate.

    MONGODB_URI='mongodb+srv://USER:PASSWORD@HOST' pytest bench/live

needs a MongoDB with search and a user who may write a database and make search indexes; it makes one database, `clew_live_<random>`, and drops it.
No part of the tests that run by themselves. It waits for search indexes after each change, so it takes many minutes.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.contracts.test_chunk_store import *  # noqa: F403 - the contract, whose tests run here

from clew.core.catalog import Space
from clew.core.query import Filters, Leg, Scope, TermStatistics
from clew.stores.mongodb import MongoStore
from clew.stores.mongodb.address import place
from clew.stores.mongodb.limits import Limits

if TYPE_CHECKING:
    from clew.core.catalog import Vector


class Patient(MongoStore):
    """A store that waits before each question until the search indexes show what was written."""

    def keywords(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Leg:
        self.settle()
        return super().keywords(scope, terms, filters, limit)

    def nearest(self, scope: Scope, space: Space, vector: Vector, filters: Filters, limit: int) -> Leg:
        self.settle()
        return super().nearest(scope, space, vector, filters, limit)

    def statistics(self, scope: Scope, terms: Collection[str]) -> TermStatistics:
        self.settle()
        return super().statistics(scope, terms)

    def holding(self, scope: Scope, word: str) -> tuple[str, ...]:
        self.settle()
        return super().holding(scope, word)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    given = os.environ.get("MONGODB_URI")
    if not given:
        pytest.exit("set MONGODB_URI to a MongoDB with search, without a database in it", 2)
    from pymongo import MongoClient

    head, mark, options = given.partition("?")
    name = f"clew_live_{secrets.token_hex(4)}"
    yield f"{head.rstrip('/')}/{name}{mark}{options}"
    client: MongoClient[dict[str, object]] = MongoClient(given)
    client.drop_database(name)
    client.close()


@pytest.fixture(scope="session")
def patient(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Patient]:
    store = Patient(place(address, os.environ.get), Path(tmp_path_factory.mktemp("live")), limits=Limits(settle_s=300.0))
    yield store
    store.close()


@pytest.fixture
def store(patient: Patient) -> Iterator[Patient]:
    """The one store, emptied before each test: search indexes are made once."""
    for namespace in patient.namespaces():
        patient.forget(namespace)
    yield patient


def test_setup_makes_every_index_ready(store: Patient) -> None:
    fill(store)  # type: ignore[name-defined] # noqa: F405
    assert {(one.status, one.queryable) for one in store.setup()} == {("READY", True)}
