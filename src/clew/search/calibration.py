"""With which weights do signs become a chance? Written by bench/fit_confidence.py: do not edit."""

from __future__ import annotations

from typing import NamedTuple


class Fit(NamedTuple):
    """A logistic curve: its constant, and a weight for each sign in their order (`confidence.Signs`)."""

    constant: float
    weights: tuple[float, ...]


FITTED_MODEL = "static:clew-static-2"
"""The embedding model whose cosines `WITH_VECTORS` knows."""
WITH_VECTORS = Fit(-8.962, (2.686, 1.814, 1.112, 1.012, 8.068))
WITHOUT_VECTORS = Fit(-7.746, (5.211, 2.694, 1.584, 1.7, 0.0))
