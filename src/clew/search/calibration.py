"""With which weights do signs become a chance? Written by bench/fit_confidence.py: do not edit."""

from __future__ import annotations

from typing import NamedTuple


class Fit(NamedTuple):
    """A logistic curve: its constant, and a weight for each sign in their order (`confidence.Signs`)."""

    constant: float
    weights: tuple[float, ...]


FITTED_MODEL = "static:clew-static-1"
"""The embedding model whose cosines `WITH_VECTORS` knows."""
WITH_VECTORS = Fit(-10.431, (3.895, 1.223, 1.187, 1.454, 11.615))
WITHOUT_VECTORS = Fit(-7.758, (5.274, 2.518, 1.575, 1.813, 0.0))
