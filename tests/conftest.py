"""What does every test start from? An empty home and an environment without a setting of clew; servers for those that ask for one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from signal import SIG_IGN, SIGINT, default_int_handler, getsignal, signal

import pytest
from tests.database_servers import Server, mariadb_server, postgres_server

if getsignal(SIGINT) is SIG_IGN:
    # A shell starts what it puts into the background so, and the processes that tests interrupt would inherit it.
    signal(SIGINT, default_int_handler)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder; nothing of the machine's own configuration reaches a test."""
    folder = tmp_path_factory.mktemp("home")
    for name in tuple(os.environ):
        if (
            name.startswith(("CLEW_", "XDG_", "GIT_", "EMBEDDING_"))
            or name.endswith(("_API_KEY", "_BASE_URL"))
            or name in ("NO_COLOR", "TERM")
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, one for all tests of this process."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Server]:
    """A MariaDB server, one for all tests of this process."""
    with mariadb_server() as server:
        yield server
