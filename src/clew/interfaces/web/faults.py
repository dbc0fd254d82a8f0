"""What is sent where there is no answer? One form for everything, and for each fault of clew the status that means it."""

from __future__ import annotations

from clew.core.visible import to_json
from clew.errors import (
    AllowanceSpent,
    ClewError,
    Forbidden,
    IndexUnusable,
    NoIndex,
    NoSuchNamespace,
    Unreachable,
    UsageError,
    WriterBusy,
)

_STATUS: tuple[tuple[type[ClewError], int], ...] = (
    (NoSuchNamespace, 404),
    (Forbidden, 403),
    (UsageError, 400),
    (NoIndex, 404),
    (IndexUnusable, 503),
    (WriterBusy, 503),
    (Unreachable, 503),
    (AllowanceSpent, 503),
)
"""The first that a fault is counts; any other is one of ours."""


class HttpFault(ClewError):
    """A fault of the request itself, with the status that says so and headers that go with it."""

    def __init__(self, status: int, code: str, message: str, hint: str = "", headers: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message, hint)
        self.status = status
        self.code = code
        self.headers = headers


def unauthenticated() -> HttpFault:
    """The refusal of whoever shows no token, or one that is not good: the same for all."""
    hint = "send the header Authorization: Bearer TOKEN, with one that `clew token create` made or that your provider signed"
    return HttpFault(401, "unauthenticated", "there is no valid token", hint, (("WWW-Authenticate", "Bearer"),))


def too_many(seconds: int) -> HttpFault:
    """Somebody asks more than their share."""
    return HttpFault(429, "too_many_requests", "you ask too often", f"ask again in {seconds} s", (("Retry-After", str(seconds)),))


def too_late(seconds: float) -> HttpFault:
    """A request takes longer than it may."""
    return HttpFault(504, "timeout", f"the answer was not there within {seconds:g} s", "ask a narrower question, or ask again")


def busy() -> HttpFault:
    """More is being asked than can be answered."""
    return HttpFault(503, "busy", "the server has more questions than it can answer", "ask again in a moment", (("Retry-After", "1"),))


def too_large(most: int) -> HttpFault:
    """A request is larger than it may be."""
    return HttpFault(413, "too_large", f"the request is larger than {most:,} bytes", "send less")


def status_of(fault: ClewError) -> int:
    """The status that says what kind of fault it is."""
    if isinstance(fault, HttpFault):
        return fault.status
    return next((status for kind, status in _STATUS if isinstance(fault, kind)), 500)


def body_of(fault: ClewError) -> bytes:
    """The fault as it is sent."""
    return to_json({"error": {"code": fault.code, "message": fault.message, "hint": fault.hint}}).encode()
