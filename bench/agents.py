"""How fast does the server start and answer, and do many calls leave anything behind?

    python bench/agents.py PROJECT                 cold starts: list of tools, first answer; wall and CPU seconds of each
    python bench/agents.py PROJECT --calls 1000    memory, threads and files of one process before and after so many calls

PROJECT should have an index; Linux only, since the figures are the kernel's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

QUESTIONS = ("where is a file opened", "parse the arguments", "connection closed by peer", "read a line", "compile a pattern", "__init__")
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}


class Server:
    """One server process, spoken to by hand, so that no client's time is counted."""

    def __init__(self, project: Path) -> None:
        self.began = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "clew", "mcp"], cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0
        self.ask("initialize", INITIALIZE)

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The result of one request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        while (answer := json.loads(self._process.stdout.readline())).get("id") != self._number:
            pass
        return answer["result"]

    def call(self, tool: str, **arguments: Any) -> str:
        """The text that a tool answers."""
        text: str = self.ask("tools/call", {"name": tool, "arguments": arguments})["content"][0]["text"]
        return text

    def spent(self) -> tuple[float, float]:
        """Wall and CPU seconds since its start."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return time.monotonic() - self.began, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def held(self) -> dict[str, int]:
        """Memory in kB, threads, open files, and processes it started."""
        here = Path(f"/proc/{self._process.pid}")
        lines = dict(line.split(":", 1) for line in (here / "status").read_text().splitlines())
        children = sum(len(path.read_text().split()) for path in here.glob("task/*/children"))
        return {
            "kB": int(lines["VmRSS"].split()[0]),
            "threads": int(lines["Threads"]),
            "files": len(list((here / "fd").iterdir())),
            "children": children,
        }

    def end(self) -> float:
        """Close its stdin and wait; the seconds until it was gone."""
        began = time.monotonic()
        self._process.communicate(timeout=60)
        return time.monotonic() - began


def cold(project: Path) -> None:
    """One start: when the tools were listed, and when the first question was answered."""
    server = Server(project)
    server.ask("tools/list", {})
    listed = server.spent()
    server.call("search", query=QUESTIONS[0])
    answered = server.spent()
    ended = server.end()
    print(
        f"tools {listed[0]:.2f} s ({listed[1]:.2f} CPU), first answer {answered[0]:.2f} s ({answered[1]:.2f} CPU), gone {ended:.2f} s after"
    )


def many(project: Path, calls: int) -> None:
    """One process asked over and over; what it holds after a tenth of the calls and at the end."""
    server = Server(project)
    for number in range(calls):
        if number == calls // 10:
            print("after", number, server.held())
        question = QUESTIONS[number % len(QUESTIONS)]
        kind = number % 4
        if kind == 0:
            server.call("search", query=f"{question} {number}")
        elif kind == 1:
            server.call("navigate", what="symbol", target=question.split()[-1])
        elif kind == 2:
            server.call("navigate", what="outline", target=".")
        else:
            server.call("status")
    wall, cpu = server.spent()
    print("after", calls, server.held(), f"{wall:.1f} s, {cpu:.1f} CPU")
    server.end()


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("project", type=Path)
    parser.add_argument("--calls", type=int, default=0)
    parser.add_argument("--starts", type=int, default=5)
    given = parser.parse_args()
    if given.calls:
        many(given.project, given.calls)
    else:
        for _ in range(given.starts):
            cold(given.project)


if __name__ == "__main__":
    main()
