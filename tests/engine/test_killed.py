"""What is left when an indexer is killed? All that it had committed, known to be incomplete; the next run finishes it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clew.assembly import open_engine
from clew.core.answer import Question

from .conftest import write_project

FILES = 60
BATCH = 8

KILLED_AT = """
import os, signal, sys
from pathlib import Path
from clew.assembly import assemble
from clew.settings import load_settings
from clew.stores.embedded import EmbeddedStore

root, step, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
seen = 0

def reached(name):
    global seen
    seen += name == step
    if seen == times:
        os.kill(os.getpid(), signal.SIGKILL)

store = EmbeddedStore.open(root / ".clew", reached=reached)
with assemble(root, load_settings(root, {}), store, int(sys.argv[4])) as engine:
    engine.index()
"""


def kill_at(root: Path, step: str, times: int) -> None:
    """Index until the store has reached a step so many times, and die there."""
    command = [sys.executable, "-c", KILLED_AT, str(root), step, str(times), str(BATCH)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize(
    ("step", "times"),
    [
        ("applied", 1),
        ("applied", 4),
        ("committed", 1),
        ("committed", 3),
        ("committed", 6),
        ("written", 1),
        ("renewed", 1),
        ("feeding", 1),
        ("fed", 1),
    ],
)
def test_a_kill_at_any_step_loses_nothing_committed_and_the_next_run_finishes(tmp_path: Path, step: str, times: int) -> None:
    root = tmp_path / "project"
    root.mkdir()
    write_project(root, FILES)
    kill_at(root, step, times)

    with open_engine(root) as engine:
        partial = engine.search(Question("only_in_0", mode="fast"))
        status = engine.status()
    # A search finishes what is left when it fits into its time budget; what does not is said.
    assert status.complete or (partial.stale and any("not complete" in warning for warning in partial.warnings))
    assert not status.complete or status.files == FILES

    with open_engine(root) as engine:
        report = engine.index()
        assert report.complete
        assert engine.status().complete
        for number in range(FILES):
            answer = engine.search(Question(f"only_in_{number}", mode="fast", limit=1))
            assert [r.chunk.symbol_name for r in answer.results] == [f"only_in_{number}"]
        counts = engine.status()
        assert counts.files == FILES
        assert counts.chunks == 2 * FILES
        assert counts.chunks_unembedded == 0


def test_what_was_committed_before_the_kill_is_not_read_again(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    write_project(root, FILES)
    kill_at(root, "committed", 5)
    with open_engine(root) as engine:
        report = engine.index()
    assert report.unchanged >= BATCH
    assert report.indexed + report.unchanged == FILES
    assert report.indexed < FILES
