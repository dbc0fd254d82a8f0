"""Which request is this? A name that its log lines, its audit lines and its answer share: the caller's own where it is well formed, else a new one."""

from __future__ import annotations

import re
import uuid
from contextvars import ContextVar

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{5,127}")
REQUEST: ContextVar[str] = ContextVar("clew_request", default="")
"""The name of the request that a thread or task works for."""


def named(given: str | None) -> str:
    """The name that was given, if it can be one; else a new one. What stands in it goes into logs, so that it is letters, digits and a few signs."""
    return given if given is not None and _NAME.fullmatch(given) else uuid.uuid4().hex
