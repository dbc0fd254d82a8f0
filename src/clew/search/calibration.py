"""With which weights do signs become a chance? Written by bench/fit_confidence.py: do not edit."""

from __future__ import annotations

from typing import NamedTuple


class Fit(NamedTuple):
    """A logistic curve: its constant, and a weight for each sign in their order (`confidence.Signs`)."""

    constant: float
    weights: tuple[float, ...]


FITTED_MODEL = "static:starter"
"""The embedding model whose cosines `WITH_VECTORS` knows."""
WITH_VECTORS = Fit(-9.395, (3.642, 2.035, 1.245, 1.411, 8.167))
WITHOUT_VECTORS = Fit(-7.619, (4.987, 2.541, 1.496, 2.054, 0.0))
