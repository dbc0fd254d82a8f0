"""Where do the clients of language models live? They are asynchronous and keep their connections: in one loop of one thread, whoever asks from wherever."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import cache
from threading import Thread
from typing import Any, TypeVar

Found = TypeVar("Found")


def waited(asking: Coroutine[Any, Any, Found]) -> Found:
    """What it comes to; whoever is interrupted while waiting interrupts it."""
    future = asyncio.run_coroutine_threadsafe(asking, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The loop, begun when it is first needed; it ends with the process."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="clew-language-models", daemon=True).start()
    return loop
