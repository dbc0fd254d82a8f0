"""How far are the search indexes behind the catalog? They follow it by themselves, some moments later; what they do not show yet is said."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from clew.core.query import Scope
from clew.stores.mongodb.sight import Names, Sight

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.stores.mongodb.connection import Connection
    from clew.stores.mongodb.homes import Homes
    from clew.stores.mongodb.state import State

LOOK_S = 0.25


class Lag:
    """What was seen to be shown is remembered: an index that has caught up with a build never falls behind it again."""

    def __init__(self, connection: Connection, names: Names, homes: Homes) -> None:
        self._connection = connection
        self._names = names
        self._homes = homes
        self._shown: dict[str, int] = {}

    def of(self, state: State) -> int:
        """How many chunks of a namespace the indexes do not show as they are."""
        if self._shown.get(state.namespace, 0) >= state.generation or state.settled >= state.generation:
            return 0
        sight = Sight(self._connection, self._names, Scope((state.namespace,)), [state])
        with self._connection.faults():
            differ = abs(state.chunks - sight.shown(state))
            if not differ and state.last is not None and state.chunks:
                differ = 0 if self._shows(sight, state) else 1
        if not differ:
            self._shown[state.namespace] = state.generation
        return differ

    def awaited(self, state: State, within_s: float, look: Callable[[float], None] = time.sleep) -> bool:
        """Whether the indexes show the state, now or soon."""
        last = time.monotonic() + within_s
        while self.of(state):
            if time.monotonic() > last:
                return False
            look(LOOK_S)
        return True

    def _shows(self, sight: Sight, state: State) -> bool:
        """Whether both legs show the last chunk that was written: they take in what they follow in its order."""
        last = state.last
        if last is None or not sight.shows_words(last):
            return last is None
        spaces = [(space, self._homes.of(space.fingerprint)) for space in state.spaces if space.fingerprint in last.spaces]
        return all(sight.shows_vector(last, collection, space.dims) for space, collection in spaces if collection)


def behind(unsynced: int) -> str:
    """What a leg says of an index that lags."""
    chunks = "1 chunk" if unsynced == 1 else f"{unsynced} chunks"
    return f"the search index has not taken in {chunks} yet: ask again in some seconds"
