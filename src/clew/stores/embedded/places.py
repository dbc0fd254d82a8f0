"""Where do the parts of an index stand in its folder? For those who must know it without numpy."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SNAPSHOTS = "snapshot"


def snapshot_file(folder: Path, name: str) -> str:
    """The file of the snapshot of that name."""
    return os.path.join(folder, SNAPSHOTS, name, "arrays.bin")  # noqa: PTH118 - once for each process that searches


def size_of(path: Path) -> int:
    """The size of a file; 0 of anything else, and of what a writer has just removed."""
    try:
        return path.lstat().st_size if path.is_file() else 0
    except OSError:
        return 0
