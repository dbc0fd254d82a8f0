"""With which weights do signs become a chance? Written by bench/fit_confidence.py: do not edit."""

from __future__ import annotations

from typing import NamedTuple


class Fit(NamedTuple):
    """A logistic curve: its constant, and a weight for each sign in their order (`confidence.Signs`)."""

    constant: float
    weights: tuple[float, ...]


FITTED_MODEL = "static:clew-static-2"
"""The embedding model whose cosines `WITH_VECTORS` knows."""
WITH_VECTORS = Fit(-8.886, (2.683, 1.722, 1.139, 0.948, 8.133))
WITHOUT_VECTORS = Fit(-7.264, (4.96, 2.505, 1.535, 1.694, 0.0))
