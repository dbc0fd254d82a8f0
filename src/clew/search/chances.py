"""What is a chance called, and what chance do signs give? The same words for answers about code and about databases."""

from __future__ import annotations

import math
from collections.abc import Iterable

HIGH, MEDIUM = 0.85, 0.5
"""Chances from which an answer is called so."""
LEAST = 0.0001
"""Where anything was found the chance is never said to be 0, which is that of an empty answer."""


def level(chance: float) -> str:
    """high, medium, low or none."""
    if chance >= HIGH:
        return "high"
    if chance >= MEDIUM:
        return "medium"
    return "low" if chance else "none"


def logistic(constant: float, weights: Iterable[float], signs: Iterable[float]) -> float:
    """The fitted curve."""
    evidence = constant + sum(weight * sign for weight, sign in zip(weights, signs, strict=False))
    return max(round(1 / (1 + math.exp(-evidence)), 4), LEAST)
