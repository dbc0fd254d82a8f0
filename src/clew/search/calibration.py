"""With which weights do signs become a chance? Written by bench/fit_confidence.py: do not edit."""

from __future__ import annotations

from typing import NamedTuple


class Fit(NamedTuple):
    """A logistic curve: its constant, and a weight for each sign in their order (`confidence.Signs`)."""

    constant: float
    weights: tuple[float, ...]


FITTED_MODEL = "static:clew-static-1"
"""The embedding model whose cosines `WITH_VECTORS` knows."""
WITH_VECTORS = Fit(-10.37, (3.823, 1.13, 1.243, 1.467, 11.751))
WITHOUT_VECTORS = Fit(-7.753, (5.283, 2.51, 1.541, 1.843, 0.0))
