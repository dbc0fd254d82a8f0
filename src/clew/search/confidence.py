"""How sure is an answer? Absolute evidence, so that a nonsense question never looks like a good one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from clew.core.query import Leg
from clew.search.fusion import Scored
from clew.search.paths import mentioned
from clew.search.question import Query
from clew.search.rules import Asked

NAMED_WORTH = 0.3
"""What an exact definition or path adds to the strength of an answer."""
MEANING_WORTH = 0.5
"""What one unit of cosine above the baseline is worth: related texts reach .3 to .6, so a meaning alone stays weak."""
HIGH, MEDIUM = 0.8, 0.45
"""Strengths from which an answer is called so; see bench/results/ranking.md for real and nonsense questions on this scale."""
FAINT = 0.1
"""Below this there is no answer: of 400 nonsense questions almost half end here, of 397 real ones none."""
TOP = 3
"""Files that are looked at for evidence: the right one is among them nine times in ten."""


class Strength(NamedTuple):
    """What speaks for the best files: the share of the question (by rarity) that they cover, the cosine of the nearest chunk above
    the baseline, and how exactly a name or path in the question is met, 0 to 1."""

    covered: float = 0.0
    cosine: float = 0.0
    named: float = 0.0

    @property
    def score(self) -> float:
        """The score of the best result, 0 to about 1.5, on a scale that is the same for every question."""
        return self.covered + MEANING_WORTH * self.cosine + NAMED_WORTH * self.named

    @property
    def level(self) -> str:
        """high, medium or low."""
        if self.score >= HIGH:
            return "high"
        return "medium" if self.score >= MEDIUM else "low"

    @property
    def is_faint(self) -> bool:
        """Too little to call it an answer."""
        return self.score < FAINT


def strength_of(files: Sequence[Scored], texts: Sequence[str], meanings: Leg, asked: Asked) -> Strength:
    """The evidence in the first files of an answer and the texts of their best chunks."""
    return Strength(
        covered=max((asked.evident(text) for text in texts[:TOP]), default=0.0),
        cosine=max(meanings.hits[0].score - meanings.baseline, 0.0) if meanings.hits else 0.0,
        named=max((_named(file, asked.query) for file in files[:TOP]), default=0.0),
    )


def _named(file: Scored, query: Query) -> float:
    path = max((mentioned(file.candidate.path.parts, path) for path in query.paths), default=0.0)
    if not query.is_bare:
        return path
    return max(path, max((definition.share for definition in file.candidate.definitions), default=0.0))
