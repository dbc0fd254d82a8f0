"""How much does each command cost? CPU seconds of the whole process (user and system, children included) and peak memory.

    python bench/speed.py index FOLDER [--clew CMD]              a first index, an index with nothing changed, one after one changed file
    python bench/speed.py cold FOLDER [--clew CMD] [--runs 7]    one question in a new process, fast and hybrid: median of the runs
    python bench/speed.py warm FOLDER --questions FILE [--mode hybrid]   many questions in one process: median and 95th percentile
    python bench/speed.py edit FOLDER [--runs 7]                     one changed file, found by the next question of a process that has answered before

FOLDER is a project (see corpus.py); `index` deletes its `.clew` first. FILE holds a JSON object a line with `query`.
"""

from __future__ import annotations

import argparse
import json
import resource
import shlex
import shutil
import statistics
import subprocess
import time
from pathlib import Path

from clew.assembly import open_engine
from clew.core.answer import Question

QUESTION = "where are HTTP headers parsed"


def cost(command: list[str]) -> tuple[float, float, str]:
    """CPU seconds, wall seconds and standard output of one command. Raises when it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{shlex.join(command)} exited {done.returncode}: {done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, done.stdout


def peak_mb() -> float:
    """The largest resident size of any child so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def measure_index(clew: list[str], folder: Path) -> None:
    shutil.rmtree(folder / ".clew", ignore_errors=True)
    command = [*clew, "index", "--json", str(folder)]
    cpu, wall, out = cost(command)
    report = json.loads(out)
    print(
        f"first index: {cpu:.2f} CPU s, {wall:.2f} s, peak {peak_mb():.0f} MB, {report['files']['indexed']} files, {report['chunks']['added']} chunks"
    )
    same = [cost(command)[0] for _ in range(3)]
    print(f"nothing changed: {statistics.median(same):.2f} CPU s (of {sorted(round(s, 2) for s in same)})")
    changed = sorted(folder.rglob("*.py"))[100]
    text = changed.read_text(encoding="utf-8", errors="replace")
    once = []
    for run in range(3):
        changed.write_text(f"{text}\n\ndef added_{run}():\n    return {run}\n", encoding="utf-8", errors="replace")
        once.append(cost(command)[0])
    changed.write_text(text, encoding="utf-8", errors="replace")
    print(f"one file changed: {statistics.median(once):.2f} CPU s (of {sorted(round(s, 2) for s in once)})")
    size = sum(f.stat().st_size for f in (folder / ".clew").rglob("*") if f.is_file())
    print(f"index on disk: {size / 1e6:.0f} MB")


def measure_cold(clew: list[str], folder: Path, runs: int) -> None:
    cost([*clew, "index", "--json", str(folder)])
    for mode in ("fast", "hybrid"):
        found = [cost([*clew, "search", "--json", "--mode", mode, "--path", str(folder), "--", QUESTION])[0] for _ in range(runs)]
        print(f"cold {mode}: median {statistics.median(found):.3f} CPU s (from {min(found):.3f} to {max(found):.3f}, {runs} runs)")


def measure_warm(folder: Path, questions: Path, mode: str) -> None:
    asked = [json.loads(line)["query"] for line in questions.read_text(encoding="utf-8").split("\n") if line.strip()]
    with open_engine(folder) as engine:
        status = engine.index()
        for text in asked[:20]:
            engine.search(Question(text, mode=mode))
        times = []
        for text in asked:
            started = time.perf_counter()
            engine.search(Question(text, mode=mode))
            times.append(1000 * (time.perf_counter() - started))
        chunks = engine.status().chunks
    times.sort()
    print(
        f"warm {mode}, {chunks} chunks, {len(times)} questions: median {statistics.median(times):.2f} ms, "
        f"95% {times[int(0.95 * len(times))]:.2f} ms, worst {times[-1]:.2f} ms ({status.unchanged} files)"
    )


def measure_edit(folder: Path, runs: int) -> None:
    """Each time another file; a name that stands nowhere else must be in the answer, which may not be stale."""
    changed = sorted(folder.rglob("*.py"))
    cpu, wall = [], []
    with open_engine(folder) as engine:
        files = engine.index().unchanged
        engine.search(Question(QUESTION))
        while engine.search(Question(QUESTION)).stale:  # on a busy machine the first comparison may outlast a question
            time.sleep(0.1)
        for run in range(runs):
            file, name = changed[(run * 371 + 100) % len(changed)], f"zq{run}added"
            before = file.read_bytes()
            file.write_bytes(before + f"\n\ndef {name}():\n    return {run}\n".encode())
            started, spent = time.perf_counter(), time.process_time()
            answer = engine.search(Question(name))
            cpu.append(1000 * (time.process_time() - spent))
            wall.append(1000 * (time.perf_counter() - started))
            file.write_bytes(before)
            if answer.stale or not any(name in result.code_snippet for result in answer.results):
                print(f"{file} was changed and not found: {answer.warnings}")
            engine.search(Question(QUESTION))
    print(
        f"one changed file, {files} files, found by the next question: median {statistics.median(cpu):.0f} ms CPU "
        f"(from {min(cpu):.0f} to {max(cpu):.0f}, {runs} runs), {statistics.median(wall):.0f} ms"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=("index", "cold", "warm", "edit"))
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--clew", default="clew")
    arguments.add_argument("--runs", type=int, default=7)
    arguments.add_argument("--questions", type=Path)
    arguments.add_argument("--mode", default="hybrid")
    given = arguments.parse_args()
    clew = shlex.split(given.clew)
    if given.what == "index":
        measure_index(clew, given.folder)
    elif given.what == "cold":
        measure_cold(clew, given.folder, given.runs)
    elif given.what == "edit":
        measure_edit(given.folder, given.runs)
    elif given.questions is None:
        raise SystemExit("warm needs --questions FILE")
    else:
        measure_warm(given.folder, given.questions, given.mode)


if __name__ == "__main__":
    main()
