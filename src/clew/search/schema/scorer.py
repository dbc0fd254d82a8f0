"""Which tables and columns does a question ask for? A readable sum of what speaks for each; every weight is in `weights`.

A word of the question counts by how rare it is inside its datasource, and saturates. A table gains from its name, its best column, its
description and values; a column from its own and a share of its table's; both from how much of their name the question covers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clew.search.schema.index import Floats, Occurrences, Places, SchemaIndex
from clew.search.schema.matching import Matches, match
from clew.search.schema.weights import Weights
from clew.search.schema.words import Asked


class Scores(NamedTuple):
    """A score for each table, column and datasource of an index, and which words found each column and table (for reasons)."""

    tables: Floats
    columns: Floats
    datasources: Floats
    table_words: Floats
    column_words: Floats
    words: tuple[str, ...]


def score(asked: Asked, index: SchemaIndex, weights: Weights) -> Scores:
    """The lexical leg: a score for everything."""
    tables, columns, sources = len(index.tables), len(index.columns), len(index.entries)
    matches = match(asked, index, weights)
    rows = len(matches.words)
    if not rows or not tables:
        return Scores(
            _none(tables), _none(columns), _none(sources), np.zeros((rows, tables), np.float32), np.zeros((rows, columns), np.float32), ()
        )
    table_name = _best_by_element(matches.strengths, index.table_names, tables)
    table_text = _best_by_element(matches.strengths, index.table_texts, tables)
    column_name = _best_by_element(matches.strengths, index.column_names, columns)
    column_text = _best_by_element(matches.strengths, index.column_texts, columns)
    column_value = _best_by_element(matches.exact, index.column_values, columns)

    in_column = column_name + weights.column_description * column_text + weights.column_value * column_value
    best_column = _best_of_tables(column_name, index)
    in_table = table_name + weights.table_column * best_column
    in_table += weights.table_description * np.maximum(table_text, weights.table_description * _best_of_tables(column_text, index))
    in_table += weights.table_value * _best_of_tables(column_value, index)

    rare = _rarity(np.maximum(table_name, best_column), index.datasource_of, sources) * matches.importance[:, None]
    words_rare = _word_rarity(index, sources)
    table_scores = (_saturated(in_table, weights, _lengths(index.first_column, columns)) * rare[:, index.datasource_of]).sum(axis=0)
    table_scores += weights.table_covered * _covered(matches, index.table_names, index.datasource_of, words_rare, tables)

    of_column = index.datasource_of[index.table_of]
    rare_column = _rarity(np.maximum(column_name, 0), of_column, sources) * matches.importance[:, None]
    in_column += weights.column_table * table_name[:, index.table_of]
    column_scores = (_saturated(in_column, weights, None) * rare_column[:, of_column]).sum(axis=0)
    column_scores += weights.column_covered * _covered(matches, index.column_names, of_column, words_rare, columns)

    table_scores = _with_neighbours(table_scores, index, weights)
    datasource_scores = np.zeros(sources, np.float32)
    np.maximum.at(datasource_scores, index.datasource_of, table_scores)
    if sources > 1:
        found = np.zeros((rows, sources), np.float32)
        np.maximum.at(found.T, index.datasource_of, np.maximum(table_name, best_column).T)
        datasource_scores = (found * _pool_rarity(found) * matches.importance[:, None]).sum(axis=0)
        table_scores = table_scores + weights.datasource * datasource_scores[index.datasource_of]
    column_scores += weights.column_from_table * table_scores[index.table_of]
    column_scores = _keys_raised(column_scores, table_scores, index, weights)
    return Scores(table_scores, column_scores, datasource_scores, in_table, in_column, matches.words)


def _pool_rarity(found: Floats) -> Floats:
    n = found.shape[1]
    df = found.sum(axis=1)
    rare: Floats = np.log(1 + (n - df + 0.5) / (df + 0.5))[:, None].astype(np.float32)
    return rare


def _none(count: int) -> Floats:
    return np.zeros(count, np.float32)


def _best_by_element(strengths: Floats, occurrences: Occurrences, count: int) -> Floats:
    """For each row and element the best strength of its words."""
    found = np.zeros((len(strengths), count), np.float32)
    matched: npt.NDArray[np.bool_] = np.any(strengths > 0, axis=0)
    hit = np.flatnonzero(matched[occurrences.words])
    if len(hit):
        elements = occurrences.elements[hit]
        starts = np.flatnonzero(np.diff(elements, prepend=-1))
        found[:, elements[starts]] = np.maximum.reduceat(strengths[:, occurrences.words[hit]], starts, axis=1)
    return found


def _best_of_tables(of_columns: Floats, index: SchemaIndex) -> Floats:
    """For each row and table the best of its columns; 0 where it has none."""
    found = np.zeros((len(of_columns), len(index.tables)), np.float32)
    if len(index.table_of):
        starts = np.flatnonzero(np.diff(index.table_of, prepend=-1))
        found[:, index.table_of[starts]] = np.maximum.reduceat(of_columns, starts, axis=1)
    return found


def _rarity(found: Floats, source_of: Places, sources: int) -> Floats:
    """For each row and datasource how rare its word is there (BM25's idf over soft matches)."""
    counts = np.bincount(source_of, minlength=sources).astype(np.float32)
    often = np.stack([np.bincount(source_of, weights=row, minlength=sources) for row in found]).astype(np.float32)
    rare: Floats = np.log(1 + (counts - often + 0.5) / (often + 0.5)).astype(np.float32)
    return rare


def _word_rarity(index: SchemaIndex, sources: int) -> Floats:
    counts = np.bincount(index.column_names.words, minlength=len(index.words)) + np.bincount(
        index.table_names.words, minlength=len(index.words)
    )
    return np.log(1 + (len(index.columns) + 1) / (counts + 0.5)).astype(np.float32)


def _saturated(found: Floats, weights: Weights, lengths: Floats | None) -> Floats:
    norm = weights.k if lengths is None else weights.k * (1 - weights.b + weights.b * lengths)
    return (found * (weights.k + 1) / (found + norm)).astype(np.float32, copy=False)


def _lengths(first_column: Places, columns: int) -> Floats:
    sizes = np.diff(first_column, append=columns).astype(np.float32)
    return sizes / max(1.0, float(sizes.mean()))


def _covered(matches: Matches, occurrences: Occurrences, source_of: Places, rare: Floats, count: int) -> Floats:
    """The share of each name's words, by rarity, that the question covers."""
    covered = (matches.strengths * matches.importance[:, None]).max(axis=0)
    weights = rare[occurrences.words]
    whole = np.bincount(occurrences.elements, weights=weights, minlength=count)
    part = np.bincount(occurrences.elements, weights=weights * covered[occurrences.words], minlength=count)
    return (part / np.maximum(whole, 1e-6)).astype(np.float32)


def _with_neighbours(scores: Floats, index: SchemaIndex, weights: Weights) -> Floats:
    best = np.zeros_like(scores)
    keyed = index.keyed
    apart = keyed.left != keyed.right
    np.maximum.at(best, keyed.left[apart], scores[keyed.right[apart]])
    np.maximum.at(best, keyed.right[apart], scores[keyed.left[apart]])
    return scores + weights.neighbour * best


def _keys_raised(columns: Floats, tables: Floats, index: SchemaIndex, weights: Weights) -> Floats:
    """Columns of a link between likely tables are likely: in SQL they join them."""
    keyed = index.keyed
    if not len(keyed.pair_link):
        return columns
    best_table, best_column = float(tables.max()), float(columns.max())
    if best_table <= 0:
        return columns
    least = np.minimum(tables[keyed.left], tables[keyed.right])[keyed.pair_link] / best_table * best_column * weights.key
    raised = columns.copy()
    np.maximum.at(raised, keyed.pair_left, least)
    np.maximum.at(raised, keyed.pair_right, least)
    return raised
