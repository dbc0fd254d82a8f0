"""How is a chunk's text scored against a question's terms? One formula for every store of ours: BM25F as SQLite's FTS5 computes it."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WEIGHTS = (3.0, 1.0, 1.25, 1.0, 6.0, 2.0)
"""Weight of a term's occurrence by field (name, parent, docs, body, stem, folder): measured over 32 repositories, on a plateau (name 2 to 4, stem 4 to 8 are equal)."""

K1 = 1.2
"""How soon more occurrences stop counting: FTS5's fixed value; 2.5 ranked the same."""

B = 0.75
"""How much long chunks are held back: FTS5's fixed value; .3 to .9 ranked the same."""

LEAST_IDF = 1e-6
"""What a term in more than half of the chunks still counts, as in FTS5: it breaks ties and no more."""

PRECISION = 9
"""Decimals at which scores count as equal: sums in another order differ in the 15th, different texts long before the 9th."""


_TERM = re.compile(r"[0-9a-z_\u0080-\ud7ff\ue000-\U0010ffff]+")


def idf(total: int, frequency: int) -> float:
    """The weight of a term that `frequency` of `total` chunks hold."""
    ratio = (total - frequency + 0.5) / (frequency + 0.5)
    return max(math.log(ratio), LEAST_IDF) if ratio > 1.0 else LEAST_IDF


def single(terms: Sequence[str]) -> Counter[str]:
    """Terms as an index holds them, with how often each was asked: a few letters fold to several words; what no analysis makes is dropped."""
    return Counter(word for term in terms for word in term.split() if _TERM.fullmatch(word))
