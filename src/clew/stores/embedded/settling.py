"""When and how are snapshot and vector table renewed? In steps that may be interrupted anywhere and begun again."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import Stemmer

from clew.core import words as analysis
from clew.core.words import Words, words
from clew.errors import IndexUnusable
from clew.stores.embedded import reading, rows, writing
from clew.stores.embedded.catalog import Catalog, meta, set_meta
from clew.stores.embedded.encoding import SPACE_STEP
from clew.stores.embedded.segments import merge_postings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from clew.core.catalog import Vector
    from clew.core.query import Scope
    from clew.stores.embedded.docs import Docs, Numbers
    from clew.stores.embedded.postings import Gathering, Part
    from clew.stores.embedded.searching import Approximate
    from clew.stores.embedded.snapshot import Snapshot
    from clew.stores.embedded.view import View
    from clew.stores.vector_homes import Proposing, VectorHome

_WORDS_KEPT = 4_000
"""Chunks whose words wait as text before numpy is imported to count them: far more than an edit, far less than an index."""

_FREE_PAGES = 2_000
"""Unused pages of the catalog that are given back: 8 MB."""

_BULK_SHARE = 0.1
"""New chunks, as a share of all, from which the postings are gathered into one piece: 5 CPU seconds a million chunks."""


_LISTINGS = "SELECT name, listing FROM spaces WHERE synced > 0 AND listing != ''"


@dataclass(frozen=True, slots=True)
class Limits:
    """When derived parts are renewed. `rows`: as many changes wait at most (each costs a search 2 microseconds, a renewal seconds).
    `exact`: up to so many vectors every one is compared (256 dimensions: 6 to 8 ms for each 100,000, a gigabyte of mapped pages for a
    million); above, an approximate index proposes, which costs 100 ms and more a question in one process, 150 MB and 2 CPU seconds for
    LanceDB, and some recall."""

    rows: int = 2_000
    exact: int = 1_500_000


@cache
def current_analysis() -> str:
    """What the words of a chunk depend on besides the chunk: the analysis, its stemmer, the character tables."""
    source = Path(analysis.__file__).read_bytes()
    return hashlib.sha256(source + f"{Stemmer.version()}:{unicodedata.unidata_version}".encode()).hexdigest()


class Settling:
    """Keeps derived parts current; holds the words of new chunks until the next snapshot takes them in."""

    def __init__(self, folder: Path, catalog: Catalog, home: VectorHome, limits: Limits, reached: Callable[[str], None]) -> None:
        self._folder = folder
        self._home = home
        self._catalog = catalog
        self._limits = limits
        self._reached = reached
        self._waiting: list[tuple[int, Words]] = []
        self._gathering: Gathering | None = None
        self._opened: dict[str, tuple[list[Any], Proposing]] = {}

    # -- while writing --
    def check_analysis(self, connection: sqlite3.Connection) -> None:
        """Make the postings again if the analysis changed since they were made: deletions must name the very words."""
        known = meta(connection, "analysis")
        if known != current_analysis():
            if known:
                writing.reindex_words(connection)
                self._waiting, self._gathering = [], None
                set_meta(connection, "generation", meta(connection, "generation") + 1)
            set_meta(connection, "analysis", current_analysis())

    def forget_gathered(self) -> None:
        """The chunks whose words are kept were never committed."""
        self._waiting, self._gathering = [], None

    def gather(self, indexed: list[tuple[int, Words]]) -> None:
        """Keep the words of chunks that were just indexed."""
        self._waiting += indexed
        if len(self._waiting) > _WORDS_KEPT:
            self._gather_waiting()

    def _gather_waiting(self) -> Gathering:
        from clew.stores.embedded.postings import Gathering

        self._gathering = self._gathering or Gathering()
        self._gathering.add(self._waiting)
        self._waiting = []
        return self._gathering

    # -- while searching --
    def table_warnings(self, connection: sqlite3.Connection) -> tuple[str, ...]:
        """What is wrong with the vector tables, as far as a glance at their files tells."""
        found = connection.execute(_LISTINGS).fetchall()
        wrong = [(name, recorded) for name, recorded in found if not self._home.is_there(name, recorded)]
        if wrong:  # or a writer is at the table since this transaction began
            with closing(Catalog(self._folder, read_only=True)) as now:
                current = now.connection.execute(_LISTINGS).fetchall()
            wrong = [one for one in wrong if one in current]
        return tuple(f"the vector table {name} is lost or damaged; `clew index` repairs it" for name, _ in wrong)

    def approximate(self, connection: sqlite3.Connection) -> Approximate:
        """A source of candidates for indexes that are too large to compare everything."""

        def propose(space: int, vector: Vector, scope: Scope | None, limit: int, rows: int) -> Numbers | None:
            if rows <= self._limits.exact:
                return None
            name, dims, *state = connection.execute("SELECT name, dims, listing, synced FROM spaces WHERE space = ?", (space,)).fetchone()
            dead = connection.execute("SELECT count(*) FROM stale").fetchone()[0]
            try:
                if name not in self._opened or self._opened[name][0] != state:
                    self._shut(name)
                    self._opened[name] = (state, self._home.table(name, dims).opened())
                keys = self._opened[name][1].propose(vector, scope, 2 * limit + min(dead, self._limits.rows))
            except self._home.faults:
                self._shut(name)
                return None
            return _numbers(connection, keys)

        return propose

    def close(self) -> None:
        """Give back the tables that are open."""
        for name in list(self._opened):
            self._shut(name)

    def _shut(self, name: str) -> None:
        if name in self._opened:
            self._opened.pop(name)[1].close()

    # -- settling --
    def settle(self, now: Callable[[sqlite3.Connection], View], *, everything: bool = False) -> None:
        """Do what is due, or `everything`: recover what was lost, write the snapshot, feed the tables from it, tidy up."""
        with self._catalog.reading() as connection:
            view = now(connection)
            due = everything or self._due(connection, view)
            bulk = everything or _newer(connection) > _BULK_SHARE * reading.total(connection)
        if not due:
            return
        self._check_place()
        with self._catalog.writing() as connection:
            self.check_analysis(connection)
        snapshot = view.snapshot()
        if view.snapshot_name and (snapshot is None or not snapshot.whole()):
            self._recover()
            snapshot = None
        self._renew(snapshot)
        with self._catalog.reading() as connection:
            snapshot = now(connection).snapshot()
        self._feed(snapshot)
        if bulk:
            merge_postings(self._catalog)
        self._tidy(_FREE_PAGES if not everything else 0)

    def renew_what_is_there(self, now: Callable[[sqlite3.Connection], View]) -> None:
        """Write the snapshot and the tables anew, as small as they get; an index that a search made and that has none yet gets none."""
        with self._catalog.reading() as connection:
            is_fed = connection.execute("SELECT 1 FROM spaces WHERE synced > 0").fetchone() is not None
            derived = is_fed or bool(meta(connection, "snapshot"))
        if derived:
            self.settle(now, everything=True)
        else:
            self._tidy(0)

    def _check_place(self) -> None:
        """The folder may hold another index by now, whose parts are not ours to write or to remove."""
        if not self._catalog.is_there():
            raise IndexUnusable(f"the index at {self._folder} was deleted while it was written", "run `clew index`")

    def _due(self, connection: sqlite3.Connection, view: View) -> bool:
        def number(query: str, *values: object) -> int:
            return int(connection.execute(query, values).fetchone()[0])

        if view.snapshot_name and view.snapshot() is None:
            return True
        for fill in connection.execute("SELECT space, name, synced, listing FROM spaces").fetchall():
            space, name, synced, recorded = fill
            waiting = number("SELECT count(*) FROM vectors WHERE number BETWEEN ? AND ?", space * SPACE_STEP, (space + 1) * SPACE_STEP)
            lagging = (not recorded or recorded != self._home.listing(name)) if synced else _has_vectors(connection, space)
            if lagging or waiting >= self._limits.rows:
                return True
        newer = _newer(connection)
        dead = number("SELECT count(*) FROM gone")
        moved = number("SELECT count(*) FROM stale")
        return max(newer, dead, moved) >= self._limits.rows

    def _recover(self) -> None:
        """The snapshot is lost: take its vectors back from the tables; chunks whose vector is nowhere are unembedded."""
        from clew.stores.embedded.feeding import fills, recover

        with self._catalog.reading() as connection:
            everything = fills(connection)
        for fill in everything:
            low = fill.space * SPACE_STEP
            lacking = "e.space = ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.number = ? + e.chunk)"
            with self._catalog.writing() as connection:
                wanted: dict[bytes, list[int]] = {}
                query = f"SELECT c.checksum, c.chunk FROM chunks c JOIN embedded e USING (chunk) WHERE {lacking}"
                for raw, number in connection.execute(query, (fill.space, low)):
                    wanted.setdefault(raw, []).append(number)
                for found in recover(self._home, fill, wanted) if wanted else ():
                    connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", ((low + number, raw) for number, raw in found))
                connection.execute(f"DELETE FROM embedded AS e WHERE {lacking}", (fill.space, low))
        with self._catalog.writing() as connection:
            set_meta(connection, "snapshot", "")
            set_meta(connection, "settled", 0)
            set_meta(connection, "generation", meta(connection, "generation") + 1)
            connection.execute("DELETE FROM gone")
        self._reached("recovered")

    def _feed(self, snapshot: Snapshot | None) -> None:
        from clew.stores.embedded.feeding import feed, fills

        self.close()  # a table that is open may not see what another process wrote since
        with self._catalog.writing() as connection:
            # Until the new listing is known, none is: an interrupted feed is done again as a whole.
            everything = [fill for fill in fills(connection) if fill.synced or _has_vectors(connection, fill.space)]
            connection.execute("UPDATE spaces SET listing = ''")
        self._reached("feeding")
        with self._catalog.reading() as connection:
            generation = meta(connection, "generation")
            try:
                fed = [feed(connection, self._home, fill, snapshot, generation, self._limits.exact) for fill in everything]
            except self._home.faults as fault:
                raise IndexUnusable(
                    f"the vector table could not be written ({fault}); searches go on without it", self._home.repair
                ) from fault
        self._reached("fed")
        with self._catalog.writing() as connection:
            for space, reached, files in fed:
                connection.execute("UPDATE spaces SET synced = ?, listing = ? WHERE space = ?", (reached, files, space))
            connection.execute("DELETE FROM stale")
        self._reached("synced")

    def _renew(self, previous: Snapshot | None) -> None:
        from clew.stores.embedded.feeding import fills
        from clew.stores.embedded.snapshot import embedded_numbers, living, remove_others, streamed, vectors_of, write_snapshot

        with self._catalog.reading() as connection:
            chunks = living(connection)
            parts = self._parts(connection, chunks, previous)
            vectors = {}
            for fill in fills(connection):
                numbers = embedded_numbers(connection, fill.space)
                if len(numbers):
                    vectors[fill.space] = (numbers, streamed(vectors_of(connection, fill.space, previous), numbers, fill.dims))
            name = _free_name(self._folder, meta(connection, "generation"), meta(connection, "snapshot"))
            last = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunks'").fetchone()[0]
            write_snapshot(self._folder, name, chunks, parts, vectors, meta(connection, "analysis"))
        self._reached("written")
        self._catalog.connection.execute("PRAGMA synchronous = FULL")
        with self._catalog.writing() as connection:
            set_meta(connection, "snapshot", name)
            set_meta(connection, "settled", last)
            connection.execute("DELETE FROM gone")
            connection.execute("DELETE FROM vectors")
        self._catalog.connection.execute("PRAGMA synchronous = NORMAL")
        self._gathering, self._waiting = None, []
        self._reached("renewed")
        self._check_place()
        remove_others(self._folder, name)

    def _parts(self, connection: sqlite3.Connection, chunks: Docs, previous: Snapshot | None) -> list[Part]:
        """The postings of all living chunks: from the previous snapshot, from what was gathered, and from the catalog."""
        import numpy as np

        from clew.stores.embedded.postings import Part

        if previous is not None and previous.analysis != meta(connection, "analysis"):
            previous = None
        gathering = self._gather_waiting()
        known = np.isin(chunks.numbers, np.fromiter(gathering.gathered, np.int64))
        if previous:
            known |= previous.docs.places(chunks.numbers) >= 0
        unknown = chunks.numbers[~known].tolist()
        for start in range(0, len(unknown), _WORDS_KEPT):
            some = unknown[start : start + _WORDS_KEPT]
            query = f"{rows.WHOLE} WHERE c.chunk IN (SELECT value FROM json_each(?)) ORDER BY c.chunk"
            gathering.add((row[0], words(rows.chunk_of(row))) for row in connection.execute(query, (json.dumps(some),)))
        parts = gathering.parts()
        return [Part(previous.postings, previous.docs.numbers), *parts] if previous else parts

    def _tidy(self, free_pages: int) -> None:
        """Give the log back to the disk, and unused pages when there are more than that."""
        connection = self._catalog.connection
        with self._catalog.faults():
            if connection.execute("PRAGMA freelist_count").fetchone()[0] > free_pages:
                connection.executescript("PRAGMA incremental_vacuum;")  # `execute` would stop after one page
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _newer(connection: sqlite3.Connection) -> int:
    """How many chunks came since the snapshot was written."""
    return int(connection.execute("SELECT count(*) FROM chunks WHERE chunk > ?", (meta(connection, "settled"),)).fetchone()[0])


def _has_vectors(connection: sqlite3.Connection, space: int) -> bool:
    return connection.execute("SELECT 1 FROM embedded WHERE space = ? LIMIT 1", (space,)).fetchone() is not None


def _numbers(connection: sqlite3.Connection, keys: list[tuple[str, str]]) -> Numbers:
    """The chunks that the table's keys stand for: what they meant when it was fed, which `stale` remembers."""
    import numpy as np

    found: list[int] = []
    for key in keys:
        row = connection.execute("SELECT chunk FROM stale WHERE namespace = ? AND id = ?", key).fetchone()
        row = row or connection.execute("SELECT chunk FROM chunks WHERE namespace = ? AND id = ?", key).fetchone()
        found += row or ()
    return np.array(found, np.int64)


def _free_name(folder: Path, generation: int, current: str) -> str:
    """A name for a snapshot that neither the current one nor a left-over has."""
    tries = (f"{generation}" if not again else f"{generation}-{again}" for again in range(1_000_000))
    return next(name for name in tries if name != current and not (folder / "snapshot" / name).exists())
