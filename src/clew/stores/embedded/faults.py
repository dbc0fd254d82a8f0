"""What does a fault of the disk mean to whoever asked for a write? An error that says what to do."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import IndexUnusable
from clew.stores.embedded.schema import REBUILD

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_SPACE = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


@contextmanager
def faults(folder: Path, *, anywhere: bool = False) -> Iterator[None]:
    """What the file system says no to in the folder of an index (or `anywhere`) becomes an error that a caller can act on."""
    try:
        yield
    except OSError as fault:
        where = Path(os.fsdecode(fault.filename)) if isinstance(fault.filename, str | bytes) else None
        if fault.errno in _NO_SPACE:
            hint = "free some disk space, then run `clew index`"
        elif not anywhere and (where is None or (where != folder and folder not in where.parents)):
            raise
        elif isinstance(fault, PermissionError) or fault.errno == errno.EROFS:
            hint = "make the folder writable, or set index_dir to another place"
        elif folder.is_dir():
            hint = REBUILD
        elif not os.path.lexists(folder):
            hint = "it was deleted while in use: begin anew"
        else:
            hint = "move away what stands in its place, or set index_dir to another place"
        raise IndexUnusable(
            f"the index at {folder} cannot be written: {fault.strerror or fault}{f': {where}' if where else ''}", hint
        ) from fault
