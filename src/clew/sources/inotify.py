"""How is Linux asked for notices of folders? By its own calls, which say when there is no room for another."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

_NOT_WAITING = os.O_NONBLOCK | os.O_CLOEXEC if sys.platform == "linux" else 0
_ANY = 0x200
"""Something to be told of, where it is only tried whether there is room: a deletion."""

AddFolder = Callable[[int, bytes, int], int]


def opened() -> tuple[int, AddFolder]:
    """A new set of notices, and how to add a folder to it (handle, path, mask); raises OSError where there is none, or no room for another."""
    import ctypes  # 10 ms that only a process that lives on is worth

    if sys.platform != "linux":
        raise OSError("only Linux gives notices without a wait")
    library: Any = ctypes.CDLL(None, use_errno=True)

    def checked(result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result

    handle = checked(library.inotify_init1(_NOT_WAITING))
    return handle, lambda to, folder, mask: checked(library.inotify_add_watch(to, folder, mask))


def require_room(folder: str) -> None:
    """Raise OSError where Linux has no room to watch one more folder; elsewhere do nothing."""
    if sys.platform != "linux":
        return
    handle, add = opened()
    try:
        add(handle, os.fsencode(folder), _ANY)
    finally:
        os.close(handle)
