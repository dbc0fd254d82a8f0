"""How is an index opened? On disk where there is one; in memory until the first write where there is none: who only asks leaves nothing behind."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from clew.errors import IndexUnusable, NoIndex
from clew.stores.embedded.catalog import NAME, Catalog, is_at_rest
from clew.stores.embedded.discarding import remove
from clew.stores.embedded.faults import faults
from clew.stores.embedded.schema import REBUILD
from clew.stores.embedded.sealing import is_broken_by_damage

if TYPE_CHECKING:
    from pathlib import Path


def opened(folder: Path, *, read_only: bool, within: Path | None) -> tuple[Catalog, IndexUnusable | None]:
    """The catalog, and why it cannot be written where that is so. Raises NoIndex (nothing there, and read-only or nothing to make it in)
    and IndexUnusable (damaged, or written by a newer clew)."""
    if not read_only:
        _check(within)
        if not os.path.lexists(folder / NAME):
            with faults(folder, anywhere=True):
                if os.path.lexists(folder) and not folder.is_dir():
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder))
            return Catalog(folder, in_memory=True), None
    catalog, no_room = _connected(folder, read_only=read_only)
    with catalog.reading() as connection:
        is_damaged = is_broken_by_damage(folder, connection)
    if is_damaged:
        catalog.close()
        raise IndexUnusable(f"the index at {folder} is damaged: {NAME} is not what was written", REBUILD)
    return catalog, no_room


def made(folder: Path, *, within: Path | None) -> tuple[Catalog, IndexUnusable | None]:
    """The same, its folder made if need be; one that is `within` another only where that is."""
    _check(within)
    with faults(folder, anywhere=True):
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            remove(ignore)
            ignore.write_text("*\n", encoding="utf-8")
    return _connected(folder, read_only=False)


def _check(within: Path | None) -> None:
    if within is not None and not within.is_dir():
        raise NoIndex(f"the folder {within} is gone", "give the project's folder where it is now")


def _connected(folder: Path, *, read_only: bool) -> tuple[Catalog, IndexUnusable | None]:
    """Where nothing can be written, the disk being full, an index that nobody is writing is read as it is."""
    try:
        return Catalog(folder, read_only=read_only), None
    except IndexUnusable as fault:
        if read_only or not is_at_rest(folder):
            raise
        return Catalog(folder, read_only=True, at_rest=True), fault
