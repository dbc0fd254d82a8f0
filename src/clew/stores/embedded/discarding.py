"""How is an index thrown away that cannot be opened? Part by part: the folder may be the user's own and hold other things."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from clew.stores.embedded.lock import WriterLock

if TYPE_CHECKING:
    from pathlib import Path

_FILES = ("catalog.db", "catalog.db-wal", "catalog.db-shm", "catalog.db-journal")
_FOLDERS = ("chunks.lance", "snapshot")


def discard(folder: Path) -> None:
    """Delete the index in the folder and nothing else there. Raises WriterBusy while another process writes it."""
    lock = WriterLock(folder / "writer.lock")
    lock.take()
    try:
        for name in _FILES:
            (folder / name).unlink(missing_ok=True)
        for pattern in (*_FOLDERS, "chunks__*.lance"):
            for part in folder.glob(pattern):
                shutil.rmtree(part)
    finally:
        lock.give_back()
