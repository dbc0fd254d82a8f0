"""How is a search answered from the snapshot, what is pending, and what is gone? Both legs, and statistics of terms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from clew.core.query import Filters, Leg, Scope, TermStatistics
from clew.stores.bm25 import PRECISION, idf, single
from clew.stores.embedded import keywords, reading
from clew.stores.embedded.embeddings import known_number
from clew.stores.lagging import without_vectors

if TYPE_CHECKING:
    import sqlite3

    from clew.core.catalog import Space, Vector
    from clew.stores.embedded.docs import Flags, Numbers
    from clew.stores.embedded.nearest import Part
    from clew.stores.embedded.snapshot import Snapshot
    from clew.stores.embedded.view import View

REPAIR = "`clew index` repairs it"
Approximate = Callable[[int, "Vector", "Scope | None", int, int], "Numbers | None"]
"""Given a space, a question, a scope (None: everything), a limit and how many vectors there are: the chunks that an approximate index proposes, None where there is none."""


def by_keywords(
    view: View, connection: sqlite3.Connection, scope: Scope, asked: Mapping[str, int], filters: Filters, limit: int, *, arrays: bool
) -> Leg:
    """Chunks by BM25F, from FTS5 alone or from the snapshot and FTS5 for what is newer; both give the same scores."""
    snapshot = _with_current_words(view, connection) if arrays else None
    found = _from_snapshot(view, connection, snapshot, scope, asked, filters, limit) if snapshot else []
    if snapshot is None or view.newer(connection):
        condition = reading.restriction(connection, scope, filters)
        found += keywords.scored(connection, asked, condition, limit, after=view.meta(connection, "settled") if snapshot else 0)
    return Leg(view.best(connection, found, limit), 0.0, view.generation)


def term_statistics(view: View, connection: sqlite3.Connection, scope: Scope, terms: Collection[str], *, arrays: bool) -> TermStatistics:
    """How many chunks in scope there are, and how many hold each term."""
    words = {term: list(single([term])) for term in terms}
    plain = [term for term, found in words.items() if found == [term]]
    snapshot = _with_current_words(view, connection) if arrays else None
    if snapshot is None:
        frequency = keywords.frequencies(connection, plain, reading.restriction(connection, scope, Filters()))
    else:
        flags = view.flags(connection, snapshot, scope, Filters())
        frequency = _later(view, connection, plain, scope)
        frequency = {term: later + _held(snapshot, term, flags) for term, later in frequency.items()}
    for term, found in words.items():
        if found and found != [term]:
            frequency[term] = keywords.holding_all(connection, found, reading.restriction(connection, scope, Filters()))
    return TermStatistics(view.count(connection, scope), {term: number for term, number in frequency.items() if number})


def by_vector(
    view: View,
    connection: sqlite3.Connection,
    scope: Scope,
    space: Space,
    vector: Vector,
    filters: Filters,
    limit: int,
    approximate: Approximate,
) -> Leg:
    """Chunks by cosine; what the snapshot should hold and does not is missing, and said."""
    from clew.stores.embedded.nearest import nearest, unit

    number = view.once(("number", space), lambda: known_number(connection, space))
    question = unit(vector)
    if question is None:
        return Leg((), 0.0, view.generation)
    if len(question) != space.dims:
        raise ValueError(f"a question of {len(question)} numbers in a space of {space.dims}")
    parts = [part for part in (_pending_part(view, connection, number, scope, filters),) if len(part.numbers)]
    snapshot = view.snapshot()
    if snapshot is not None and len(snapshot.matrix(number)):
        everything = None if view.count(connection, scope) == view.count(connection) else scope
        proposed = None if filters else approximate(number, vector, everything, limit, len(snapshot.matrix(number)))
        parts = [*_snapshot_parts(view, connection, snapshot, number, scope, filters, proposed), *parts]
    near = nearest(parts, question, limit)
    warnings = [without_vectors(lacking)] if (lacking := view.lacking(connection, number, scope)) else []
    if snapshot is None and view.snapshot_name:
        warnings.append(f"the snapshot of vectors is damaged ({view.damage}): chunks are missing from semantic search; {REPAIR}")
    hits = view.best(connection, near.found, limit)
    return Leg(hits, near.level, view.generation, tuple(warnings), view.by_file(near.averages, hits), near.average)


def _with_current_words(view: View, connection: sqlite3.Connection) -> Snapshot | None:
    snapshot = view.snapshot()
    return snapshot if snapshot is not None and snapshot.analysis == view.meta(connection, "analysis") else None


def _from_snapshot(
    view: View, connection: sqlite3.Connection, snapshot: Snapshot, scope: Scope, asked: Mapping[str, int], filters: Filters, limit: int
) -> keywords.Scored:
    """The best of the snapshot's living chunks and all that may tie with the last; weights are those of all living chunks."""
    import numpy as np

    from clew.stores.embedded.postings import scores

    total = view.count(connection)
    alive = view.alive(connection, snapshot)
    later = _later(view, connection, asked, None)
    weights = {term: times * idf(total, _held(snapshot, term, alive) + later[term]) for term, times in asked.items()}
    found = scores(snapshot.postings, weights, view.shortages(snapshot, view.meta(connection, "words") / max(total, 1)))
    flags = view.flags(connection, snapshot, scope, filters)
    if flags is not None:
        found *= flags
    places = np.flatnonzero(found)
    scored = found[places]
    if len(places) > limit:
        floor = np.partition(scored, len(scored) - limit)[len(scored) - limit] - keywords.NEAR
        places, scored = places[scored >= floor], scored[scored >= floor]
    return list(zip(snapshot.docs.numbers[places].tolist(), np.round(scored, PRECISION).tolist(), strict=True))


