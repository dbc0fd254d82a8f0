"""Of how many pieces do the postings consist? After much was written of one; edits add small ones, merged a little at a time.

FTS5 writes a segment at each commit and merges them by itself: some pages now and then, and all of a level at once when it holds too many.
The second would cost an edit as much as a tenth of making the index, whenever the large segments of a first index are on that level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

    from clew.stores.embedded.catalog import Catalog

_HASH_BYTES = 16_777_216
"""What FTS5 collects before it writes a segment: one segment for a batch of some thousand chunks."""
_MOST_SEGMENTS = 1_000
"""Segments of a level that are merged all at once: never reached, as those that come are merged by and by (bench/results/scale.md)."""
_STEP_PAGES = 2_000
"""Pages merged in one transaction: 8 MB of log."""


def prepare_postings(connection: sqlite3.Connection) -> None:
    """Set when FTS5 writes segments and when it merges them; kept with the postings."""
    for name, value in (("hashsize", _HASH_BYTES), ("crisismerge", _MOST_SEGMENTS)):
        connection.execute("INSERT INTO postings(postings, rank) VALUES (?, ?)", (name, value))


def merge_postings(catalog: Catalog) -> None:
    """Make one segment of all, by steps that may be interrupted."""
    pages = -_STEP_PAGES  # negative: begin to merge all there is
    while True:
        with catalog.writing() as connection:
            if pages < 0:
                prepare_postings(connection)
            before = connection.total_changes
            connection.execute("INSERT INTO postings(postings, rank) VALUES ('merge', ?)", (pages,))
            if connection.total_changes - before < 2:  # as SQLite's documentation says
                return
        pages = _STEP_PAGES
