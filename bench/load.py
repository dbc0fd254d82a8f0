"""Does a server hold a team? Clients that ask once a second each, over real sockets: errors, waiting times, memory before and after.

    python bench/load.py PROJECT [--clients 50] [--seconds 120] [--questions FILE.jsonl]

PROJECT is indexed already. Starts `clew serve` on a free port with a token, asks a warm-up, then the load: each client has a connection of its own and a
second that is its own, as people have; the questions are taken in turn from the definitions of the index (their names, split into words, and as they
stand), so that few repeat. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

import clew

WARM_UP = 1_500
"""Questions until what a process keeps for the next ones is full."""
ALONE = 40
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def questions(project: Path, count: int) -> list[str]:
    """Names out of the index, every other one as words."""
    chance = Random(7)
    with clew.open_engine(project, create=False) as engine:
        files = [path for path in engine.files() if path.endswith(".py")]
        found: list[str] = []
        for path in chance.sample(files, min(len(files), count)):
            found += [one.qualified_name for one in engine.outline(path)[:3]]
    chance.shuffle(found)
    return [" ".join(_WORD.findall(name.rpartition(".")[2])).lower() or name if number % 2 else name for number, name in enumerate(found)]


def memory(process: int) -> int:
    """The resident set of a process, in MB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) // 1024


def cpu(process: int) -> float:
    """CPU seconds that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Client(threading.Thread):
    """Asks once a second, at its own part of it, whether or not the last answer was late."""

    def __init__(self, address: str, token: str, asked: list[str], begin: float, seconds: float) -> None:
        super().__init__()
        self.address, self.token, self.asked, self.begin, self.seconds = urlsplit(address), token, asked, begin, seconds
        self.times: list[float] = []
        self.faults: list[str] = []

    def run(self) -> None:
        """Ask until the time is over. A time counts from when the question was due: what waits behind a slow answer has waited."""
        connection = http.client.HTTPConnection(self.address.netloc, timeout=60)
        for number, text in enumerate(self.asked):
            due = self.begin + number
            if due > self.begin + self.seconds:
                break
            time.sleep(max(0.0, due - time.monotonic()))
            try:
                found = asked(connection, self.token, text)
                if found != 200:
                    self.faults.append(f"status {found}")
            except (OSError, http.client.HTTPException) as fault:
                self.faults.append(repr(fault))
                connection = http.client.HTTPConnection(self.address.netloc, timeout=60)
            self.times.append(time.monotonic() - due)


def asked(connection: http.client.HTTPConnection, token: str, text: str) -> int:
    """The status of one question's answer, which is read whole."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/search", json.dumps({"query": text}), headers)
    answer = connection.getresponse()
    json.loads(answer.read())
    return answer.status


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("project", type=Path)
    arguments.add_argument("--clients", type=int, default=50)
    arguments.add_argument("--seconds", type=int, default=120)
    arguments.add_argument("--questions", type=Path)
    given = arguments.parse_args()
    each = given.seconds + 1
    texts = (
        [json.loads(line)["query"] for line in given.questions.open()]
        if given.questions
        else questions(given.project, given.clients * each)
    )
    with tempfile.TemporaryDirectory() as folder, started(given.project, Path(folder)) as (server, token, address):
        if server.stderr is not None:
            threading.Thread(target=server.stderr.read, daemon=True).start()
        print(json.dumps(loaded(server.pid, token, address, texts, given.clients, given.seconds), indent=1))


@contextmanager
def started(project: Path, folder: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A server for a project, a token that it lets in, and its address; what it keeps is in a folder of its own."""
    tokens, command = str(folder / "tokens.json"), [sys.executable, "-m", "clew"]
    made = subprocess.run(
        [*command, "token", "create", "load", "--role", "admin", "--tokens", tokens], check=True, capture_output=True, text=True
    )
    (folder / "clew").mkdir()
    (folder / "clew" / "config.toml").write_text("[serve]\nrequests = 1000000\n")
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder)}
    listening = [*command, "serve", str(project), "--listen", "127.0.0.1:0", "--tokens", tokens]
    server = subprocess.Popen(listening, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert server.stderr is not None
        address = next(line for line in server.stderr if line.startswith("listening on")).split()[-1]
        yield server, made.stdout.strip(), address
    finally:
        server.terminate()
        server.wait(timeout=60)


def loaded(server: int, token: str, address: str, texts: list[str], clients: int, seconds: int) -> dict[str, object]:
    """What the server did under the load."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    for text in texts[-WARM_UP:]:
        asked(connection, token, text)
    alone = []
    for text in texts[:ALONE]:
        begun = time.monotonic()
        asked(connection, token, text)
        alone.append(time.monotonic() - begun)
    before, used, begin = memory(server), cpu(server), time.monotonic() + 1
    every = [
        Client(
            address,
            token,
            [texts[(number * (seconds + 1) + turn) % len(texts)] for turn in range(seconds + 1)],
            begin + number / clients,
            seconds,
        )
        for number in range(clients)
    ]
    for one in every:
        one.start()
    grown = []
    while any(one.is_alive() for one in every):
        time.sleep(seconds / 6)
        grown.append(memory(server))
    for one in every:
        one.join()
    times = sorted(moment for one in every for moment in one.times)
    cuts = statistics.quantiles(times, n=100)
    return {
        "requests": len(times),
        "errors": sum(len(one.faults) for one in every),
        "first_errors": [fault for one in every for fault in one.faults][:3],
        "ms": {"p50": ms(cuts[49]), "p95": ms(cuts[94]), "p99": ms(cuts[98]), "max": ms(times[-1])},
        "ms_alone": {"p50": ms(statistics.median(alone)), "max": ms(max(alone))},
        "cpu_ms_a_request": ms((cpu(server) - used) / len(times)),
        "mb": [before, *grown],
        "load_average": os.getloadavg()[0],
    }


def ms(seconds: float) -> float:
    """Milliseconds."""
    return round(seconds * 1000, 1)


if __name__ == "__main__":
    main()
