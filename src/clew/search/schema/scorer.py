"""Which tables and columns do a question's words ask for? A readable sum of what speaks for each; every weight is in `weights`.

A word counts by how rare it is inside its datasource, and saturates. A table gains from its name, its best column, its description and
values; a column from its own and a share of its table's; both from how much of their name the question covers. Then neighbours along keys
lift tables, and the keys between likely tables are lifted themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew.search.schema.index import Floats, Names, Occurrences, Places, SchemaIndex
from clew.search.schema.matching import Matcher, Matches
from clew.search.schema.weights import Weights
from clew.search.schema.words import Asked


class Scores(NamedTuple):
    """A score for each table and column of an index; `table_words` and `column_words` say how strongly each of `words` speaks for each."""

    tables: Floats
    columns: Floats
    table_words: Floats
    column_words: Floats
    words: tuple[str, ...]


class _Found(NamedTuple):
    """For each row of the matches and each element the best strength of its words."""

    table_name: Floats
    table_text: Floats
    column_name: Floats
    column_text: Floats
    column_value: Floats


class Scorer:
    """The words' leg over one index."""

    def __init__(self, index: SchemaIndex, weights: Weights) -> None:
        self._index = index
        self._weights = weights
        self._matcher = Matcher(index, weights)
        self._sizes = np.bincount(index.datasource_of, minlength=len(index.entries)).astype(np.float32)
        self._firsts = np.searchsorted(index.datasource_of, np.arange(len(index.entries)))
        self._smallness = (self._sizes.mean() / np.maximum(self._sizes, 1)) ** weights.datasource_size if len(self._sizes) else self._sizes
        self._near = _near(index)
        self._near_starts = np.flatnonzero(_changes(self._near.elements))
        self._column_counts = np.bincount(index.source_of_column, minlength=len(index.entries)).astype(np.float32)

    def score(self, asked: Asked) -> Scores:
        """A score for everything; 0 where no word speaks for it."""
        index = self._index
        matches = self._matcher.match(asked)
        if not matches.words or not index.tables:
            rows = len(matches.words)
            tables, columns = np.zeros(len(index.tables), np.float32), np.zeros(len(index.columns), np.float32)
            return Scores(
                tables, columns, np.zeros((rows, len(tables)), np.float32), np.zeros((rows, len(columns)), np.float32), matches.words
            )
        found = self._find(matches)
        covered = (matches.strengths * matches.importance[:, None]).max(axis=0)
        tables, by_table = self._tables(matches, found, covered)
        columns, by_column = self._columns(matches, found, covered, tables)
        return Scores(tables, columns, by_table, by_column, matches.words)

    def _find(self, matches: Matches) -> _Found:
        index = self._index
        tables, columns = len(index.tables), len(index.columns)
        fields = _best_by_element(matches.strengths, index.fields, 2 * (tables + columns))
        names, texts, own, own_texts = np.split(fields, (tables, 2 * tables, 2 * tables + columns), axis=1)
        return _Found(names, texts, own, own_texts, _best_by_element(matches.exact, index.values, columns))

    def _tables(self, matches: Matches, found: _Found, covered: Floats) -> tuple[Floats, Floats]:
        index, weights = self._index, self._weights
        best_column = self._best_of_tables(found.column_name)
        named = np.maximum(found.table_name, best_column)
        said = np.maximum(found.table_text, weights.table_description * self._best_of_tables(found.column_text))
        evidence = found.table_name + weights.table_column * best_column + weights.table_description * said
        if len(index.values.words):
            evidence += weights.table_value * self._best_of_tables(found.column_value)
        rare = self._rarity(named, index.datasource_of, self._sizes) * matches.of_tables[:, None]
        norm = weights.k * (1 - weights.b + weights.b * index.sizes)
        saturated = evidence * (weights.k + 1) / (evidence + norm)
        scores = (saturated * (rare if rare.shape[1] == 1 else rare[:, index.datasource_of])).sum(axis=0)
        scores += weights.table_claim * self._claims(named, matches.of_tables)
        scores += weights.table_covered * _covered(covered, index.table_names, len(index.tables))
        scores = self._with_neighbours(scores)
        if len(index.entries) > 1:
            best = np.maximum(named, weights.datasource_description * said)
            scores += self._datasources(best, scores, matches.of_tables)[index.datasource_of]
        return scores.astype(np.float32, copy=False), evidence

    def _columns(self, matches: Matches, found: _Found, covered: Floats, tables: Floats) -> tuple[Floats, Floats]:
        index, weights = self._index, self._weights
        evidence = found.column_name + weights.column_description * found.column_text
        evidence += weights.column_table * found.table_name[:, index.table_of]
        if len(index.values.words):
            evidence += weights.column_value * found.column_value
        rare = self._rarity(found.column_name, index.source_of_column, self._column_counts) * matches.importance[:, None]
        saturated = evidence * (weights.k + 1) / (evidence + weights.k)
        scores = (saturated * (rare if rare.shape[1] == 1 else rare[:, index.source_of_column])).sum(axis=0)
        scores += weights.column_covered * _covered(covered, index.column_names, len(index.columns))
        share = tables / max(1e-6, float(tables.max()))
        guessed = weights.usual * index.is_usual + weights.dated * index.is_time if matches.is_dated else weights.usual * index.is_usual
        scores += weights.column_from_table * tables[index.table_of] + guessed * share[index.table_of]
        return self._keys_raised(scores.astype(np.float32, copy=False), tables), evidence

    def _best_of_tables(self, of_columns: Floats) -> Floats:
        """For each row and table the best of its columns; 0 where it has none."""
        index = self._index
        if len(index.starts) == len(index.tables):
            best: Floats = np.maximum.reduceat(of_columns, index.starts, axis=1)
            return best
        found = np.zeros((len(of_columns), len(index.tables)), np.float32)
        if len(index.starts):
            found[:, index.table_of[index.starts]] = np.maximum.reduceat(of_columns, index.starts, axis=1)
        return found

    def _rarity(self, found: Floats, source_of: Places, counts: Floats) -> Floats:
        """For each row and datasource how rare its word is there (BM25's idf over soft matches)."""
        often = _summed(found, source_of, len(counts))
        rare: Floats = np.log(1 + (counts - often + 0.5) / (often + 0.5))
        return rare

    def _claims(self, named: Floats, importance: Floats) -> Floats:
        """How far each word can mean no other table of its datasource: the table's share of all the word's matches."""
        index = self._index
        total = np.maximum(_summed(named, index.datasource_of, len(index.entries)), 1e-6)
        shared = named * named / (total if total.shape[1] == 1 else total[:, index.datasource_of])
        claims: Floats = (importance @ shared).astype(np.float32, copy=False)
        return claims

    def _datasources(self, found: Floats, scores: Floats, importance: Floats) -> Floats:
        """What each datasource adds to its tables: its best table, and how much of the question a table says together with its neighbours along
        keys, words that few datasources know counting more. The larger a datasource, the more it says by chance."""
        index, weights = self._index, self._weights
        often = self._best_of_datasources(found).sum(axis=1)
        rare = np.log(1 + (len(index.entries) - often + 0.5) / (often + 0.5))
        together = np.maximum.reduceat(found[:, self._near.words], self._near_starts, axis=1)
        said = self._best_of_datasources(((importance * rare) @ together)[None, :])[0]
        best = self._best_of_datasources(scores[None, :])[0]
        fitting = (weights.datasource_best * best + weights.datasource * said) * self._smallness
        added: Floats = np.maximum(fitting - best, 0)
        return added

    def _best_of_datasources(self, of_tables: Floats) -> Floats:
        """For each row and datasource the best of its tables; 0 where it has none."""
        found = np.zeros((len(of_tables), len(self._sizes)), np.float32)
        filled = np.flatnonzero(self._sizes)
        found[:, filled] = np.maximum.reduceat(of_tables, self._firsts[filled], axis=1)
        return found

    def _with_neighbours(self, scores: Floats) -> Floats:
        keyed = self._index.keyed
        best = np.zeros_like(scores)
        apart = keyed.left != keyed.right
        np.maximum.at(best, keyed.left[apart], scores[keyed.right[apart]])
        np.maximum.at(best, keyed.right[apart], scores[keyed.left[apart]])
        lifted: Floats = scores + self._weights.neighbour * best
        return lifted

    def _keys_raised(self, columns: Floats, tables: Floats) -> Floats:
        """Columns of a link between likely tables are likely: in SQL they join them."""
        keyed = self._index.keyed
        best_table = float(tables.max())
        if not len(keyed.pair_link) or best_table <= 0:
            return columns
        worth = float(columns.max()) * self._weights.key / best_table
        least = (np.minimum(tables[keyed.left], tables[keyed.right]) * np.float32(worth))[keyed.pair_link]
        np.maximum.at(columns, keyed.pair_left, least)
        np.maximum.at(columns, keyed.pair_right, least)
        return columns


