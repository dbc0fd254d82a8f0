"""Which chunks hold the asked terms, and how well? FTS5 answers: transactional, exact, without numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.stores.bm25 import PRECISION, WEIGHTS
from clew.stores.embedded.encoding import unpacked

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

    from clew.stores.embedded.reading import Condition

Scored = list[tuple[int, float]]
"""Chunk numbers with their scores."""

_EXTRA = 50
"""Rows fetched beyond the limit, so that a tie at the limit is seen without a second query."""
NEAR = 10.0 ** (1 - PRECISION)
"""Scores nearer than this may be equal once rounded."""
_SCORE = f"-bm25(postings, {', '.join(map(str, WEIGHTS))})"


def scored(connection: sqlite3.Connection, asked: Mapping[str, int], condition: Condition, limit: int, *, after: int = 0) -> Scored:
    """The best chunks numbered above `after`, and all that may tie with the last of them, in no promised order."""
    query = f"SELECT p.rowid, {_SCORE} AS score FROM postings p {_joined(condition)} ORDER BY score DESC"
    values = (_match(asked), after, *condition[1])
    best: Scored = connection.execute(f"{query} LIMIT ?", (*values, limit + _EXTRA)).fetchall()
    if len(best) == limit + _EXTRA and best[-1][1] >= best[limit - 1][1] - NEAR:
        floor = best[limit - 1][1] - NEAR
        best = [row for row in connection.execute(query, values) if row[1] >= floor]
    return [(number, round(score, PRECISION)) for number, score in best]


def frequencies(connection: sqlite3.Connection, terms: Iterable[str], condition: Condition, *, after: int = 0) -> dict[str, int]:
    """How many chunks numbered above `after` hold each term."""
    query = f"SELECT count(*) FROM postings p {_joined(condition)}"
    return {term: connection.execute(query, (_match({term: 1}), after, *condition[1])).fetchone()[0] for term in terms}


def holding_all(connection: sqlite3.Connection, words: Iterable[str], condition: Condition) -> int:
    """How many chunks hold all of the words."""
    match = " AND ".join(f'"{word}"' for word in words)
    found = connection.execute(f"SELECT count(*) FROM postings p {_joined(condition)}", (match, 0, *condition[1]))
    return int(found.fetchone()[0])


def files_holding(connection: sqlite3.Connection, words: Iterable[str], condition: Condition) -> tuple[str, ...]:
    """The files with a chunk that holds all of the words, in order."""
    match = " AND ".join(f'"{word}"' for word in words)
    within = f"AND {condition[0]}" if condition[0] else ""
    query = (
        "SELECT DISTINCT f.filepath FROM postings p CROSS JOIN chunks c ON c.chunk = p.rowid CROSS JOIN files f USING (file) "
        f"WHERE p.postings MATCH ? {within}"
    )
    return tuple(sorted(unpacked(path) for (path,) in connection.execute(query, (match, *condition[1]))))


def _joined(condition: Condition) -> str:
    """The tables and the condition; chunks are joined only where something of theirs is asked, and CROSS after the words are found."""
    matching = "WHERE p.postings MATCH ? AND p.rowid > ?"
    return f"CROSS JOIN chunks c ON c.chunk = p.rowid {matching} AND {condition[0]}" if condition[0] else matching


def _match(asked: Mapping[str, int]) -> str:
    """The query in FTS5's language: a term asked twice stands there twice. Terms hold no quote (`bm25.single`)."""
    return " OR ".join(f'"{term}"' for term, times in asked.items() for _ in range(times))
