"""Which servers do tests start? Real ones, on loopback, with folders of their own, ended by their process id."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ATTEMPTS = 600
"""Looks at a server that is starting, a tenth of a second apart."""


def free_port() -> int:
    """A port that nobody listens at now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def chroma_server(folder: Path) -> Iterator[str]:
    """A Chroma server over a folder; gives its address."""
    port = free_port()
    program = Path(sys.executable).with_name("chroma")
    command = [str(program), "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    environment = {**os.environ, "HOME": str(folder), "ANONYMIZED_TELEMETRY": "False"}
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment, cwd=folder)
    try:
        wait_for(server, f"http://127.0.0.1:{port}/api/v2/heartbeat", folder / "server.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def wait_for(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Return once the server answers; fail with its log where it ends instead."""
    for _ in range(ATTEMPTS):
        with suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        with suppress(subprocess.TimeoutExpired):
            server.wait(timeout=0.1)
            break
    raise AssertionError(f"the server did not start: {log.read_text('utf-8', 'replace')[-2000:]}")