def _near(index: SchemaIndex) -> Occurrences:
    """For each table itself and the tables that it is linked to, by place."""
    own = np.arange(len(index.tables), dtype=np.int32)
    keyed = index.keyed
    of = np.concatenate((own, keyed.left, keyed.right))
    near = np.concatenate((own, keyed.right, keyed.left))
    order = np.argsort(of, kind="stable")
    return Occurrences(near[order], of[order])


def _best_by_element(strengths: Floats, occurrences: Occurrences, count: int) -> Floats:
    found = np.zeros((len(strengths), count), np.float32)
    hit = np.flatnonzero(np.any(strengths, axis=0).take(occurrences.words))
    if len(hit):
        elements = occurrences.elements[hit]
        starts = np.flatnonzero(_changes(elements))
        found[:, elements[starts]] = np.maximum.reduceat(strengths[:, occurrences.words[hit]], starts, axis=1)
    return found


def _changes(ordered: Places) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """True where another element begins."""
    changes = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=changes[1:])
    return changes


def _summed(found: Floats, source_of: Places, sources: int) -> Floats:
    """The sum of each row for each datasource."""
    if sources == 1:
        total: Floats = found.sum(axis=1, keepdims=True)
        return total
    starts = np.flatnonzero(_changes(source_of))
    sums = np.zeros((len(found), sources), np.float32)
    sums[:, source_of[starts]] = np.add.reduceat(found, starts, axis=1)
    return sums


def _covered(covered: Floats, names: Names, count: int) -> Floats:
    """The share of each name's words, by rarity, that the question covers."""
    part = np.bincount(names.found.elements, weights=names.rarity * covered[names.found.words], minlength=count)
    return (part / names.whole).astype(np.float32)
