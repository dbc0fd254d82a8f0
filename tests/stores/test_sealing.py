"""Is a changed byte of the catalog noticed, and nothing else taken for damage?"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.core.query import Filters, Scope
from clew.errors import IndexUnusable
from clew.stores.embedded import EmbeddedStore
from clew.stores.embedded.sealing import MOST_BYTES, SEAL
from clew.testing import a_change

from .conftest import EMBEDDER, project

Filled = Callable[..., EmbeddedStore]
SEEN = Scope(("home",))


def chunks(folder: Path, *, read_only: bool = False) -> int:
    with EmbeddedStore.open(folder, read_only=read_only) as store:
        return store.counts("home").chunks


def change(path: Path, seed: int) -> None:
    """One bit, without a trace in the file's time."""
    raw, seen = bytearray(path.read_bytes()), path.stat()
    chance = random.Random(seed)
    raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    path.write_bytes(raw)
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("read_only", [False, True])
def test_one_changed_bit_anywhere_in_the_catalog_is_noticed(filled: Filled, folder: Path, seed: int, read_only: bool) -> None:
    filled(20).close()
    change(folder / "catalog.db", seed)
    with pytest.raises(IndexUnusable) as refused:
        chunks(folder, read_only=read_only)
    assert "clew" in refused.value.hint


@pytest.mark.parametrize("kept", [0.0, 0.5, 0.9999])
def test_a_catalog_that_was_cut_off_is_noticed_when_it_is_opened(filled: Filled, folder: Path, kept: float) -> None:
    filled(20).close()
    os.truncate(folder / "catalog.db", int((folder / "catalog.db").stat().st_size * kept))
    if kept:
        with pytest.raises(IndexUnusable):
            chunks(folder)
    else:
        assert chunks(folder) == 0  # as empty as one that was never begun: it is made anew


def test_a_seal_is_there_only_while_nobody_writes(filled: Filled, folder: Path) -> None:
    store = filled(20)
    assert not (folder / SEAL).exists()
    store.close()
    assert (folder / SEAL).exists()
    with EmbeddedStore.open(folder) as first, EmbeddedStore.open(folder) as second:
        first.apply(a_change("home", deleted=("src/p0/m0.py",)))
        assert not (folder / SEAL).exists()
        second.apply(a_change("home", deleted=("src/p1/m1.py",)))
        first.close()
        assert (folder / SEAL).exists() and chunks(folder) == 36
        second.apply(a_change("home", deleted=("src/p2/m2.py",)))
        assert not (folder / SEAL).exists() and chunks(folder) == 34
    assert chunks(folder) == 34 and (folder / SEAL).exists()


def test_reading_keeps_the_seal_and_a_copy_has_it_too(filled: Filled, folder: Path, tmp_path: Path) -> None:
    filled(20).close()
    sealed = (folder / SEAL).read_bytes()
    with EmbeddedStore.open(folder) as store:
        assert store.keywords(SEEN, ["alpha"], Filters(), 5).hits
    assert (folder / SEAL).read_bytes() == sealed
    shutil.copytree(folder, tmp_path / "copy")
    assert chunks(tmp_path / "copy") == 40


@pytest.mark.parametrize("content", [b"", b"nonsense", b"1 00000000 00000000\n", b"\xff" * 99])
def test_a_damaged_seal_accuses_nobody(filled: Filled, folder: Path, content: bytes) -> None:
    filled(20).close()
    (folder / SEAL).write_bytes(content)
    assert chunks(folder) == 40


@pytest.mark.parametrize("seed", range(8))
def test_a_changed_bit_in_the_seal_costs_no_index(filled: Filled, folder: Path, seed: int) -> None:
    filled(2).close()
    change(folder / SEAL, seed)
    assert chunks(folder) == 4


def test_a_seal_of_another_generation_says_nothing(filled: Filled, folder: Path) -> None:
    """As after a power cut that brings a removed seal back."""
    filled(20).close()
    sealed = (folder / SEAL).read_bytes()
    with EmbeddedStore.open(folder) as store:
        store.apply(a_change("home", *project(2, offset=20), embedder=EMBEDDER))
    (folder / SEAL).write_bytes(sealed)
    assert chunks(folder) == 44


def test_a_catalog_too_large_to_sum_up_is_not_sealed(filled: Filled, folder: Path) -> None:
    with filled(2) as store:
        store.apply(a_change("home", facts={"large": "x" * (MOST_BYTES + 1)}))
    assert not (folder / SEAL).exists()
    assert chunks(folder) == 4


def test_a_reader_in_the_middle_keeps_a_writer_from_sealing_and_from_nothing_else(filled: Filled, folder: Path) -> None:
    filled(20).close()
    with EmbeddedStore.open(folder) as reader, reader.moment():
        reader.counts("home")
        with EmbeddedStore.open(folder) as store:
            store.apply(a_change("home", deleted=("src/p0/m0.py",)))
    assert chunks(folder) == 38


def test_looking_at_the_seal_gives_up_no_lock_of_another_store_in_this_process(
    filled: Filled, folder: Path, run_python: Callable[[str], str]
) -> None:
    """POSIX gives up a process's locks on a file when any descriptor of it is closed; whoever closes last would then take the log away."""
    filled(20).close()
    with EmbeddedStore.open(folder) as first:
        assert chunks(folder) == 40
        run_python(
            f"""
            import sqlite3
            connection = sqlite3.connect({str(folder / "catalog.db")!r})
            connection.execute("SELECT count(*) FROM chunks").fetchone()
            connection.close()
            """
        )
        assert (folder / "catalog.db-shm").exists() and first.counts("home").chunks == 40
