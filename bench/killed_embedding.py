#!/usr/bin/env python3
"""Is anything paid twice when an indexer is killed? Index through the strict server of the tests, kill at a random moment, let the next run finish.

    killed_embedding.py [--times 50] [--chunks 2000] [--at-once N] [--seed 0]

Each time is a project and a user of its own. Counted are texts that the server was paid for more than once, beside the texts that can be under way (requests at once, 32 each);
compared are the chunks and vectors of the finished index with those of a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.provider_server import KEY, ProviderServer, Seen, provider_server

from clew.assembly_stores import index_folder, namespace_of, open_store
from clew.core.embedding import AT_ONCE, BATCH
from clew.settings import load_settings

MODEL = "voyage:voyage-code-3@256"
A_FILE = 10
"""Functions, which are chunks, in a file."""


class Killed(NamedTuple):
    """What one kill did: requests that were answered before it, chunks in the end, texts that were paid twice and thrice."""

    after: int
    chunks: int
    twice: int
    oftener: int
    same: bool


def write(root: Path, chunks: int) -> None:
    """A project of so many functions, no two alike."""
    root.mkdir(parents=True)
    for start in range(0, chunks, A_FILE):
        functions = (
            f'def step_{one}(value):\n    """Adds {one} to what came of step {one - 1}."""\n    return value * {one} + {one % 7}\n'
            for one in range(start, start + A_FILE)
        )
        (root / f"steps_{start}.py").write_text("\n\n".join(functions), "utf-8")


def indexer(root: Path, home: Path, server: ProviderServer, at_once: int) -> subprocess.Popen[bytes]:
    """`clew index` of the project, by a user with this home."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLEW_", "XDG_", "EMBEDDING_"))}
    given = {
        "HOME": str(home),
        "VOYAGE_API_KEY": KEY,
        "VOYAGE_BASE_URL": f"{server.address}/voyage/v1",
    }
    if at_once != AT_ONCE:  # else as it comes: what users get is what is looked at
        given["CLEW_EMBEDDER_AT_ONCE"] = str(at_once)
    command = [sys.executable, "-m", "clew", "index", str(root), "--embedder", MODEL, "--json"]
    return subprocess.Popen(command, env=kept | given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def content(root: Path) -> dict[str, tuple[str, bytes]]:
    """Text and vector of each chunk."""
    settings = load_settings(root)
    store = open_store(index_folder(root, settings), settings, within=root)
    try:
        files = store.stored(namespace_of(root, settings, store), list(store.files(namespace_of(root, settings, store))))  # type: ignore[attr-defined]
        paid = store.spaces(namespace_of(root, settings, store))[0]  # what stands in for it is beside it
        found = {}
        for one in files.values():
            vectors = one.vectors[paid.fingerprint]
            found |= {chunk.id: (chunk.text, vectors[chunk.checksum].tobytes()) for chunk in one.update.chunks}
        return found
    finally:
        store.close()


def kill(folder: Path, chunks: int, at_once: int, chance: random.Random, undisturbed: dict[str, tuple[str, bytes]]) -> Killed:
    """Index, die at some request, index again."""
    root, home = folder / "project", folder / "home"
    write(root, chunks)
    home.mkdir()
    with provider_server() as server:
        running: list[subprocess.Popen[bytes]] = []
        fatal, late = chance.randrange(1, chunks // BATCH + 1), chance.random() < 0.5

        def at(seen: Seen) -> None:
            if len(server.seen) != fatal:
                return
            if late:  # when it has been paid, and before or while the answer is read
                server.before = lambda _: running[0].kill()
            else:
                running[0].kill()

        server.before = at
        running.append(indexer(root, home, server, at_once))
        running[0].communicate()
        if running[0].returncode not in (-signal.SIGKILL, 0):
            raise AssertionError(f"the indexer ended with {running[0].returncode}")
        server.before = lambda _: None
        out, err = (again := indexer(root, home, server, at_once)).communicate()
        if again.returncode:
            raise AssertionError(err.decode() + out.decode())
        paid = Counter(server.paid)
    found = content(root)
    more = [times for times in paid.values() if times > 1]
    return Killed(fatal, len(found), len(more), sum(times > 2 for times in more), found == undisturbed)


def undisturbed(folder: Path, chunks: int) -> dict[str, tuple[str, bytes]]:
    """The index of a run that nobody disturbed."""
    write(folder / "project", chunks)
    (folder / "home").mkdir()
    with provider_server() as server:
        run = indexer(folder / "project", folder / "home", server, 4)
        out, err = run.communicate()
        if run.returncode or len(server.paid) != len(set(server.paid)):
            raise AssertionError(err.decode() + out.decode())
    return content(folder / "project")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--chunks", type=int, default=2_000)
    parser.add_argument("--at-once", type=int, default=AT_ONCE)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        right = undisturbed(Path(folder) / "right", chosen.chunks)
        for number in range(chosen.times):
            with tempfile.TemporaryDirectory() as one:
                done = kill(Path(one), chosen.chunks, chosen.at_once, chance, right)
            bad = done.twice > BATCH * chosen.at_once or done.oftener or not done.same
            wrong += bool(bad)
            print(
                f"{number + 1}: killed at request {done.after}, {done.twice} texts paid twice, {done.chunks} chunks, {'same' if done.same else 'OTHER'} index{'  WRONG' if bad else ''}",
                flush=True,
            )
    print(f"{chosen.times} kills, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