def _later(view: View, connection: sqlite3.Connection, terms: Iterable[str], scope: Scope | None) -> dict[str, int]:
    """How many chunks newer than the snapshot hold each term, of those that the scope shows (None: of all)."""
    if not view.newer(connection):
        return dict.fromkeys(terms, 0)
    condition = reading.restriction(connection, scope, Filters()) if scope else ("", [])
    return keywords.frequencies(connection, terms, condition, after=view.meta(connection, "settled"))


def _held(snapshot: Snapshot, term: str, flags: Flags | None) -> int:
    places = snapshot.postings.of(term)[0]
    return len(places) if flags is None else int(flags[places].sum())


def _snapshot_parts(
    view: View, connection: sqlite3.Connection, snapshot: Snapshot, space: int, scope: Scope, filters: Filters, proposed: Numbers | None
) -> list[Part]:
    """The whole matrix; or the proposed rows, and some stretches of it to know what an unrelated file scores."""
    import numpy as np

    from clew.stores.embedded.nearest import Part

    places, matrix = snapshot.places(space), snapshot.matrix(space)
    numbers, files, firsts = view.rows_of(snapshot, space)
    seen = view.once(("seen", space, scope), lambda: _of_rows(view.flags(connection, snapshot, scope, Filters()), places))
    if proposed is None:
        passing = _of_rows(view.flags(connection, snapshot, scope, filters), places) if filters else None
        return [Part(numbers, files, matrix, seen, passing, firsts=firsts)]
    chosen = snapshot.rows_of(space, proposed)
    starts = np.linspace(0, max(len(matrix) - _RUN, 0), _RUNS).astype(np.int64)
    sample = np.unique((starts[:, None] + np.arange(min(_RUN, len(matrix)))).reshape(-1))
    chosen = np.setdiff1d(chosen[chosen >= 0], sample)
    near = Part(numbers[chosen], files[chosen], matrix[chosen], None if seen is None else seen[chosen], None, typical=False)
    return [near, Part(numbers[sample], files[sample], matrix[sample], None if seen is None else seen[sample], None)]


def _of_rows(flags: Flags | None, places: Numbers) -> Flags | None:
    """The flags of the chunks at these places, or None where all are set and nothing is left to compare with them."""
    return None if flags is None or (rows := flags[places]).all() else rows


_RUNS, _RUN = 16, 512
"""Stretches of rows scored beside those that an approximate index proposes, to know what an unrelated file scores: rows of one file mostly stand together."""


def _pending_part(view: View, connection: sqlite3.Connection, space: int, scope: Scope, filters: Filters) -> Part:
    from clew.stores.embedded import docs
    from clew.stores.embedded.nearest import Part

    chunks, matrix = view.pending(connection, space)
    if not len(matrix):
        return Part(chunks.numbers, chunks.files, matrix, None, None)
    files = view.files_passing(connection, scope, filters)
    return Part(chunks.numbers, chunks.files, matrix, docs.seen(chunks, scope), docs.passing(chunks, filters, files))
