"""Does the server behave as a process: nothing but messages on stdout, and gone when its client is?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.interfaces.mcp.conftest import write_shop

INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "probe", "version": "0"}}


def asked(server: subprocess.Popen[bytes], number: int, method: str, params: dict[str, Any] | None = None) -> Any:
    """Send a request and wait for its answer; every line until then must be a message."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}).encode() + b"\n")
    server.stdin.flush()
    while True:
        message = json.loads(server.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        if message.get("id") == number:
            return message


def started(folder: Path, **options: Any) -> subprocess.Popen[bytes]:
    """The server in a folder, a person's terminal away."""
    return subprocess.Popen(
        [sys.executable, "-m", "clew", "mcp"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )


def test_stdout_carries_messages_only_whatever_the_project_holds(tmp_path: Path) -> None:
    write_shop(tmp_path / "shop")
    root = tmp_path / "shop"
    (root / "bad.py").write_bytes(b"\xff\xfe\x00bad")
    (root / "unreadable.py").write_text("")
    (root / "unreadable.py").chmod(0)
    (root / "clew.toml").write_text("# nothing is set\n")
    server = started(root)
    assert "result" in asked(server, 1, "initialize", INITIALIZE)
    assert asked(server, 2, "tools/list")["result"]["tools"][0]["name"] == "search"
    assert "error" in asked(server, 3, "no/such/method")
    answer = asked(server, 4, "tools/call", {"name": "search", "arguments": {"query": "total price"}})
    assert "Basket.total_price" in answer["result"]["content"][0]["text"]
    assert (
        "may hold secrets"
        in asked(server, 5, "tools/call", {"name": "index", "arguments": {"rebuild": True}})["result"]["content"][0]["text"]
    )
    rest, _ = server.communicate(timeout=20)
    assert rest == b""
    assert server.returncode == 0


def test_prints_of_a_library_go_to_stderr(tmp_path: Path) -> None:
    write_shop(tmp_path / "shop")
    (tmp_path / "sitecustomize.py").write_text(
        "import clew.interfaces.mcp.navigation as n\nold = n.navigate\n"
        "def navigate(*a):\n    import os\n    print('stray')\n    os.system('echo stray too')\n    return old(*a)\nn.navigate = navigate\n"
    )
    server = started(tmp_path / "shop", env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])})
    asked(server, 1, "initialize", INITIALIZE)
    read = {"name": "navigate", "arguments": {"what": "read", "target": "src/mail.js:1-1"}}
    assert "Sends the confirmation" in asked(server, 2, "tools/call", read)["result"]["content"][0]["text"]
    rest, said = server.communicate(timeout=20)
    assert rest == b""
    assert b"stray\n" in said
    assert b"stray too" in said


def test_the_lock_is_free_and_the_process_gone_when_stdin_closes_during_a_run(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / f"part{number}.py").write_text("".join(f"def step_{number}_{j}(x):\n    return x + {j}\n\n\n" for j in range(6)))
    server = started(tmp_path)
    asked(server, 1, "initialize", INITIALIZE)
    assert server.stdin is not None
    server.stdin.write(b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "index", "arguments": {}}}\n')
    server.communicate(timeout=30)
    assert server.returncode == 0
    done = subprocess.run([sys.executable, "-m", "clew", "index", "--json", str(tmp_path)], capture_output=True, check=True)
    assert json.loads(done.stdout)["complete"]


def test_it_ends_when_who_started_it_is_gone_though_the_pipe_stays_open(shop: Path) -> None:
    reading, writing = os.pipe()
    starts = "import subprocess, sys; subprocess.Popen([sys.executable, '-m', 'clew', 'mcp']).wait()"
    starter = subprocess.Popen([sys.executable, "-c", starts], cwd=shop, stdin=reading, stdout=subprocess.PIPE)
    os.close(reading)
    try:
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
        assert starter.stdout is not None
        os.write(writing, json.dumps(message).encode() + b"\n")
        assert starter.stdout.readline()
        starter.kill()
        starter.wait()
        starter.stdout.read()  # ends when the last process that holds the other end does
    finally:
        os.close(writing)


def test_a_signal_ends_it_and_frees_the_lock(shop: Path) -> None:
    server = started(shop)
    asked(server, 1, "initialize", INITIALIZE)
    asked(server, 2, "tools/call", {"name": "search", "arguments": {"query": "Basket"}})
    server.terminate()
    rest, said = server.communicate(timeout=20)
    assert (rest, said, server.returncode) == (b"", b"", 128 + 15)


def test_a_damaged_index_is_named_and_made_anew_on_request(tmp_path: Path) -> None:
    write_shop(tmp_path / "shop")
    folder = tmp_path / "shop" / ".clew"
    folder.mkdir()
    (folder / "catalog.db").write_bytes(b"this is no database" * 1_000)
    server = started(tmp_path / "shop")
    asked(server, 1, "initialize", INITIALIZE)
    search = {"name": "search", "arguments": {"query": "total price"}}
    refused = asked(server, 2, "tools/call", search)["result"]
    assert refused["isError"]
    assert "call index with rebuild true" in refused["content"][0]["text"]
    made = asked(server, 3, "tools/call", {"name": "index", "arguments": {"rebuild": True}})["result"]
    assert "3 files indexed" in made["content"][0]["text"]
    assert "Basket.total_price" in asked(server, 4, "tools/call", search)["result"]["content"][0]["text"]
    server.communicate(timeout=20)
