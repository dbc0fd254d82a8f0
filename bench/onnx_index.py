#!/usr/bin/env python3
"""Does an index by a transformer on this machine complete, and go on where it was killed? Time, memory, and texts that were embedded twice.

    onnx_index.py MODEL_FOLDER [--chunks 5000] [--at 0.5]

A project of so many functions, no two alike, is indexed with `onnx:MODEL_FOLDER`; the run is killed when the share --at of its texts has been kept, and another finishes it.
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from bench.killed_embedding import write

from clew.assembly import open_engine
from clew.assembly_models import EMBEDDINGS

_INDEXER = """
import sys
from clew.adapters.embedders.onnx import OnnxEmbedder
plain = OnnxEmbedder._run
def counted(self, encoded):
    with open(sys.argv[3], "a") as log:
        log.write(f"{len(encoded)}\\n")
    return plain(self, encoded)
OnnxEmbedder._run = counted
from clew.assembly import open_engine
with open_engine(sys.argv[1], {"embedder": sys.argv[2], "fallback": ["none"]}) as engine:
    engine.index()
"""
"""Indexes, and writes down how many texts went through the model."""


def kept(path: Path) -> int:
    """Vectors in the user's cache."""
    if not path.exists():
        return 0
    try:
        with closing(sqlite3.connect(path)) as connection:
            return int(connection.execute("SELECT count(*) FROM kept").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--chunks", type=int, default=5_000)
    parser.add_argument("--at", type=float, default=0.5)
    chosen = parser.parse_args()
    spec = f"onnx:{chosen.model.resolve()}"
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder) / "project", Path(folder) / "home"
        log, cache = Path(folder) / "log", home / ".cache" / "clew" / EMBEDDINGS
        write(root, chosen.chunks)
        home.mkdir()
        command = [sys.executable, "-c", _INDEXER, str(root), spec, str(log)]
        given = os.environ | {"HOME": str(home)}
        began = time.perf_counter()
        first = subprocess.Popen(command, env=given)
        while first.poll() is None and kept(cache) < chosen.at * chosen.chunks:
            time.sleep(0.2)
        first.kill()
        first.wait()
        print(f"killed after {time.perf_counter() - began:.0f} s, {kept(cache)} texts kept", flush=True)
        subprocess.run(command, env=given, check=True)
        took = time.perf_counter() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.environ["HOME"] = str(home)
        with open_engine(root, {"embedder": spec, "fallback": ["none"]}) as engine:
            status = engine.status()
        run = sum(map(int, log.read_text().split())) - 2  # each process tries one text to learn the vectors' length
        print(
            f"{status.chunks} chunks, {status.chunks_unembedded} without a vector; {took:.0f} s, {used.ru_utime + used.ru_stime:.0f} CPU s, {used.ru_maxrss // 1024} MB"
        )
        print(f"{run} texts through the model, {run - status.chunks} of them twice")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
