"""Does a watcher hold as much as the project needs, whatever goes on in folders that are ignored and however often a file is saved?"""

from __future__ import annotations

import json
import queue
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

SOON = 120.0
EDITS, CHURNS = 60, 1_500
GROWTH = 1.5
"""Memory after the churn against that before: buffers grow once."""


def lines_of(process: subprocess.Popen[str]) -> queue.Queue[Any]:
    """What the process prints, as it does."""
    said: queue.Queue[Any] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            said.put(json.loads(line))

    Thread(target=read, daemon=True).start()
    return said


def watched_folders(pid: int) -> int:
    """How many folders the system watches for the process."""
    kept = 0
    for place in Path(f"/proc/{pid}/fdinfo").iterdir():
        kept += sum(line.startswith("inotify") for line in place.read_text().split("\n"))
    return kept


def resident_kib(pid: int) -> int:
    (line,) = [line for line in Path(f"/proc/{pid}/status").read_text().split("\n") if line.startswith("VmRSS")]
    return int(line.split()[1])


def cpu_ticks(pid: int) -> int:
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))


def churn(root: Path) -> None:
    for number in range(CHURNS):
        folder = root / "node_modules" / f"p{number % 100}" / "t"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "x.js").write_text(str(number))
        shutil.rmtree(folder)


def test_ignored_folders_cost_nothing_and_saves_cost_no_memory(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".gitignore").write_text("node_modules/\n")
    for number in range(1_000):
        (root / "node_modules" / f"p{number % 100}" / "lib" / f"d{number}").mkdir(parents=True)
    (root / "src").mkdir()
    file = root / "src" / "w.py"
    file.write_text("def watched_fn():\n    return 0\n")
    watching = subprocess.Popen([sys.executable, "-m", "clew", "watch", "--json", str(root)], stdout=subprocess.PIPE, text=True)
    try:
        said = lines_of(watching)
        assert said.get(timeout=SOON)["indexed"] == [".gitignore", "src/w.py"]
        _edit(file, -1, said)
        assert watched_folders(watching.pid) <= 10
        before, ticks = resident_kib(watching.pid), cpu_ticks(watching.pid)
        churn(root)
        for number in range(EDITS):
            _edit(file, number, said)
        assert resident_kib(watching.pid) <= GROWTH * before
        assert cpu_ticks(watching.pid) - ticks < 100 * EDITS / 4  # a quarter of a second for each edit, and nothing for the rest
        watching.send_signal(signal.SIGINT)
        assert watching.wait(SOON) == 0
    finally:
        watching.kill()
        watching.wait()


def _edit(file: Path, number: int, said: queue.Queue[Any]) -> None:
    """Save the file and wait until it is taken in; nothing else is."""
    file.write_text(f"def watched_fn():\n    return {number}\n")
    while not (found := said.get(timeout=SOON))["indexed"]:
        assert not found["deleted"]
    assert found["indexed"] == ["src/w.py"]
