"""Which right name is meant by a wrong one? By spelling, by the same words in another order or form, and by abbreviations."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from clew.search.schema.vocabulary import abbreviations, synonyms
from clew.search.schema.words import name_words

MOST = 3
PART = 0.75
"""What a name counts that is all of another's words but some."""
LEAST_ALIKE = 0.6
"""Of letters in order, or of words in common, from which a name may be meant."""


def nearest(wrong: str, candidates: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The names to show for the candidates (name, how it is shown) that are most like `wrong`, best first."""
    words = _meant(wrong)
    ranked = []
    for number, (name, shown) in enumerate(candidates):
        alike = max(_by_words(words, _meant(name)), _by_letters(wrong.lower(), name.lower()))
        if alike >= LEAST_ALIKE:
            ranked.append((-alike, number, shown))
    return tuple(dict.fromkeys(shown for _, _, shown in sorted(ranked)))[:MOST]


def _by_letters(left: str, right: str) -> float:
    if 2 * min(len(left), len(right)) < LEAST_ALIKE * (len(left) + len(right)):
        return 0.0
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= LEAST_ALIKE and matcher.quick_ratio() >= LEAST_ALIKE else 0.0


def _meant(name: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Each word of a name, with what else it may stand for."""
    return tuple((word, frozenset((*abbreviations().get(word, ()), *synonyms().get(word, ())))) for word in name_words(name))


def _by_words(left: tuple[tuple[str, frozenset[str]], ...], right: tuple[tuple[str, frozenset[str]], ...]) -> float:
    """The share of words in common (Dice); one that only stands for another counts less."""
    if not left or not right:
        return 0.0
    found = 0.0
    for word, others in left:
        found += max((1.0 if word == own else 0.8 if own in others or word in its else 0.0) for own, its in right)
    dice = 2 * found / (len(left) + len(right)) if found else 0.0
    return max(dice, PART * _spelled_alike(left, right))


def _spelled_alike(left: tuple[tuple[str, frozenset[str]], ...], right: tuple[tuple[str, frozenset[str]], ...]) -> float:
    """How much alike the worst of a name's words and its best match in the other are: `totl` is a part of `total_cents`."""
    return min(max(_by_letters(word, own) for own, _ in right) for word, _ in left)
