#!/usr/bin/env python3
"""What does a database of thousands of tables cost? Read, indexed, changed and asked through the command line, on a PostgreSQL of its own.

    python bench/databases.py [--tables 5000] [--columns 12] [--clew CMD]

Starts a server as the tests do (tests/database_servers.py), makes the tables in ten schemas, each with a key to the one before it, and prints what
each step took: wall seconds and CPU seconds of the command (the server's own are not counted). Questions are asked in one process (--batch).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.database_servers import Server, postgres_server

SCHEMAS = 10
WORDS = (
    "order customer invoice payment shipment product price stock vendor ledger account user event audit batch line item tax region store claim policy agent "
    "branch contract delivery discount employee expense forecast grant holiday incident journal ticket loan machine note offer parcel quota refund salary "
    "task unit visit warehouse year zone"
).split()
TYPES = ("text", "int", "numeric(12,2)", "timestamptz", "boolean", "jsonb", "varchar(40)", "date")
QUESTIONS = 50
MAX_TOKENS = 2_000


def schema(tables: int, columns: int) -> str:
    """DDL of the tables, the same each time."""
    chance = random.Random(1)
    out = [f"CREATE SCHEMA s{number};" for number in range(SCHEMAS)]
    names = ["first", *(f"{chance.choice(WORDS)}_{chance.choice(WORDS)}_{number}" for number in range(1, tables))]
    for number, name in enumerate(names):
        place = f"s{number % SCHEMAS}.{name}"
        inside = dict.fromkeys(f"{chance.choice(WORDS)}_{chance.choice(WORDS)}" for _ in range(columns * 2))
        rows = ["id bigint PRIMARY KEY", *(f"{one} {chance.choice(TYPES)}" for one in list(inside)[: columns - 2])]
        before = f"REFERENCES s{(number - 1) % SCHEMAS}.{names[number - 1]}(id)" if number else ""
        out.append(f"CREATE TABLE {place} ({', '.join(rows)}, before_id bigint {before});")
        out.append(f"COMMENT ON TABLE {place} IS 'What is known of each {name.rpartition('_')[0].replace('_', ' ')}';")
    return "\n".join(out)


def timed(command: list[str], what: str) -> str:
    """Run a command and print what it took; its stdout."""
    before, started = os.times(), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr[-2_000:])
    print(f"| {what} | {time.monotonic() - started:.1f} | {cpu:.1f} |", flush=True)
    return done.stdout


def measured(server: Server, arguments: argparse.Namespace, folder: Path) -> None:
    """All steps, one after another."""
    url = server.database(schema(arguments.tables, arguments.columns))
    clew, at = shlex.split(arguments.clew), ["--path", str(folder)]
    subprocess.run([*clew, "db", "add", "big", url, *at], check=True, capture_output=True)
    print("| step | wall s | CPU s |\n| --- | --- | --- |")
    first = json.loads(timed([*clew, "db", "index", "--json", *at], "snapshot and index"))
    timed([*clew, "db", "index", "--json", *at], "again, nothing changed")
    server.run("ALTER TABLE s0.first ADD COLUMN added_later text", url.rpartition("/")[2])
    second = json.loads(timed([*clew, "db", "index", "--json", *at], "again, one table altered"))
    chance = random.Random(2)
    batch = folder / "batch.jsonl"
    asked = [
        {"id": str(number), "query": f"{chance.choice(WORDS)} {chance.choice(WORDS)} by {chance.choice(WORDS)}"}
        for number in range(QUESTIONS)
    ]
    for count in (1, QUESTIONS):
        batch.write_text("".join(json.dumps(one) + "\n" for one in asked[:count]))
        answers = timed(
            [*clew, "db", "search", "--json", "--batch", str(batch), "--max-tokens", str(MAX_TOKENS), *at], f"{count} questions"
        )
    tokens = max(json.loads(line)["tokens"] for line in answers.split("\n") if line)
    print(f"\nfirst: {json.dumps(first)[:600]}\nsecond: {json.dumps(second)[:600]}\nlargest answer: {tokens} tokens of {MAX_TOKENS}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=5_000)
    parser.add_argument("--columns", type=int, default=12)
    parser.add_argument("--clew", default=f"{sys.executable} -m clew")
    arguments = parser.parse_args()
    with postgres_server() as server, tempfile.TemporaryDirectory() as folder:
        measured(server, arguments, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
