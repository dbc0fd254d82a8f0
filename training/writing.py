"""What is shipped? The table with a byte a number, its axes ordered by weight, in the format that the embedder reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clew.adapters.embedders.static_model import DIGEST, FILES, QUERY, SCALE, TABLE, VOCABULARY, digest_of
from training.learning import Table

_LARGEST = 127


def turned(table: Table, lengths: int) -> Table:
    """The same table seen along its principal axes, the strongest first, so that the first dims alone are the best ones; `lengths` are kept."""
    _, axes = np.linalg.eigh((table.rows.T @ table.rows).astype(np.float64))
    return Table(np.ascontiguousarray(table.rows @ axes[:, ::-1][:, :lengths].astype(np.float32)), table.query)


def write(table: Table, parts: Sequence[str], folder: Path) -> None:
    """The four files of a model and their digest."""
    folder.mkdir(parents=True, exist_ok=True)
    scale = (np.abs(table.rows).max(axis=1, keepdims=True) / _LARGEST).astype(np.float16)
    step = np.where(scale > 0, scale.astype(np.float32), 1)
    np.save(folder / TABLE, np.clip(np.rint(table.rows / step), -_LARGEST, _LARGEST).astype(np.int8))
    np.save(folder / SCALE, scale)
    np.save(folder / QUERY, table.query.astype(np.float16))
    (folder / VOCABULARY).write_text("\n".join(parts) + "\n", "utf-8")
    (folder / DIGEST).write_text(digest_of(folder, FILES) + "\n", "ascii")
