"""How much may each ask? A share that fills again by the second, so that a burst is fine and a flood is not."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

MOST_KNOWN = 10_000
"""Principals whose shares are kept: who was not heard of for longest begins anew."""


class Shares:
    """The shares of principals: so many requests in a minute, a quarter of which may come at once."""

    def __init__(self, a_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = a_minute / 60
        self._most = max(1.0, a_minute / 4)
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._turn = Lock()

    def taken(self, name: str) -> int:
        """Take one request from a share; returns 0, or after how many whole seconds there is one again."""
        with self._turn:
            now = self._now()
            left, seen = self._left.pop(name, (self._most, now))
            left = min(self._most, left + (now - seen) * self._rate)
            is_there = left >= 1
            self._left[name] = (left - 1 if is_there else left, now)
            if len(self._left) > MOST_KNOWN:
                self._left.popitem(last=False)
            return 0 if is_there else max(1, math.ceil((1 - left) / self._rate))
