"""What do these tests read? Databases on real servers, one server of a kind for all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.database_servers import Server, mariadb_server, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Server]:
    """A MariaDB server."""
    with mariadb_server() as server:
        yield server
