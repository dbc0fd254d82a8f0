"""How sure is an answer? The chance that a right file is among the first five, from a few signs that mean the same for every question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from clew.core.query import Leg
from clew.search.calibration import FITTED_MODEL, WITH_VECTORS, WITHOUT_VECTORS, Fit
from clew.search.chances import level, logistic
from clew.search.fusion import Evidence, Scored
from clew.search.paths import mentioned
from clew.search.rules import Asked

FAINT = 0.02
"""Chance below which there is no answer; bench/results/abstention.md has what this drops of real questions and of others."""
UNLIKELY, FEW_LINES = 0.1, 5
"""Chance below which so many results are shown: who reads on is misled. Of real questions that loses a second target now and then: NDCG@10
0 hybrid, -.0007 fast on the half that was fitted; below .5 it would be -.0012 and -.0029."""
NEAR_ENOUGH = 0.4
"""Cosine from which a chunk is worth showing though it has no word of the question: 19 of 20 questions have one so near in their own project, and
a quarter of those about other code."""
WEAK = "weak matches only: what was asked may not be in this code"
_FULL = 0.999
"""The best hit of a leg counts 1."""
TOP = 3
"""Files that are looked at for signs: the right one is among them nine times in ten."""


class Signs(NamedTuple):
    """What speaks for the best files. `covered` is the share of the question's distinct terms that the best chunk of one of them holds, `met`
    the logarithm of one more than their number; `file_name` the share of a file's name that the question holds; `named` how exactly a name
    or path in the question is met, 0 to 1; `cosine` that of the nearest chunk."""

    covered: float = 0.0
    met: float = 0.0
    file_name: float = 0.0
    named: float = 0.0
    cosine: float = 0.0


class Confidence(NamedTuple):
    """A chance, 0 to 1, and what it is called; `agrees` says whether words and vectors have the same best file, and that is the answer's, `margin` by which
    share of its score the best file leads the second."""

    chance: float = 0.0
    signs: Signs = Signs()
    agrees: bool = False
    margin: float = 0.0

    @property
    def level(self) -> str:
        """high, medium, low or none."""
        return level(self.chance)

    @property
    def is_faint(self) -> bool:
        """Too little to call it an answer."""
        return self.chance < FAINT


NO_CONFIDENCE = Confidence()
"""That of an answer without results."""


def confidence_in(files: Sequence[Scored], texts: Sequence[str], meanings: Leg, model: str, asked: Asked) -> Confidence:
    """How sure an answer is that has these first files and the texts of their best chunks; `model` made the vectors that were searched.

    Cosines of a model that the fit does not know say nothing about chances: they then do not count.
    """
    signs = signs_of(files[:TOP], texts[:TOP], meanings, asked)
    knows_vectors = bool(meanings.hits) and model == FITTED_MODEL
    sure = chance(signs, WITH_VECTORS if knows_vectors else WITHOUT_VECTORS) if files else 0.0
    return Confidence(sure, signs, bool(files) and _agrees(files[0]), _margin(files))


def most_lines(confidence: Confidence, limit: int) -> int:
    """How many results an answer shows: none where there is as good as no sign, few where it is unlikely to be right."""
    if confidence.is_faint:
        return 0
    return min(limit, FEW_LINES) if confidence.chance < UNLIKELY else limit


def stands_apart(evidence: Evidence) -> bool:
    """Whether no word or name of the question is anywhere, but a chunk is near all the same: then that is all there is to show."""
    meanings = evidence.meanings
    has_words = bool(evidence.words.hits or evidence.definitions)
    return not has_words and bool(meanings.hits) and meanings.hits[0].score >= NEAR_ENOUGH


def chance(signs: Signs, fit: Fit) -> float:
    """The fitted logistic curve."""
    return logistic(fit.constant, fit.weights, signs)


def signs_of(files: Sequence[Scored], texts: Sequence[str], meanings: Leg, asked: Asked) -> Signs:
    """The signs in the first files of an answer."""
    met = max(map(asked.met, texts), default=0)
    return Signs(
        covered=met / (len(asked.terms) or 1),
        met=math.log1p(met),
        file_name=max((len(name & asked.terms) / len(name) for file in files if (name := file.candidate.path.name)), default=0.0),
        named=max((_named(file, asked) for file in files), default=0.0),
        cosine=meanings.hits[0].score if meanings.hits else 0.0,
    )


def _agrees(file: Scored) -> bool:
    """Whether both legs have this file as their best."""
    return file.candidate.text >= _FULL and file.candidate.nearest >= _FULL


def _margin(files: Sequence[Scored]) -> float:
    """How far the best file leads: 0 level with the second, 1 alone."""
    if not files or files[0].score <= 0:
        return 0.0
    return 1.0 - max(files[1].score, 0.0) / files[0].score if len(files) > 1 else 1.0


def _named(file: Scored, asked: Asked) -> float:
    path = max((mentioned(file.candidate.path.parts, path) for path in asked.query.paths), default=0.0)
    return max(path, max((definition.share for definition in file.candidate.definitions), default=0.0))
