"""On which server do the tests of the mongodb store work? A real one over a real socket, its search answered by a program of the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import pytest
from pymongo import MongoClient
from tests.mongo.proxy import mongodb

from clew.stores.mongodb import MongoStore
from clew.stores.mongodb.address import place
from clew.stores.mongodb.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from tests.mongo.executor import Executor
    from tests.mongo.proxy import Proxy


class Server(NamedTuple):
    """A server, what searches in it, and what stands in between."""

    address: str
    search: Executor
    proxy: Proxy


@pytest.fixture(scope="module")
def every_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with mongodb(tmp_path_factory.mktemp("mongo")) as (address, search, proxy):
        yield Server(f"{address}&serverSelectionTimeoutMS=400", search, proxy)


@pytest.fixture
def server(every_database: Server, request: pytest.FixtureRequest) -> Iterator[Server]:
    """A database of its own for each test."""
    name = f"m{crc32(request.node.nodeid.encode())}"
    yield every_database._replace(address=every_database.address.replace("/clew?", f"/{name}?"))
    every_database.search.thaw()
    every_database.search.status = "READY"
    every_database.proxy.back()


@pytest.fixture
def opened(server: Server, tmp_path: Path) -> Iterator[Callable[..., MongoStore]]:
    """Opens stores of the test's database, and closes them."""
    stores: list[MongoStore] = []

    def opens(**limits: float) -> MongoStore:
        stores.append(MongoStore(place(server.address, {}.get), tmp_path, limits=Limits(**{"settle_s": 0, **limits})))
        return stores[-1]

    yield opens
    server.proxy.back()
    for store in stores:
        store.close()


@pytest.fixture
def database(server: Server) -> Iterator[Any]:
    """The test's database, as any client sees it."""
    client: MongoClient[dict[str, Any]] = MongoClient(server.address)
    yield client.get_default_database()
    client.close()
