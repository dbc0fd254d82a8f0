"""Is everything in an index still what was written? A reading of all of it, for whoever has the time: what searches do not notice (decision 0010)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from clew.stores.embedded import rows
from clew.stores.embedded.catalog import Catalog, meta
from clew.stores.embedded.encoding import digest
from clew.stores.embedded.feeding import fills
from clew.stores.embedded.table import FAULTS, Table
from clew.stores.embedded.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clew.stores.embedded.feeding import Fill
    from clew.stores.embedded.snapshot import Snapshot

_OF_TEXT = "SELECT c.chunk FROM chunks c CROSS JOIN embedded e WHERE c.checksum = ?2 AND c.revision <= ?3 AND e.space = ?1 AND e.chunk = c.chunk LIMIT 1"


def damages(folder: Path) -> Iterator[str]:
    """What is damaged, one part after another. Raises IndexUnusable where the catalog cannot be read at all, NoIndex where there is none."""
    with closing(Catalog(folder, read_only=True)) as catalog, catalog.reading() as connection:
        for (said,) in connection.execute("PRAGMA quick_check(3)"):
            if said != "ok":
                yield f"catalog.db: {said}"
        if wrong := sum(digest(rows.chunk_of(row).checksum) != row[18] for row in connection.execute(rows.WHOLE)):
            yield f"catalog.db: {wrong} chunks are not what was indexed"
        view = View(folder, meta(connection, "generation"), meta(connection, "snapshot"), None)
        snapshot = view.snapshot() if view.snapshot_name else None
        if view.snapshot_name and (snapshot is None or not snapshot.whole()):
            yield "the snapshot is lost or damaged"
        elif snapshot is not None:
            for fill in fills(connection):
                if fill.synced and (wrong := _other_vectors(connection, folder, fill, snapshot)):
                    yield f"the vector table {fill.name}: {wrong}"


def _other_vectors(connection: sqlite3.Connection, folder: Path, fill: Fill, snapshot: Snapshot) -> str:
    """What is wrong with a table whose vectors stand in the snapshot too."""
    wrong = 0
    try:
        for checksums, vectors in Table(folder, fill.name, fill.dims).vectors():
            for checksum, vector in zip(checksums, vectors, strict=True):
                row = connection.execute(_OF_TEXT, (fill.space, digest(checksum), fill.synced)).fetchone()
                known = snapshot.vector(fill.space, row[0]) if row else None
                wrong += known is not None and known != vector.astype("<f4").tobytes()
    except FAULTS as fault:
        return f"it cannot be read ({type(fault).__name__})"
    return f"{wrong} vectors are not those of the snapshot" if wrong else ""
