"""From a question to an answer out of the databases: the stages, in order.

1. Every table and column is scored: words, values, glossary, metrics, and the vector leg where there is one.
2. The best tables, without copies of each other; where no table is meant, those of the best columns.
3. The tables missing between them, their links, and joins.
4. DDL within the budget; the whole schema where it fits, or where nothing was found (with a warning).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clew.core.schema.answer import SchemaAnswer, SchemaQuestion
from clew.core.schema.protocols import SchemaValues, SchemaVectors
from clew.errors import UsageError
from clew.search.chances import MEDIUM, level
from clew.search.schema.bridges import bridges
from clew.search.schema.confidence import FAINT, FAINT_MATCHES, WEAK, chance
from clew.search.schema.diversity import POOL, diverse
from clew.search.schema.evidence import Beside, Evidence, gather, nothing
from clew.search.schema.index import Entry, Floats, SchemaIndex, build
from clew.search.schema.resolving import Picked, Resolver, without_values
from clew.search.schema.scorer import Scorer
from clew.search.schema.weights import WEIGHTS, Weights
from clew.search.schema.words import MAX_TEXT

WORTH_JOINING = 0.5
"""Share of the best table's score from which a table is connected to the others."""
MOST_JOINED = 5
"""Tables that are connected by bridges at most."""


class SchemaSearch:
    """Answers questions over a set of snapshots; what it looks up is built once for each choice of datasources and kept."""

    def __init__(self, entries: Sequence[Entry], weights: Weights = WEIGHTS) -> None:
        self._entries = tuple(sorted(entries, key=lambda entry: (entry.snapshot.datasource, entry.snapshot.version)))
        self._weights = weights
        self._kept: dict[tuple[bool, tuple[int, ...]], tuple[Resolver, Scorer]] = {}

    def answer(self, question: SchemaQuestion, vectors: SchemaVectors | None = None, values: SchemaValues | None = None) -> SchemaAnswer:
        """The tables, columns, joins and metrics that a question needs. Never empty while there is a table: where nothing is found,
        or a leg fails, `warnings` says so. Raises UsageError for a datasource or version that is not there.

        Who may not see values of rows is answered as if none were known: not by its rank, nor by a reason, can a question find out whether there is one.
        """
        resolver, scorer = self._ready(question.may_see_samples, self._chosen(question))
        beside = Beside(vectors, values if question.may_see_samples else None)
        evidence = gather(question.text[:MAX_TEXT], resolver.index, scorer, beside, self._weights)
        picked = _central(question, resolver.index) if nothing(evidence) else _pick(question, resolver.index, evidence)
        answer = resolver.answer(question, evidence, picked)
        found = 0.0 if nothing(evidence) else chance(evidence, picked.tables)
        warnings = (*answer.warnings, *_doubts(found), *_cut(question))
        return replace(answer, confidence=level(found if found >= FAINT else 0.0), confidence_score=found, warnings=warnings)

    def _ready(self, may_see_samples: bool, chosen: tuple[int, ...]) -> tuple[Resolver, Scorer]:
        key = (may_see_samples, chosen)
        if key not in self._kept:
            entries = [self._entries[one] for one in chosen]
            if not may_see_samples:
                entries = [replace(one, snapshot=without_values(one.snapshot)) for one in entries]
            index = build(entries)
            self._kept[key] = (Resolver(index), Scorer(index, self._weights))
        return self._kept[key]

    def _chosen(self, question: SchemaQuestion) -> tuple[int, ...]:
        """The entries that are asked: of each datasource the latest version, or the one that is asked for."""
        known = {entry.snapshot.datasource for entry in self._entries}
        if missing := [name for name in question.datasources if name not in known]:
            raise UsageError(f"no datasource named {', '.join(missing)}", hint=f"known: {', '.join(sorted(known)) or 'none'}")
        latest: dict[str, int] = {}
        for number, entry in enumerate(self._entries):
            is_asked = not question.datasources or entry.snapshot.datasource in question.datasources
            if is_asked and question.schema_version in ("", entry.snapshot.version):
                latest[entry.snapshot.datasource] = number
        if question.schema_version and not latest:
            raise UsageError(f"no schema version {question.schema_version}", hint="clew db status lists the versions that are kept")
        return tuple(latest.values())


def _doubts(found: float) -> tuple[str, ...]:
    if not found or found >= MEDIUM:  # where nothing at all was found, that is said already
        return ()
    return (WEAK if found >= FAINT else FAINT_MATCHES,)


def _cut(question: SchemaQuestion) -> tuple[str, ...]:
    return (f"of the question the first {MAX_TEXT:,} characters were read",) if len(question.text) > MAX_TEXT else ()


def _pick(question: SchemaQuestion, index: SchemaIndex, evidence: Evidence) -> Picked:
    """The best tables without copies of each other, and the bridges between the likeliest of them."""
    limit = max(1, question.limit)
    scores = _without_parts(index, _with_columns(index, evidence))
    pool = [int(place) for place in np.argsort(-scores, kind="stable")[: POOL * limit] if scores[place] > 0]
    ranked = [pool[one] for one in diverse([float(scores[place]) for place in pool], [index.contents(place) for place in pool], limit)]
    seeds = [place for place in ranked if scores[place] >= WORTH_JOINING * scores[ranked[0]]][:MOST_JOINED]
    added = [place for place in bridges(seeds, index.graph) if place not in ranked]
    kept = ranked[: max(len(seeds), limit - len(added))]
    added = added[: limit - len(kept)]
    dropped = [place for place in pool if place not in kept]
    return Picked(kept + added, frozenset(added), dropped)


def _with_columns(index: SchemaIndex, evidence: Evidence) -> Floats:
    """Where no table is meant, the best column of each speaks for it."""
    if (evidence.tables > 0).any():
        return evidence.tables
    best = np.zeros_like(evidence.tables)
    np.maximum.at(best, index.table_of, evidence.columns)
    return best


def _without_parts(index: SchemaIndex, scores: Floats) -> Floats:
    """A partition is meant only where it is more likely than the whole: a thousand of them would be all that an answer shows."""
    if not index.wholes:
        return scores
    parts, wholes = np.fromiter(index.wholes, np.int64), np.fromiter(index.wholes.values(), np.int64)
    kept = scores.copy()
    kept[parts] = np.where(scores[parts] > scores[wholes], scores[parts], 0.0)
    return kept


def _central(question: SchemaQuestion, index: SchemaIndex) -> Picked:
    """Where nothing is found: the tables with the most links, which say most of what a schema is about."""
    degree = np.bincount(index.keyed.left, minlength=len(index.tables)) + np.bincount(index.keyed.right, minlength=len(index.tables))
    order = [int(place) for place in np.argsort(-degree, kind="stable")]
    order = [place for place in order if place not in index.wholes]
    limit = max(1, question.limit)
    return Picked(order[:limit], frozenset(), [])
