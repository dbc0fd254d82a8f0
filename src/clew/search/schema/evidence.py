"""What speaks for each table and column? The legs together: words, values, glossary, metrics and vectors, each on the scale of the words' scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from clew.core.schema.answer import FoundMetric
from clew.core.schema.protocols import Proposal, SchemaValues, SchemaVectors
from clew.errors import ClewError
from clew.search.schema.glossary import Known, Meant, metric_places, unplaced, used_metrics, used_terms
from clew.search.schema.index import Floats, SchemaIndex
from clew.search.schema.scorer import Scorer, Scores
from clew.search.schema.values import Value, grounded, held
from clew.search.schema.weights import Weights
from clew.search.schema.words import asked

MOST_PROPOSED = 80
"""Chunks that are asked of the vector leg at once: three times the largest usual answer, and some links."""
LEAST_SPREAD = 0.05
"""Cosines that lie closer together are one: their order is chance."""
MOST_DATASOURCES = 12
"""Datasources that are asked of it: what is farther is chance."""
_KINDS = ("table", "column", "metric", "relationship")


class Said(NamedTuple):
    """What one leg says of a table or column."""

    leg: str
    score: float
    reason: str


class Evidence(NamedTuple):
    """Scores by place in the index; `said_of_tables` and `said_of_columns` are what legs other than the words' say;
    `nearest` are the best cosines of a table and a column, of vectors that `model` made; `warnings` say what failed, `remarks` what is only to be said."""

    tables: Floats
    columns: Floats
    words: Scores
    said_of_tables: dict[int, list[Said]]
    said_of_columns: dict[int, list[Said]]
    metrics: tuple[FoundMetric, ...]
    known: Known
    warnings: tuple[str, ...]
    nearest: tuple[float, float] = (0.0, 0.0)
    model: str = ""
    remarks: tuple[str, ...] = ()


class Beside(NamedTuple):
    """What is looked up outside the index, where it is there."""

    vectors: SchemaVectors | None = None
    values: SchemaValues | None = None


def gather(question: str, index: SchemaIndex, scorer: Scorer, beside: Beside, weights: Weights) -> Evidence:
    """All that is known about a question. What fails of what stands beside the index is a warning."""
    known = used_terms(question, index)
    asks = asked(question)
    words = scorer.score(asked(f"{question} {known.text}") if known.text else asks)
    legs = _Legs(words, index)
    legs.add_values(_values(" ".join((question, *known.values)), (*asks.literals, *known.values), index, beside.values, legs), weights)
    metrics = used_metrics(question, index)
    legs.add_vectors(question, known.text, beside.vectors, weights)
    for metric, strength, source in metrics:
        tables, columns = metric_places(metric, source, index)
        reason = f"metric: {metric.name}"
        legs.add_meant(
            "metric",
            [Meant(place, min(1.0, strength), reason) for place in tables],
            [Meant(place, min(1.0, strength), reason) for place in columns],
        )
    legs.add_meant("glossary", known.tables, known.columns)
    found = tuple(FoundMetric(metric, strength) for metric, strength, _ in metrics)
    named = {f"the metric {metric.name}": (metric.tables, metric.columns) for metric, _, _ in metrics}
    missing = (*known.missing, *unplaced(named, [(f"the metric {metric.name}", source) for metric, _, source in metrics], index))
    return Evidence(
        legs.tables,
        legs.columns,
        words,
        legs.of_tables,
        legs.of_columns,
        found,
        known,
        tuple(legs.warnings),
        legs.nearest,
        legs.model,
        missing,
    )


def _values(question: str, literals: tuple[str, ...], index: SchemaIndex, kept: SchemaValues | None, legs: _Legs) -> Iterable[Value]:
    """Of each column the best value, of samples and of what is kept apart, as the latter spells it."""
    found = {one.column: one for one in grounded(question, literals, index)}
    if kept is not None:
        try:
            more = held(question, literals, index, kept)
        except ClewError as fault:
            legs.warnings.append(f"values of columns were not looked up: {_with_hint(fault)}")
            more = ()
        for one in more:
            if one.column not in found or found[one.column].strength <= one.strength:
                found[one.column] = one
    return found.values()


class _Legs:
    """Scores that grow leg by leg."""

    def __init__(self, words: Scores, index: SchemaIndex) -> None:
        self.index = index
        self.tables, self.columns = words.tables.copy(), words.columns.copy()
        self.of_tables: dict[int, list[Said]] = defaultdict(list)
        self.of_columns: dict[int, list[Said]] = defaultdict(list)
        self.warnings: list[str] = []
        self.nearest, self.model = (0.0, 0.0), ""

    def add_values(self, values: Iterable[Value], weights: Weights) -> None:
        best: dict[int, float] = {}
        for value in values:
            gain = weights.value_found * value.strength
            reason = f"holds the value {value.text}"
            self.columns[value.column] += gain
            self.of_columns[value.column].append(Said("values", gain, reason))
            table = int(self.index.table_of[value.column])
            best[table] = max(best.get(table, 0.0), gain)
        for table, gain in best.items():
            self.tables[table] += gain
            self.of_tables[table].append(Said("values", gain, "a column holds a value of the question"))

    def add_meant(self, leg: str, tables: Iterable[Meant], columns: Iterable[Meant]) -> None:
        """What somebody wrote down beats what words suggest: it comes first, and keeps the order that words give inside it."""
        self._lift(leg, self.tables, tables, self.of_tables)
        self._lift(leg, self.columns, columns, self.of_columns)

    @staticmethod
    def _lift(leg: str, scores: Floats, meant: Iterable[Meant], said: dict[int, list[Said]]) -> None:
        best = max(1.0, float(scores.max(initial=0.0)))
        lifted: dict[int, float] = {}
        for one in meant:
            said[one.place].append(Said(leg, one.strength * best, one.reason))
            lifted[one.place] = max(lifted.get(one.place, 0.0), one.strength)
        for place, strength in lifted.items():
            scores[place] += strength * best

    def add_vectors(self, question: str, added: str, vectors: SchemaVectors | None, weights: Weights) -> None:
        if vectors is None or not self.index.entries:
            return
        versions = [(entry.snapshot.datasource, entry.snapshot.version) for entry in self.index.entries]
        text = f"{question} {added}".strip()
        try:
            proposals = vectors.nearest(text, versions, _KINDS, MOST_PROPOSED)
            sources = vectors.nearest(text, versions, ("datasource",), MOST_DATASOURCES) if len(versions) > 1 else ()
        except ClewError as fault:
            self.warnings.append(f"the vector leg is missing: {_with_hint(fault)}")
            return
        of_tables, of_columns = ([one.score for one in proposals if one.kind == kind] for kind in ("table", "column"))
        self.nearest, self.model = (max(of_tables, default=0.0), max(of_columns, default=0.0)), vectors.model
        self._propose(self.tables, self.of_tables, [one for one in proposals if one.kind == "table"], weights.vector)
        self._propose(self.columns, self.of_columns, [one for one in proposals if one.kind == "column"], weights.vector)
        self._propose_links([one for one in proposals if one.kind == "relationship"], weights.vector_of_link)
        self._propose_datasources(sources, weights.vector_of_datasource)

    def _propose(self, scores: Floats, said: dict[int, list[Said]], proposals: list[Proposal], weight: float) -> None:
        """The best proposal gains `weight` of the best score, the others by how far they stand above the worst."""
        best = max(1.0, float(scores.max(initial=0.0)))
        for place, (value, share) in _shares(
            (place, one.score) for one in proposals if (place := self.index.find(one)) is not None
        ).items():
            scores[place] += weight * best * share
            said[place].append(Said("vectors", weight * best * share, f"near in meaning ({value:.2f})"))

    def _propose_links(self, proposals: Sequence[Proposal], weight: float) -> None:
        """A link that is near in meaning speaks for the columns at both of its ends: of two ways to join two tables it is the one that is asked for."""
        best = max(1.0, float(self.columns.max(initial=0.0)))
        keyed = self.index.keyed
        for place, (value, share) in _shares(
            (place, one.score) for one in proposals if (place := self.index.find(one)) is not None
        ).items():
            links = keyed.pair_link[keyed.pair_left == place]
            pairs = np.flatnonzero(np.isin(keyed.pair_link, links))
            for end in {int(one) for one in (*keyed.pair_left[pairs], *keyed.pair_right[pairs])}:
                self.columns[end] += weight * best * share
                self.of_columns[end].append(Said("vectors", weight * best * share, f"of a link that is near in meaning ({value:.2f})"))

    def _propose_datasources(self, proposals: Sequence[Proposal], weight: float) -> None:
        """Of several datasources the one whose description and tables are near in meaning: what is found in it comes before its like elsewhere."""
        best = max(1.0, float(self.tables.max(initial=0.0)))
        numbers = {entry.snapshot.datasource: number for number, entry in enumerate(self.index.entries)}
        for number, (value, share) in _shares(
            (numbers[one.datasource], one.score) for one in proposals if one.datasource in numbers
        ).items():
            for place in self.index.tables_of(number):
                if self.tables[place] > 0:
                    self.tables[place] += weight * best * share
                    self.of_tables[place].append(Said("vectors", weight * best * share, f"its datasource is near in meaning ({value:.2f})"))


def _shares(found: Iterable[tuple[int, float]]) -> dict[int, tuple[float, float]]:
    """Of each place its best cosine, and by how far that stands above the worst: 1 for the best of all."""
    best: dict[int, float] = {}
    for place, value in found:
        best[place] = max(best.get(place, value), value)
    if not best:
        return {}
    top = max(best.values())
    floor = min(*best.values(), top - LEAST_SPREAD)
    return {place: (value, (value - floor) / (top - floor)) for place, value in best.items()}


def _with_hint(fault: ClewError) -> str:
    """What is wrong, and what to do."""
    return f"{fault.message} ({fault.hint})" if fault.hint else fault.message


def broken(evidence: Evidence) -> bool:
    """True when a leg failed, so that the answer may miss what it would have found."""
    return bool(evidence.warnings)


def nothing(evidence: Evidence) -> bool:
    """True when no leg speaks for any table or column."""
    return not bool(np.any(evidence.tables > 0)) and not bool(np.any(evidence.columns > 0))
