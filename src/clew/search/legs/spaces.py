"""Was an index made by the model that is set? Vectors of two models are never compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clew.errors import EmbeddingDimensionMismatchError, EmbeddingModelMismatchError, ModelMismatch

if TYPE_CHECKING:
    from clew.core.catalog import Space


def mismatch(made: Sequence[Space], wanted: Space, hint: str) -> ModelMismatch:
    """The fault of an index whose vectors were all `made` in other spaces than the `wanted` one."""
    if made and all(space.dims != wanted.dims for space in made):
        lengths = ", ".join(sorted({str(space.dims) for space in made}))
        return EmbeddingDimensionMismatchError(
            f"the index holds vectors of another model than {wanted.model}, of {lengths} numbers and not {wanted.dims}: vectors were not searched",
            hint,
        )
    return EmbeddingModelMismatchError(f"the index holds vectors of another model than {wanted.model}: vectors were not searched", hint)
