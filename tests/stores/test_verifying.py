"""Does a reading of all of an index find what a search does not notice?"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from clew.errors import NoIndex
from clew.stores.embedded import EmbeddedStore
from clew.stores.embedded.verifying import damages

Filled = Callable[..., EmbeddedStore]


def flip_in_a_text(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "catalog.db")) as connection:
        connection.execute("UPDATE texts SET code = replace(code, 'return', 'retorn') WHERE chunk = 1")
        connection.commit()


def flip_in_the_snapshot(folder: Path) -> None:
    (file,) = (folder / "snapshot").glob("*/arrays.bin")
    flip(file, file.stat().st_size // 2)


def flip_in_the_table(folder: Path) -> None:
    """A bit of a vector, under the same size and time."""
    (file,) = (folder / "chunks.lance" / "data").glob("*.lance")
    with closing(sqlite3.connect(folder / "catalog.db")) as connection:
        ((number,),) = connection.execute("SELECT max(chunk) FROM chunks").fetchall()
    store = EmbeddedStore.open(folder, read_only=True)
    with store._moment() as (_, view):
        snapshot = view.snapshot()
        assert snapshot is not None
        vector = snapshot.vector(1, number)
    store.close()
    assert vector is not None
    flip(file, file.read_bytes().index(vector))


def flip(file: Path, place: int) -> None:
    before, content = file.stat(), bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    ("flipped", "part"), [(flip_in_a_text, "chunks are not"), (flip_in_the_snapshot, "snapshot"), (flip_in_the_table, "vector table")]
)
def test_one_changed_letter_or_bit_is_found_in_each_part(filled: Filled, folder: Path, flipped: Callable[[Path], None], part: str) -> None:
    filled().close()
    assert [*damages(folder)] == []
    flipped(folder)
    (found,) = damages(folder)
    assert part in found


def test_where_there_is_no_index_that_is_said(folder: Path) -> None:
    with pytest.raises(NoIndex):
        [*damages(folder)]
