"""Who writes the index while questions are answered? A thread of its own for each project: a run when there is need, then watching."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock, Thread

from clew.core.answer import IndexReport
from clew.engine import Engine
from clew.errors import ClewError
from clew.index.following import Followed
from clew.index.updater import Progress
from clew.interfaces.cli.output import internal, note

CLOSE_S = 3.0
"""How long an end waits for the batch in work; what is not committed by then is made again by the next run."""


class Cancelled(ClewError):
    """A run was stopped between two batches; what was committed stays."""

    code = "cancelled"


class Run:
    """One run of the indexer. `done` is set when it has ended: with a `report`, or with the `fault` that ended it."""

    def __init__(self, *, rebuild: bool = False) -> None:
        self.rebuild = rebuild
        self.began = time.monotonic()
        self.progress = Progress("looking", 0, 0)
        self.committed = Event()
        self.done = Event()
        self.report: IndexReport | None = None
        self.fault: ClewError | None = None
        self._stop = Event()

    def stop(self) -> None:
        """Have it end after the batch in work."""
        self._stop.set()

    def note(self, progress: Progress) -> None:
        """Take down how far it is. Raises Cancelled when it is to stop."""
        self.progress = progress
        self.committed.set()
        if self._stop.is_set():
            raise Cancelled("the run was stopped; what it had finished is kept", "call index to go on")

    def __str__(self) -> str:
        phase, done, total = self.progress
        return f"{phase} {done:,} of {total:,}" if total else phase


class Keeper:
    """The writer of one project. It has an engine of its own, so that runs and questions go on beside each other as two processes do."""

    def __init__(self, opened: Callable[[bool], Engine]) -> None:
        self._opened = opened
        self._turn = Lock()
        self._thread: Thread | None = None
        self._end = Event()
        self._closed = False
        self.run: Run | None = None

    @property
    def running(self) -> Run | None:
        """The run that is going on."""
        return self.run if self.run is not None and not self.run.done.is_set() else None

    def begin(self, *, rebuild: bool = False) -> tuple[Run, bool]:
        """The run that goes on, or a new one; and whether it is new."""
        with self._turn:
            if self.running is not None:
                return self.running, False
            self._stop_following()
            run = self.run = Run(rebuild=rebuild)
            if self._closed:
                run.done.set()
            else:
                self._start(run)
            return run, True

    def follow(self) -> None:
        """Keep the index current from now on, if that is not done already."""
        with self._turn:
            if not self._closed and (self._thread is None or not self._thread.is_alive()):
                self._start(None)

    def close(self) -> None:
        """End, after the batch in work."""
        with self._turn:
            self._closed = True
            if self.run is not None:
                self.run.stop()
            self._stop_following()

    def _start(self, run: Run | None) -> None:
        self._end = Event()
        self._thread = Thread(target=self._work, args=(run, self._end), name="clew-keeper", daemon=True)
        self._thread.start()

    def _stop_following(self) -> None:
        self._end.set()
        if self._thread is not None:
            self._thread.join(CLOSE_S)

    def _work(self, run: Run | None, end: Event) -> None:
        try:
            with self._opened(run is not None and run.rebuild) as engine:
                if run is None or self._carry_out(run, engine):
                    engine.follow(end, _unsaid)
        except Exception as fault:  # noqa: BLE001 - the outermost door of a thread
            known = fault if isinstance(fault, ClewError) else internal(fault)
            if run is not None and not run.done.is_set():
                run.fault = known
            else:
                note(f"clew: the index is no longer kept current: {known.message}")
        finally:
            if run is not None:
                run.done.set()

    def _carry_out(self, run: Run, engine: Engine) -> bool:
        try:
            run.report = engine.index(rebuild=run.rebuild, progress=run.note, feed=False)
        except ClewError as fault:
            run.fault = fault
        run.done.set()
        return run.fault is None


def _unsaid(_: Followed) -> None:
    """What a watcher took in is nobody's question."""
