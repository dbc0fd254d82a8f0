"""What do the tests of the embedded store share? A small project of many files, and a look at its table."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from clew.stores.embedded import EmbeddedStore, Limits
from clew.testing import HashingEmbedder, a_change, a_chunk, a_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.core.catalog import FileUpdate

EMBEDDER = HashingEmbedder(16)
SYLLABLES = ("alpha", "beta", "gamma", "delta", "user", "socket", "parse", "token", "index", "cache", "retry")


def project(files: int, offset: int = 0) -> list[FileUpdate]:
    """Files of two chunks each, whose words and vectors differ from file to file."""
    made = []
    for number in range(offset, offset + files):
        path = f"src/p{number % 7}/m{number}.py"
        words = [SYLLABLES[(number * step + step) % len(SYLLABLES)] for step in (1, 3, 5)]
        chunks = (
            a_chunk(path, f"{words[0]}_{number}", f"def f():\n    return {words[1]}({number})\n", docstring=" ".join(words)),
            a_chunk(path, f"Class{number}.{words[2]}", f"x = {words[2]} + {words[0]} + {words[0]}", line=9, symbol_type="method"),
        )
        made.append(a_file(path, *chunks, embedder=EMBEDDER))
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the store of a test lives."""
    return tmp_path / ".clew"


@pytest.fixture
def filled(folder: Path) -> Callable[..., EmbeddedStore]:
    """A store with a settled project in it, opened with the given limits."""

    def make(files: int = 20, **limits: Any) -> EmbeddedStore:
        store = EmbeddedStore.open(folder, limits=Limits(**limits))
        store.apply(a_change("home", *project(files), embedder=EMBEDDER))
        store.settle()
        return store

    return make


def table_rows(folder: Path, name: str = "chunks") -> dict[tuple[str, str], dict[str, Any]]:
    """What LanceDB itself reads from the table, by key; a key that stands there twice is a failure."""
    import lancedb

    rows = lancedb.connect(folder).open_table(name).to_arrow().to_pylist()
    found = {(row["namespace"], row["id"]): row for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.fixture
def run_python() -> Callable[[str], str]:
    """Runs a program in a process of its own and gives what it printed."""

    def run(program: str) -> str:
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode in (0, -9), done.stderr
        return done.stdout

    return run
