"""Which known words is an unknown one, misspelt? Words that share most of their letter triples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

_SHORTEST = 4
"""Letters of the shortest word that may be misspelt."""
_LEAST_ALIKE = 0.6
"""Share of letter triples (Dice) from which two words may be one, misspelt."""


class Spellings:
    """Words by their letter triples, ready on first use: most questions need none."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = words
        self._by_triple: dict[str, list[str]] | None = None

    def like(self, word: str) -> dict[str, float]:
        """The words like this one, with the share of letter triples that they have in common."""
        if len(word) < _SHORTEST:
            return {}
        triples = _triples(word)
        shared: dict[str, int] = defaultdict(int)
        known = self._ready()
        for triple in triples:
            for other in known.get(triple, ()):
                shared[other] += 1
        alike = {other: 2 * count / (len(triples) + len(_triples(other))) for other, count in shared.items() if 3 * count >= len(triples)}
        return {other: share for other, share in alike.items() if share >= _LEAST_ALIKE}

    def _ready(self) -> dict[str, list[str]]:
        if self._by_triple is None:
            found: dict[str, list[str]] = defaultdict(list)
            for word in self._words:
                for triple in _triples(word):
                    found[triple].append(word)
            self._by_triple = dict(found)
        return self._by_triple


def _triples(word: str) -> frozenset[str]:
    padded = f"^{word}$"
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2))
