"""When is a language model asked again? After a refusal that may pass, as its server says, or after a growing pause; never beyond the allowance."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from clew.adapters.calling import retry_after
from clew.adapters.hushing import hushed
from clew.core.language import Allowance

ATTEMPTS = 3
"""Of one request."""
FIRST_PAUSE_S, LONGEST_PAUSE_S, JITTER_S = 0.2, 8.0, 0.3
_MAY_PASS = frozenset([408, 409, 429, 500, 502, 503, 504, 529])
"""Statuses of a server that is busy or out of order for now; 529 is Anthropic's own."""


def attempts(allowance: Allowance) -> AsyncIterator[Any]:
    """The attempts of one request, by stamina: what the block raises is looked at, and raised in the end."""
    import stamina

    hushed("stamina")
    return stamina.retry_context(
        on=lambda fault: _again(fault, allowance),
        attempts=ATTEMPTS,
        timeout=None,
        wait_initial=FIRST_PAUSE_S,
        wait_max=LONGEST_PAUSE_S,
        wait_jitter=JITTER_S,
    ).__aiter__()


def _again(fault: Exception, allowance: Allowance) -> bool | float:
    """Whether to ask again, or after how many seconds."""
    from pydantic_ai.exceptions import ModelAPIError

    status = getattr(fault, "status_code", None)
    may_pass = isinstance(fault, ModelAPIError) and (status is None or status in _MAY_PASS)
    if not may_pass or not allowance.left.requests:
        return False
    asked = retry_after(getattr(fault, "headers", None))
    if asked is None:
        return allowance.seconds_left > FIRST_PAUSE_S + JITTER_S
    return asked if asked < allowance.seconds_left else False
