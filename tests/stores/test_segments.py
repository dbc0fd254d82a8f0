"""Of how many pieces do the postings consist? Of one after much was written; an edit never merges that one with its own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from clew.core.query import Filters, Scope
from clew.stores.embedded import EmbeddedStore
from clew.testing import a_change, a_chunk, a_file

from .conftest import EMBEDDER, project

EDITS = 150
"""Enough for FTS5 to reach the large piece, if a level of sixteen were merged at once."""


HOME = Scope(("home",))


def word(edit: int) -> str:
    """A word of each edit's own."""
    return "q" + "abcdefghijklm"[edit % 13] + "nopqrstuvwxyz"[edit // 13] + "zuv"


def segments(folder: Path) -> set[int]:
    with closing(sqlite3.connect(folder / "catalog.db")) as connection:
        return {number for (number,) in connection.execute("SELECT DISTINCT segid FROM postings_idx")}


def test_postings_are_one_piece_after_much_was_written_and_stay_so_whatever_is_edited(folder: Path) -> None:
    with EmbeddedStore.open(folder) as store:
        for update in project(20):
            store.apply(a_change("home", update, embedder=EMBEDDER))
        assert len(segments(folder)) > 1
        store.settle()
        (large,) = segments(folder)
        for edit in range(EDITS):
            chunk = a_chunk("edited.py", f"edit_{edit}", f"{word(edit)} = 1")
            store.apply(a_change("home", a_file("edited.py", chunk)))
        assert large in segments(folder)
        assert len(store.keywords(HOME, [word(EDITS - 1)], Filters(), 10).hits) == 1
        assert store.keywords(HOME, [word(0)], Filters(), 10).hits == ()
