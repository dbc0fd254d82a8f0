"""What does `clew watch` do? It keeps the index of a project current until it is interrupted, and says what it takes in."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGINT, default_int_handler, getsignal, signal
from threading import Event, current_thread, main_thread
from typing import TYPE_CHECKING

import click

from clew.interfaces.cli.options import embedder_option, json_option, project_argument
from clew.interfaces.cli.output import emit, emit_json, flush, note

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from clew.index.following import Followed


@click.command
@project_argument
@embedder_option
@json_option
def watch(path: str, embedder: str | None, as_json: bool) -> int:
    """Keep the index of a project current while you work, until Ctrl-C. Searches find changes without it too; with it they need not look."""
    from clew.assembly import open_engine
    from clew.interfaces.rendering.plain import followed_line
    from clew.interfaces.rendering.wire import followed_object

    with open_engine(Path(path), {"embedder": embedder}) as engine:
        for warning in engine.settings.warnings:
            note(f"warning: {warning}")

        def report(found: Followed) -> None:
            if as_json:
                emit_json(followed_object(found))
                return
            for warning in found.warnings:
                note(f"warning: {warning}")
            emit(followed_line(found))
            flush()

        if not as_json:
            note(f"watching {engine.root}; Ctrl-C ends it")
        with suppress(KeyboardInterrupt), _until_interrupted() as stop:
            engine.follow(stop, report)
    return 0


class _Interrupted(Event):
    """An event that a handler of signals may set, too: `set` takes the lock that the interrupted `wait` may hold, and would wait for itself."""

    by_signal = False

    def is_set(self) -> bool:
        return self.by_signal or super().is_set()

    def wait(self, timeout: float | None = None) -> bool:
        return self.by_signal or super().wait(timeout) or self.by_signal


@contextmanager
def _until_interrupted() -> Iterator[Event]:
    """An event that Ctrl-C sets, besides what it raises: an exception that is raised in a callback or while something is freed goes no further."""
    stop = _Interrupted()

    def interrupt(number: int, frame: FrameType | None) -> None:
        stop.by_signal = True
        raise KeyboardInterrupt

    if current_thread() is not main_thread() or getsignal(SIGINT) is not default_int_handler:  # someone else's, or one that is ignored
        yield stop
        return
    signal(SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal(SIGINT, default_int_handler)
