"""Is the index right when processes write it at once, are killed, may not write, or edit it hundreds of times?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from .conftest import Project

CLEW = (sys.executable, "-m", "clew")
SOON = 120.0
"""Seconds that are waited at most."""
AS_A_USER = (
    () if os.geteuid() else ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")
)
"""In front of a command: modes of files hold, as they do not for root."""


def started(*arguments: str, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*before, *CLEW, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, Any]:
    """Its exit code, and what it printed as JSON; a traceback is a failure."""
    out, err = process.communicate(timeout=SOON)
    assert "Traceback" not in err, err
    return process.returncode, json.loads(out) if out else None


def many(project: Project, count: int, lines: int = 2) -> None:
    for number in range(count):
        body = "".join(f"    total += value * {line}\n" for line in range(lines))
        project.write(f"src/f{number}.py", f"def conc_{number}(value):\n    total = {number}\n{body}    return total\n")


def is_found_once(project: Project, name: str) -> bool:
    shown = [result for result in project.search(name, "--mode", "fast") if name in result["code_snippet"]]
    return len(shown) == 1


@contextmanager
def held(project: Project) -> Iterator[int]:
    """A process that holds the writer's lock, by its number."""
    program = (
        "import sys; from pathlib import Path; from clew.stores.embedded import EmbeddedStore\n"
        "with EmbeddedStore.open(Path(sys.argv[1])) as store, store.writer():\n    print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(project.root / ".clew")]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        yield holder.pid
    finally:
        holder.kill()
        holder.communicate()


# -- 34-two-indexers --


def test_four_indexers_at_once_beside_searches_leave_one_whole_index(project: Project) -> None:
    many(project, 120)
    indexers = [started("index", "--json", str(project.root)) for _ in range(4)]
    searches = [started("search", "--json", "--path", str(project.root), "conc_7") for _ in range(2)]
    for code, said in map(ended, indexers):
        assert code == 0 or (code == 5 and said["error"]["hint"])
    for code, said in map(ended, searches):
        assert code in (0, 1) and (said["stale"] or said["results"][0]["filepath"] == "src/f7.py"), said
    project.index()
    assert project.status()["files"]["indexed"] == 120
    assert all(is_found_once(project, f"conc_{number}") for number in (0, 57, 119))


def test_two_who_wait_for_a_writer_are_told_who_it_is_and_the_next_takes_over_from_the_dead(project: Project) -> None:
    many(project, 3)
    project.index()
    project.write("src/f1.py", "def later(value):\n    return value\n")
    with held(project) as holder:
        waiting = [started("index", "--json", str(project.root)) for _ in range(2)]
        search = project.answer("later", "--mode", "fast")
        for code, said in map(ended, waiting):
            assert code == 5 and f"process {holder} " in said["error"]["message"]
        assert search["stale"] and any(f"process {holder} " in warning for warning in search["warnings"])
        assert f"process {holder} " in project.status()["writer"]
    assert project.find("later", "src/f1.py", None, "--mode", "fast")
    assert not project.status()["writer"]


# -- 35-killed-indexer --


def test_an_indexer_that_is_killed_leaves_an_index_that_says_so_and_is_continued(project: Project) -> None:
    many(project, 1_200, lines=20)
    indexer = started("index", "--json", str(project.root))
    last = time.monotonic() + SOON
    while not _committed(project) and time.monotonic() < last:
        time.sleep(0.02)
    indexer.kill()
    indexer.communicate()
    state = project.status()
    kept = state["files"]["indexed"]
    assert indexer.returncode == -signal.SIGKILL and 0 < kept < 1_200 and not state["complete"]
    report = project.index()
    assert report["complete"] and report["files"]["unchanged"] >= kept
    assert project.status()["files"]["indexed"] == 1_200
    assert all(is_found_once(project, f"conc_{number}") for number in (1, 600, 1_199))


def _committed(project: Project) -> int:
    """How many files are in the index so far."""
    if not (project.root / ".clew" / "catalog.db").exists():
        return 0
    code, said = ended(started("status", "--json", str(project.root)))
    return int(said["files"]["indexed"]) if code == 0 else 0


# -- 37-read-only-project --


@pytest.fixture
def locked(project: Project) -> Iterator[Project]:
    """A project that may be read and not written, when asked by `AS_A_USER`."""
    many(project, 3)
    yield project
    for folder in (project.root, *(path for path in project.root.rglob("*") if path.is_dir())):
        folder.chmod(0o755)


def _lock(project: Project) -> None:
    for path in (*project.root.rglob("*"), project.root):
        path.chmod(0o555 if path.is_dir() else 0o444)


def test_a_project_that_may_not_be_written_is_indexed_elsewhere_or_refused_in_a_sentence(
    locked: Project, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home" / "data"))
    _lock(locked)
    code, said = ended(started("search", "--json", "--path", str(locked.root), "conc_1", before=AS_A_USER))
    if code == 0:
        assert said["results"][0]["filepath"] == "src/f1.py"
    else:
        assert code == 3 and str(locked.root) in said["error"]["message"] and "index_dir" in said["error"]["hint"]
    elsewhere = ("env", f"CLEW_INDEX_DIR={tmp_path / 'elsewhere'}")
    code, said = ended(started("search", "--json", "--path", str(locked.root), "conc_1", before=(*AS_A_USER, *elsewhere)))
    assert code == 0 and said["results"][0]["filepath"] == "src/f1.py"


def test_an_index_that_may_not_be_written_answers_and_says_what_it_lacks(locked: Project) -> None:
    locked.index()
    _lock(locked)
    code, said = ended(started("search", "--json", "--path", str(locked.root), "conc_1", before=AS_A_USER))
    assert code == 0 and not said["stale"] and said["results"][0]["filepath"] == "src/f1.py"
    (locked.root / "src").chmod(0o755)
    (locked.root / "src" / "f1.py").chmod(0o644)
    locked.write("src/f1.py", "def later(value):\n    return value\n")
    code, said = ended(started("search", "--json", "--path", str(locked.root), "conc_1", before=AS_A_USER))
    assert code == 0 and said["stale"] and "cannot be written" in " ".join(said["warnings"])
    assert all(result["from_index"] for result in said["results"] if result["filepath"] == "src/f1.py")
    code, said = ended(started("index", "--json", str(locked.root), before=AS_A_USER))
    assert code in (3, 4) and said["error"]["hint"]


# -- 40-store-growth --


def test_edits_by_the_hundred_leave_an_index_no_larger_than_one_made_anew(project: Project) -> None:
    many(project, 40)
    project.index()
    for edit in range(150):
        project.write("hot.py", f"def growth_fn():\n    return {edit}\n")
        project.index()
    (shown,) = [result for result in project.search("growth_fn", "--mode", "fast") if result["filepath"] == "hot.py"]
    edited = _size(project)
    project.index("--rebuild")
    assert "return 149" in shown["code_snippet"]
    assert edited <= 1.5 * _size(project)


def _size(project: Project) -> int:
    return sum(path.stat().st_size for path in (project.root / ".clew").rglob("*") if path.is_file())
