"""How is an index thrown away that cannot be opened? Part by part: the folder may be the user's own and hold other things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.stores.embedded.lock import WriterLock

if TYPE_CHECKING:
    from pathlib import Path

_LOCK = "writer.lock"
_PARTS = (
    "catalog.db",
    "catalog.db-wal",
    "catalog.db-shm",
    "catalog.db-journal",
    "catalog.sum",
    "questions.db",
    "questions.db-journal",
    "chunks.lance",
    "snapshot",
    "chunks.chroma",
    "chunks.owner",
)


def discard(folder: Path) -> None:
    """Delete the index in the folder and nothing else there. Raises WriterBusy while another process writes it."""
    if (folder / _LOCK).is_symlink() or not (folder / _LOCK).is_file():
        remove(folder / _LOCK)  # nobody can have locked it
    lock = WriterLock(folder / _LOCK)
    lock.take()
    try:
        for part in (*(folder / name for name in _PARTS), *folder.glob("chunks__*.lance")):
            remove(part)
    finally:
        lock.give_back()


def remove(path: Path) -> None:
    """Delete what stands there, be it a folder, a file, a link or nothing."""
    if path.is_dir() and not path.is_symlink():
        import shutil  # not worth its time to a search, which deletes nothing

        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
