"""How does a person see that something is going on? A bar on the terminal's last line; nothing in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clew.index.updater import Progress
from clew.interfaces.cli.output import draw, on_terminal

_WIDTH = 30
_SECONDS_BETWEEN = 0.1
"""Ten pictures a second look steady and cost nothing."""
_CLEAR = "\r\x1b[K"


@contextmanager
def progress_bar() -> Iterator[Callable[[Progress], None] | None]:
    """What to give an engine as `progress`: None where nobody looks."""
    if not on_terminal(sys.stderr):
        yield None
        return
    try:
        yield _Bar()
    finally:
        draw(_CLEAR)


class _Bar:
    def __init__(self) -> None:
        self._phase = ""
        self._drawn = 0.0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.phase == self._phase and progress.done < progress.total and now - self._drawn < _SECONDS_BETWEEN:
            return
        self._phase, self._drawn = progress.phase, now
        filled = _WIDTH * progress.done // progress.total if progress.total else 0
        draw(f"{_CLEAR}{progress.phase} [{'#' * filled}{'.' * (_WIDTH - filled)}] {progress.done:,}/{progress.total:,}")
