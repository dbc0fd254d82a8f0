"""How long may a look at a project take? Until whoever asked has no more time; but a project of usual size is always looked at to the end."""

from __future__ import annotations

from collections.abc import Callable

Expired = Callable[[], bool]
"""Asked now and then: whether there is no more time."""

ENOUGH_FILES = 10_000
"""So many are looked at in any case: a tenth of a second, or some of them on a busy machine."""
ENOUGH_S = 1.0
"""So long git may list a repository that is not known to be a large one."""


class OutOfTime(Exception):
    """A look was not finished; what it has found so far says nothing."""


def never() -> bool:
    """There is time."""
    return False
