"""How does the vector table follow the catalog? What changed since the last time, by key; or all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew.stores.embedded import rows
from clew.stores.embedded.encoding import checksum_of, digest, packed, unpacked, unpacked_names
from clew.stores.embedded.snapshot import Snapshot, vectors_of
from clew.stores.vector_homes import Rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from clew.stores.vector_homes import VectorHome

BATCH_ROWS = 4_096
"""Rows handed over at a time: 15 MB of text and vectors."""

_REWRITE_SHARE = 0.5
"""From this share of changed rows on, writing all is cheaper than finding each, and leaves one compact version."""


class Fed(NamedTuple):
    """A space whose table was brought up to a generation."""

    space: int
    generation: int
    listing: str


class Fill(NamedTuple):
    """A space's place in the catalog: how far its table has come, and of what files it consisted then."""

    space: int
    name: str
    model: str
    dims: int
    synced: int
    listing: str


def fills(connection: sqlite3.Connection) -> list[Fill]:
    """All spaces."""
    found = connection.execute("SELECT space, name, fingerprint, dims, synced, listing FROM spaces ORDER BY space")
    return [Fill(*row) for row in found]


def feed(connection: sqlite3.Connection, home: VectorHome, fill: Fill, snapshot: Snapshot | None, generation: int, index_above: int) -> Fed:
    """Bring the space's table up to the generation; a space without vectors has none."""
    where = "JOIN embedded e ON e.chunk = c.chunk AND e.space = ?"
    everything = connection.execute("SELECT count(*) FROM embedded WHERE space = ?", (fill.space,)).fetchone()[0]
    changed = connection.execute(f"SELECT count(*) FROM chunks c {where} AND c.revision > ?", (fill.space, fill.synced)).fetchone()[0]
    if not everything:
        home.drop(fill.name)
        return Fed(fill.space, 0, "")
    intact = fill.synced and fill.listing and fill.listing == home.listing(fill.name)
    stale = connection.execute("SELECT namespace, id FROM stale").fetchall()
    if intact and not changed and not stale:
        return Fed(fill.space, generation, fill.listing)
    table = home.table(fill.name, fill.dims)
    if not intact or changed > _REWRITE_SHARE * everything or not table.is_whole():
        table.rewrite(_batches(connection, fill, snapshot, 0), index_above=index_above)
    else:
        table.update(stale, _batches(connection, fill, snapshot, fill.synced), index_above=index_above)
    return Fed(fill.space, generation, home.listing(fill.name))


def recover(home: VectorHome, fill: Fill, wanted: dict[bytes, list[int]]) -> Iterator[list[tuple[int, bytes]]]:
    """The vectors that the table still has for chunks, by checksum, batch by batch, as (chunk, bytes)."""
    if not home.listing(fill.name):
        return
    try:
        for checksums, vectors in home.table(fill.name, fill.dims).vectors():
            found = []
            for checksum, vector in zip(checksums, vectors, strict=True):
                raw = np.ascontiguousarray(vector, np.dtype("<f4")).tobytes()
                found += [(number, raw) for number in wanted.pop(digest(checksum), ())]
            yield found
    except home.faults:
        return


def _batches(connection: sqlite3.Connection, fill: Fill, snapshot: Snapshot | None, since: int) -> Iterator[Rows]:
    look_up = vectors_of(connection, fill.space, snapshot)
    query = f"{rows.WHOLE} JOIN embedded e ON e.chunk = c.chunk AND e.space = ? WHERE c.revision > ? ORDER BY c.chunk"
    cursor = connection.execute(query, (fill.space, since))
    while found := cursor.fetchmany(BATCH_ROWS):
        vectors, _ = look_up(np.array([row[0] for row in found], np.int64))
        yield Rows(_columns(found, fill.model), vectors)


def _columns(found: list[rows.Row], model: str) -> dict[str, list[Any]]:
    """Straight from rows of `WHOLE`, a column at a time: a chunk object for each would cost half as much again."""
    columns: dict[str, list[Any]] = dict(zip(_WHOLE_NAMES, map(list, zip(*found, strict=True)), strict=True))
    for name in _TEXTS:
        columns[name] = list(map(_valid, columns[name]))
    for name in ("imports", "calls"):
        columns[name] = [[_valid(packed(one)) for one in unpacked_names(names)] if names else [] for names in columns[name]]
    columns["text"] = [f"{header}\n{code}" if header else code for header, code in zip(columns["header"], columns["code"], strict=True)]
    columns["checksum"] = [checksum_of(row[18]) for row in found]
    columns["model"] = [model] * len(found)
    return columns


def _valid(value: object) -> str:
    """Text that Arrow takes, of a stored one: bytes that are not UTF-8 are written `\\xNN`."""
    if isinstance(value, str):
        return value
    return unpacked(value).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")  # type: ignore[arg-type]


_WHOLE_NAMES = (
    "chunk", "namespace", "visibility", "id", "filepath", "symbol_name", "symbol_type", "language", "line_start", "line_end",
    "parent", "header", "code", "signature", "docstring", "imports", "calls", "indexed_at", "checksum", "revision",
)  # fmt: skip
_TEXTS = ("filepath", "symbol_name", "symbol_type", "language", "parent", "header", "code", "signature", "docstring")
