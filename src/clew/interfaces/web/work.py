"""Where does the work of requests run? In a bounded number of threads, with a bounded number of requests waiting, each for a bounded time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Lock
from typing import TypeVar

from clew.interfaces.web.faults import busy, too_late

Value = TypeVar("Value")


class Work:
    """The threads of one server. Work that nobody waits for any more goes on in its thread, which is free again when it is done: there are never more."""

    def __init__(self, threads: int, most_waiting: int) -> None:
        self._most = threads + most_waiting
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="clew-serve")
        self._turn = Lock()
        self.running = 0

    async def done(self, work: Callable[[], Value], seconds: float) -> Value:
        """What some work gives, if it does so in time. Raises HttpFault where it does not, or too much waits already."""
        with self._turn:
            if self.running >= self._most:
                raise busy()
            self.running += 1
        future = self._pool.submit(copy_context().run, work)
        future.add_done_callback(self._ended)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), seconds)
        except TimeoutError as fault:
            if future.done() and not future.cancelled():  # what the work itself says
                raise
            raise too_late(seconds) from fault

    def _ended(self, _: object) -> None:
        with self._turn:
            self.running -= 1

    def close(self, seconds: float) -> bool:
        """Take no more, and wait so long for what runs; returns whether all of it ended."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        end = time.monotonic() + seconds
        while self.running and time.monotonic() < end:
            time.sleep(0.02)
        return not self.running
