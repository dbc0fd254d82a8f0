"""Does the cost grow no faster than the project? CPU, memory, size and the time of a question against the number of files, with a plot.

    python bench/scale.py measure FOLDER… --data scale.json [--clew CMD]     index each folder and ask it; adds a point each
    python bench/scale.py plot scale.json --png docs/scale.png               needs the extra [bench]

Folders are made by `corpus.py DEST --files N`. `measure` deletes their `.clew` first.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

QUESTIONS = (
    "where are http headers parsed", "retry a failed upload", "how is a token refreshed", "parse command line options", "read a configuration file",
    "send an email message", "close all sockets", "format a date as text", "compute a checksum of a file", "split a path into parts",
    "escape html characters", "raise an error when a value is missing", "cache results of a function", "compare two version strings",
    "walk a directory tree", "open a database connection", "register a plugin by name", "write json to a stream",
)  # fmt: skip
SETTLED_S = 300.0

INDEXED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({**json.loads(done.stdout), "cpu_s": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss / 1024}))
"""


def point(folder: Path, clew: list[str]) -> dict[str, Any]:
    """One project measured: indexed in a process of its own, asked in another."""
    shutil.rmtree(folder / ".clew", ignore_errors=True)
    command = [sys.executable, "-c", INDEXED, *clew, "index", "--json", str(folder)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    asked = subprocess.run([sys.executable, __file__, "ask", str(folder)], capture_output=True, text=True, check=True)
    return {
        "files": report["files"]["indexed"],
        "chunks": report["chunks"]["added"],
        "index_cpu_s": round(report["cpu_s"], 1),
        "index_peak_mb": round(report["peak_mb"]),
        "disk_mb": round(sum(path.stat().st_size for path in (folder / ".clew").rglob("*") if path.is_file()) / 1e6),
        **json.loads(asked.stdout.strip().split("\n")[-1]),
    }


def ask(folder: Path) -> None:
    """Print what questions cost a process that answers many, once it has compared the project with its index."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import resource

    from clew.assembly import open_engine
    from clew.core.answer import Question

    with open_engine(folder) as engine:
        last = time.monotonic() + SETTLED_S
        first = time.process_time()
        engine.search(Question(QUESTIONS[0]))
        first = time.process_time() - first
        engine.search(Question(QUESTIONS[0]))
        while engine.search(Question(QUESTIONS[0], mode="fast")).stale and time.monotonic() < last:
            time.sleep(0.2)
        wall, cpu = [], []
        for text in QUESTIONS * 3:
            started, spent = time.perf_counter(), time.process_time()
            engine.search(Question(text, mode="hybrid"))
            wall.append(1000 * (time.perf_counter() - started))
            cpu.append(1000 * (time.process_time() - spent))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {
        "first_question_cpu_s": first,
        "hybrid_ms": statistics.median(wall),
        "hybrid_cpu_ms": statistics.median(cpu),
        "search_peak_mb": peak,
    }
    print(json.dumps({name: round(value, 2) for name, value in found.items()}))


def plot(points: list[dict[str, Any]], png: Path) -> None:
    """A panel for each cost that was measured of several sizes, with the line through the origin that the smallest project sets."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator

    panels = (("index_cpu_s", "index, CPU seconds"), ("index_peak_mb", "index, peak memory until the snapshot is written, MB"), ("disk_mb", "index on disk, MB"),
              ("hybrid_cpu_ms", "a hybrid question, warm, CPU ms (median)"))  # fmt: skip
    measured = [(title, sorted((one["files"], one[name]) for one in points if name in one)) for name, title in panels]
    measured = [(title, here) for title, here in measured if len(here) > 1]
    figure, axes = plt.subplots(1, len(measured), figsize=(5 * len(measured), 4), layout="constrained", squeeze=False)
    for (title, here), axis in zip(measured, axes.flat, strict=True):
        files, values = zip(*here, strict=True)
        axis.plot(files, values, "o-", label="measured")
        axis.plot([0, files[-1]], [0, values[0] / files[0] * files[-1]], "--", color="gray", label="as fast as the project grows")
        axis.set_title(title)
        axis.set_xlabel("files (52 lines each)")
        axis.set_ylim(bottom=0)
        axis.xaxis.set_major_locator(MaxNLocator(4))
        axis.grid(alpha=0.3)
    axes.flat[0].legend()
    figure.savefig(png, dpi=110)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=("measure", "ask", "plot"))
    arguments.add_argument("paths", type=Path, nargs="+")
    arguments.add_argument("--data", type=Path, default=Path("scale.json"))
    arguments.add_argument("--png", type=Path, default=Path("docs/scale.png"))
    arguments.add_argument("--clew", default="clew")
    given = arguments.parse_args()
    if given.what == "ask":
        ask(given.paths[0])
    elif given.what == "plot":
        plot(json.loads(given.paths[0].read_text(encoding="utf-8")), given.png)
    else:
        for folder in given.paths:
            points = json.loads(given.data.read_text(encoding="utf-8")) if given.data.exists() else []
            points.append(point(folder, shlex.split(given.clew)))
            given.data.write_text(json.dumps(points, indent=1) + "\n", encoding="utf-8")
            print(json.dumps(points[-1]), flush=True)


if __name__ == "__main__":
    main()
