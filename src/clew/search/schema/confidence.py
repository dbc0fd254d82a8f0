"""Does an answer about databases have to do with the question? A chance, from a few signs that mean the same in every schema.

Fitted by bench/schema_abstention.py on half of the databases: each question is asked of its own and of another one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clew.search.chances import MEDIUM, logistic
from clew.search.schema.evidence import Evidence

FAINT = 0.05
"""Chance below which nothing was found: at most one in 70 questions about their own database, two in three about another."""
WEAK = "weak matches only: what was asked may not be in these databases"
FAINT_MATCHES = "nothing in the schema matches the question: what is shown is the nearest"
TOP = 3
"""Tables that are looked at for signs: those of a question are among them nine times in ten."""
EXACT = 0.9
"""Strength from which a word is met by a name."""
FITTED_MODEL = "static:clew-static-2"
WITH_VECTORS = (-6.923, (2.382, 4.572, 3.5, 8.636))
WITHOUT_VECTORS = (-4.851, (4.239, 7.221))
"""Constant, and a weight for each sign; the cosines of a model that was not fitted do not count."""


class Signs(NamedTuple):
    """What speaks for the best tables: the logarithm of one more than how many words of the question they meet, the share that they meet by name,
    and the cosines of the nearest table and column."""

    met: float = 0.0
    exact: float = 0.0
    table: float = 0.0
    column: float = 0.0


def chance(evidence: Evidence, tables: Sequence[int]) -> float:
    """The chance that these tables, best first, are about what is asked; 0 where there are none. What people wrote down, a value that is found,
    and names for every word of the question make it likely."""
    if not tables:
        return 0.0
    constant, weights = WITH_VECTORS if evidence.model == FITTED_MODEL else WITHOUT_VECTORS
    found = logistic(constant, weights, signs_of(evidence, tables))
    has_value = any(one.leg == "values" for said in evidence.said_of_columns.values() for one in said)
    is_meant = evidence.metrics or evidence.known.tables or evidence.known.columns or has_value or _is_all_named(evidence)
    if is_meant:
        return max(found, MEDIUM)
    return max(found, FAINT) if evidence.model and evidence.model != FITTED_MODEL else found  # it may see what words do not


def _is_all_named(evidence: Evidence) -> bool:
    """Whether each word of the question is the name, or in the name, of a table or column: `notes` asks for that column."""
    words = evidence.words
    if not words.column_words.size:
        return False
    best = np.maximum(words.table_words.max(axis=1, initial=0), words.column_words.max(axis=1, initial=0))
    return bool((best >= EXACT).all())


def signs_of(evidence: Evidence, tables: Sequence[int]) -> Signs:
    """The signs in the first tables of an answer."""
    words = evidence.words.table_words[:, list(tables[:TOP])]
    if not words.size:
        return Signs(0.0, 0.0, *evidence.nearest)
    met = float(np.minimum(words, 1).max(axis=1).sum())
    return Signs(math.log1p(met), float((words >= EXACT).any(axis=1).mean()), *evidence.nearest)
