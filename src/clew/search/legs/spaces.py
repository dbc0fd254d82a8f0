"""Was an index made by the model that is set? Vectors of two models are never compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import EmbeddingDimensionMismatchError, EmbeddingModelMismatchError, ModelMismatch

if TYPE_CHECKING:
    from clew.core.catalog import Space
    from clew.settings import Settings


def rebuilding(root: Path, settings: Settings) -> str:
    """What makes a project's index one of the model that is set: the command, to be pasted as it is."""
    import shlex  # only such a fault is worth it

    given = f" --embedder {shlex.quote(settings.embedder)}" if settings.origins.get("embedder", "").startswith("option ") else ""
    return (
        f"run `clew index --mode hybrid{given} {shlex.quote(str(root))}` to add its vectors, or set the model that the index was made with"
    )


def mismatch(made: Sequence[Space], wanted: Space, hint: str) -> ModelMismatch:
    """The fault of an index whose vectors were all `made` in other spaces than the `wanted` one."""
    if made and all(space.dims != wanted.dims for space in made):
        lengths = ", ".join(sorted({str(space.dims) for space in made}))
        return EmbeddingDimensionMismatchError(
            f"the index holds vectors of another model than {wanted.model}, of {lengths} numbers and not {wanted.dims}: vectors were not searched",
            hint,
        )
    return EmbeddingModelMismatchError(f"the index holds vectors of another model than {wanted.model}: vectors were not searched", hint)
