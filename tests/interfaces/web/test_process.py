"""Does `clew serve`, as a process of its own, start, say what hinders it, and stop as it should?"""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.web.conftest import Asking
from tests.serving.conftest import Served

Run = Callable[..., Any]


@contextmanager
def process(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A server, and what it said until it listened."""
    command = [sys.executable, "-m", "clew", "serve", str(folder), "--listen", "127.0.0.1:0", *arguments]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder)
    assert server.stderr is not None
    said: list[str] = []
    try:
        for line in server.stderr:
            said.append(line.strip())
            if line.startswith("listening on"):
                break
        yield server, said
    finally:
        if server.poll() is None:
            server.kill()
        server.communicate()


def test_a_server_asks_for_tokens_once_there_are_some_and_ends_on_a_signal(served: Served, clew: Run) -> None:
    with process(served.open) as (server, said):
        assert said[0].startswith("no token is asked for")
        assert Asking(said[-1].removeprefix("listening on ")).get("/v1/namespaces").status == 200
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=20) == 0
    made = clew("token", "create", "ann", "--json").json
    with process(served.open) as (server, said):
        assert len(said) == 1
        asking = Asking(said[-1].removeprefix("listening on "))
        assert asking.get("/v1/namespaces").status == 401
        assert asking.named(made["token"]).get("/v1/namespaces").status == 200
        assert clew("token", "revoke", made["id"]).code == 0
        assert asking.named(made["token"]).get("/v1/namespaces").status == 401, "from the next request on"
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=20) == 0


def test_what_hinders_a_start_is_said_in_a_line(served: Served, tmp_path: Path, clew: Run) -> None:
    taken = socket.create_server(("127.0.0.1", 0))
    port = str(taken.getsockname()[1])
    (tmp_path / "bad.pem").write_text("no certificate")
    (tmp_path / "open.json").write_text('{"tokens": []}')
    (tmp_path / "open.json").chmod(0o644)
    bad = str(tmp_path / "bad.pem")
    hindered = (
        (("--listen", f"127.0.0.1:{port}"), 2, "cannot listen on"),
        (("--listen", "0.0.0.0:0"), 2, "can be reached from other machines"),
        (("--listen", "nowhere"), 2, "is no address"),
        (("--tls-cert", bad, "--tls-key", bad, "--listen", "127.0.0.1:0"), 2, "cannot be used"),
        (("--tls-cert", bad), 2, "go together"),
        (("--tokens", str(tmp_path / "open.json")), 2, "can be read by others"),
        (("--auth",), 2, "there is no token"),
        (("--proxy", "127.0.0.1"), 2, "behind a proxy"),
        ((str(tmp_path),), 3, "there is no index"),
        ((str(tmp_path / "none"),), 2, "there is no folder"),
    )
    for arguments, code, said in hindered:
        done = clew("serve", str(served.open), *arguments)
        assert (done.code, said in done.err) == (code, True), (arguments, done)
        assert done.out == ""
        assert len([line for line in done.err.splitlines() if line.startswith("clew:")]) == 1
    taken.close()


def test_a_setting_of_a_project_sets_up_no_server(tmp_path: Path, clew: Run) -> None:
    (tmp_path / "clew.toml").write_text("[serve]\nrequests = 1\n")
    done = clew("serve", str(tmp_path))
    assert done.code == 2
    assert "unknown setting 'serve'" in done.err


def test_tokens_are_made_listed_and_taken_back(home: Path, clew: Run) -> None:
    made = clew("token", "create", "ann", "--role", "developer", "--team", "red", "--namespace", "shop", "--expires", "12h")
    assert made.code == 0
    token = made.out.strip()
    assert token.startswith("clew_")
    assert "only time" in made.err
    listed = clew("token", "list").out
    assert "ann  developer  until" in listed
    assert "of red  only in shop" in listed
    assert token.split("_", 2)[2] not in listed
    assert (home / ".config" / "clew" / "tokens.json").stat().st_mode & 0o777 == 0o600
    (one,) = clew("token", "list", "--json").json["tokens"]
    assert set(one) == {"id", "name", "role", "teams", "namespaces", "permissions", "created", "expires"}
    assert "taken back" in clew("token", "revoke", "ann").out
    assert clew("token", "revoke", "ann").code == 2
    for wrong in (("--expires", "soon"), ("--namespace", "NO"), ("--role", "king"), ("--permission", "all")):
        assert clew("token", "create", "ann", *wrong).code == 2
    assert clew("token", "create", " ").code == 2


def test_a_store_that_cannot_be_reached_is_said(served: Served, clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_STORE", "mongodb://127.0.0.1:1/clew?serverSelectionTimeoutMS=200")
    assert clew("serve", str(served.open), "--listen", "127.0.0.1:0").code == 3


def test_what_somebody_else_indexes_is_answered_and_a_killed_server_leaves_the_index_whole(tmp_path: Path, clew: Run) -> None:
    (tmp_path / "first.py").write_text("def first_thing():\n    return 1\n")
    assert clew("index", tmp_path).code == 0
    with process(tmp_path) as (server, said):
        asking = Asking(said[-1].removeprefix("listening on "))
        for number in range(3):
            (tmp_path / f"more{number}.py").write_text(f"def thing_number_{number}():\n    return {number}\n")
            assert clew("index", tmp_path, "--json").code == 0
            found = asking.post("/v1/search", query=f"thing_number_{number}").json
            assert found["results"][0]["symbol_name"] == f"thing_number_{number}"
        (tmp_path / "more0.py").unlink()
        assert clew("index", tmp_path).code == 0
        assert "more0.py" not in str(asking.post("/v1/search", query="thing_number_0").json["results"])
        server.kill()
        server.wait()
    assert clew("status", tmp_path, "--json").json["complete"]
    assert clew("search", "thing_number_1", "--path", tmp_path, "--json").json["results"][0]["symbol_name"] == "thing_number_1"
