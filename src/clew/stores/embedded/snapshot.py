"""What does a search read without touching the database? Postings and vectors of all chunks at one moment, as mapped arrays."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from clew.stores.embedded import arrays, docs
from clew.stores.embedded.arrays import Arrays, Damaged, Streamed
from clew.stores.embedded.discarding import remove
from clew.stores.embedded.docs import Docs, Flags, Numbers
from clew.stores.embedded.encoding import SPACE_STEP
from clew.stores.embedded.merging import merged
from clew.stores.embedded.places import SNAPSHOTS, snapshot_file
from clew.stores.embedded.postings import Postings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from clew.stores.embedded.postings import Part

BLOCK_ROWS = 8_192
"""Vectors copied at a time: 8 MB at 256 dimensions."""


class Snapshot:
    """An opened snapshot. Its arrays stay readable after its files are deleted."""

    def __init__(self, opened: Arrays) -> None:
        found, notes = opened.arrays, opened.notes
        self._opened = opened
        self.analysis: str = notes["analysis"]
        self.docs = Docs(
            found["numbers"],
            found["files"],
            found["realms"],
            found["languages"],
            found["types"],
            tuple((namespace, visibility) for namespace, visibility in notes["realms"]),
            tuple(notes["languages"]),
            tuple(notes["types"]),
        )
        self.postings = Postings(found["blob"], found["ends"], found["starts"], found["docs"], found["weights"], found["lengths"], {})
        self._places = {int(space): found[f"places-{space}"] for space in notes["spaces"]}
        self._matrices = {int(space): found[f"matrix-{space}"] for space in notes["spaces"]}
        self._rows = {space: self.docs.numbers[places] for space, places in self._places.items()}

    def places(self, space: int) -> Numbers:
        """For each row of the space's matrix, where its chunk stands in `docs`."""
        return self._places.get(space, np.zeros(0, np.int64))

    def matrix(self, space: int) -> NDArray[np.float32]:
        """The space's vectors, one row for each of `places`."""
        return self._matrices.get(space, np.zeros((0, 0), np.float32))

    def rows_of(self, space: int, numbers: Numbers) -> Numbers:
        """The matrix rows of these chunks; -1 where there is none."""
        known = self._rows.get(space)
        if known is None or not len(known):
            return np.full(len(numbers), -1, np.int64)
        found = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
        return np.where(known[found] == numbers, found, -1)

    def vector(self, space: int, number: int) -> bytes | None:
        """The vector of one chunk, as bytes."""
        row = int(self.rows_of(space, np.array([number]))[0])
        return None if row < 0 else self._matrices[space][row].tobytes()

    def alive(self, gone: Numbers) -> Flags:
        """Which chunks of the snapshot live, given those that are gone."""
        flags = np.ones(len(self.docs.numbers), np.bool_)
        places = self.docs.places(gone)
        flags[places[places >= 0]] = False
        return flags

    def whole(self) -> bool:
        """Whether every byte is as it was written."""
        return arrays.whole(self._opened)

    def release(self) -> None:
        """Keep no more of it in memory than is asked for next."""
        arrays.release(self._opened)


def open_snapshot(file: BinaryIO | None) -> Snapshot:
    """The snapshot in an open file, or raise `Damaged`."""
    if file is None:
        raise Damaged("it is missing")
    try:
        return Snapshot(arrays.open_arrays(file))
    except (KeyError, ValueError, TypeError, IndexError) as fault:
        raise Damaged(f"its arrays do not fit together: {fault}") from fault


def write_snapshot(
    folder: Path, name: str, chunks: Docs, parts: Sequence[Part], vectors: Mapping[int, tuple[Numbers, Streamed]], analysis: str
) -> None:
    """Write a snapshot aside and give it its name; `parts` have the words of all chunks, `vectors`, by space, their numbers and the matrix."""
    home = folder / SNAPSHOTS
    if not home.is_dir():
        remove(home)
        home.mkdir()  # not the folder above: an index that was deleted meanwhile is not begun again here
    aside = home / f".{name}"
    remove(aside)
    aside.mkdir()
    contents: dict[str, NDArray[Any] | Streamed] = {
        "numbers": chunks.numbers, "files": chunks.files, "realms": chunks.realms, "languages": chunks.languages, "types": chunks.types,
        **merged(parts, chunks.numbers, aside),
    }  # fmt: skip
    for space, (numbers, matrix) in vectors.items():
        contents[f"places-{space}"] = chunks.places(numbers)
        contents[f"matrix-{space}"] = matrix
    notes = {
        "analysis": analysis, "spaces": list(vectors), "realms": chunks.realm_names, "languages": chunks.language_names, "types": chunks.type_names,
    }  # fmt: skip
    target = Path(snapshot_file(folder, aside.name))
    try:
        arrays.write(target, contents, notes)
        aside.replace(home / name)
        arrays.sync_folder(home)
    except OSError as fault:
        if fault.filename is None:  # a write does not say where
            fault.filename = str(target)
        raise


def remove_others(folder: Path, name: str) -> None:
    """Delete every snapshot but the named one; on Windows those still mapped stay until the next time."""
    if (folder / SNAPSHOTS).is_dir():
        for entry in (folder / SNAPSHOTS).iterdir():
            if entry.name != name:
                with suppress(OSError):
                    remove(entry)


def vectors_of(
    connection: sqlite3.Connection, space: int, previous: Snapshot | None
) -> Callable[[Numbers], tuple[NDArray[np.float32], Flags]]:
    """A look-up of the vectors of chunks by number, in the catalog and then the previous snapshot; the flags say which were found."""
    dims = connection.execute("SELECT dims FROM spaces WHERE space = ?", (space,)).fetchone()[0]
    base = space * SPACE_STEP

    def look_up(numbers: Numbers) -> tuple[NDArray[np.float32], Flags]:
        found = np.zeros((len(numbers), dims), np.float32)
        have = np.zeros(len(numbers), np.bool_)
        if previous is not None and len(previous.matrix(space)):
            rows = previous.rows_of(space, numbers)
            have = rows >= 0
            found[have] = previous.matrix(space)[rows[have]]
            previous.release()
        query = "SELECT number, vector FROM vectors WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number"
        pending = connection.execute(query, (json.dumps((numbers + base).tolist()),)).fetchall()
        if pending:
            places = np.searchsorted(numbers, np.array([number - base for number, _ in pending], np.int64))
            found[places] = np.frombuffer(b"".join(raw for _, raw in pending), np.dtype("<f4")).reshape(-1, dims)
            have[places] = True
        return found, have

    return look_up


def streamed(look_up: Callable[[Numbers], tuple[NDArray[np.float32], Flags]], numbers: Numbers, dims: int) -> Streamed:
    """The vectors of these chunks, all of them known, block by block."""

    def blocks() -> Iterator[NDArray[np.float32]]:
        for start in range(0, len(numbers), BLOCK_ROWS):
            yield look_up(numbers[start : start + BLOCK_ROWS])[0]

    return Streamed("<f4", dims, blocks())


def embedded_numbers(connection: sqlite3.Connection, space: int) -> Numbers:
    """The numbers of the chunks that have a vector in the space, ascending."""
    found = connection.execute("SELECT chunk FROM embedded WHERE space = ? ORDER BY chunk", (space,))
    return np.fromiter((number for (number,) in found), np.int64)


def living(connection: sqlite3.Connection) -> Docs:
    """All living chunks."""
    return docs.load(connection)
