"""How is a remote model called? Within its limits and a deadline, again where that may help, and not at all while it is down."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import pybreaker

from clew.adapters.hushing import hushed
from clew.adapters.outages import Outages
from clew.errors import ClewError, InputRefused, MissingExtra, Unreachable, UsageError

T = TypeVar("T")
Kind = Literal["input", "key", "model", "throttled", "outage"]
_MINUTE = 60.0
_log = logging.getLogger("clew.providers")


class Clock(NamedTuple):
    """What tells time and waits; tests bring one of their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    wall: Callable[[], float] = time.time


class Fault(NamedTuple):
    """What a client's exception means. `said` is ours, never the provider's own words, which may hold a part of the key or of the text;
    `after_s` is how long the provider asks to wait."""

    kind: Kind
    said: str
    after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """How often, how long and how many at once. 0 a minute is no limit.

    One call takes `deadline_s` at most with all its `attempts`, one attempt `request_s`. After `failures` calls in a row that met an outage nothing is
    asked for `rest_s`; then one call tries.
    """

    requests_a_minute: int = 0
    tokens_a_minute: int = 0
    at_once: int = 4
    attempts: int = 5
    request_s: float = 60.0
    deadline_s: float = 120.0
    failures: int = 5
    rest_s: float = 30.0


HURRIED = Terms(attempts=2, request_s=5.0, deadline_s=8.0)
"""For who waits for an answer: a question, a reranking."""
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 30.0
"""Before the second attempt, and before any: doubled each time, and as much again by chance, so that many do not come back at once."""


class Caller:
    """Calls one provider. Safe to use from several threads, which share its limits and its breaker; what other processes met is in the record at `place`,
    under the provider's name and its `address`."""

    def __init__(
        self,
        provider: str,
        read: Callable[[Exception], Fault | None],
        terms: Terms = Terms(),
        clock: Clock = Clock(),  # noqa: B008 - frozen
        place: Path | None = None,
        address: str = "",
    ) -> None:
        try:
            import stamina
        except ImportError as fault:
            raise MissingExtra(f"{provider} is called with the package stamina", "pip install stamina") from fault
        hushed("stamina")
        self._retry = stamina.retry_context
        self.provider = provider
        self.terms = terms
        self._read = read
        self._clock = clock
        key = hashlib.sha256(f"{provider} {address}".encode()).hexdigest()  # an address may hold a secret
        self._outages = Outages(place, key, terms.failures, terms.rest_s, clock.wall) if place else None
        self._pace = Pace(terms.requests_a_minute, terms.tokens_a_minute, clock)
        self._door = threading.Lock()
        self._opened = _Storage(clock)
        self._breaker = pybreaker.CircuitBreaker(
            fail_max=terms.failures,
            reset_timeout=terms.rest_s,
            listeners=[_Telling()],
            name=provider,
            state_storage=self._opened,
            throw_new_error_on_trip=False,
        )

    @property
    def is_resting(self) -> bool:
        """Whether nothing is asked at the moment, after too many failures."""
        return str(self._breaker.current_state) == pybreaker.STATE_OPEN or (self._outages is not None and self._outages.is_resting)

    def call(self, request: Callable[[float], T], tokens: int = 0, *, terms: Terms | None = None) -> T:
        """What `request` returns, which is handed the seconds that it may take; `tokens` is what the provider will count of it.

        Raises InputRefused for what it was given, UsageError for a key or a model that the provider refuses, Unreachable where it does not answer
        in time, has had too much, or rests.
        """
        is_trial = self._enter()
        try:
            done = self._attempts(request, tokens, terms or self.terms)
        except Unreachable as fault:
            self._note(None if isinstance(fault, _Throttled) else fault)
            raise
        except BaseException as raised:
            if isinstance(raised, Exception):
                self._note(None)  # a sign of life, or a fault of ours
            elif is_trial:
                self._breaker.open()
            raise
        self._note(None)
        return done

    def _enter(self) -> bool:
        """Pass the breaker, which calls nothing itself since it would let in one at a time; whether this is the one call that tries again.

        Raises Unreachable while it is open.
        """
        with self._door:
            state = str(self._breaker.current_state)
            is_due = state == pybreaker.STATE_OPEN and self._clock.now() - self._opened.at >= self.terms.rest_s
            may_ask = state == pybreaker.STATE_CLOSED or is_due
            if may_ask and (self._outages is None or self._outages.turn() != "rest"):
                if is_due:
                    self._breaker.half_open()
                return is_due
        raise Unreachable(
            f"{self.provider} is not asked: it failed {self.terms.failures} times in a row",
            f"it is asked again within {self.terms.rest_s:g} seconds",
        )

    def _note(self, fault: Unreachable | None) -> None:
        """Tell the breaker how a call ended."""
        if self._outages is not None:
            self._outages.answered() if fault is None else self._outages.failed()
        with suppress(Unreachable, pybreaker.CircuitBreakerError):  # the one it is told, and that of a call which others overtook
            self._breaker.call(_raise, fault)

    def _attempts(self, request: Callable[[float], T], tokens: int, terms: Terms) -> T:
        ends = self._clock.now() + terms.deadline_s
        try:
            for attempt in self._retry(
                on=lambda raised: self._again(raised, ends),
                attempts=terms.attempts,
                timeout=terms.deadline_s,
                wait_initial=_FIRST_WAIT_S,
                wait_max=_LONGEST_WAIT_S,
                wait_jitter=_FIRST_WAIT_S,
            ):
                with attempt:
                    self._pace.wait(tokens, ends)
                    return request(max(min(terms.request_s, ends - self._clock.now()), 0.1))
        except ClewError:
            raise
        except Exception as raised:
            fault = self._read(raised)
            if fault is None:
                raise
            raise self._told(fault) from None  # what the client says may hold the key
        raise AssertionError("a retried block returns or raises")

    def _again(self, raised: Exception, ends: float) -> bool | float:
        """Whether to try again, and when, where the provider says so."""
        fault = None if isinstance(raised, ClewError) else self._read(raised)
        if fault is None or fault.kind not in ("throttled", "outage"):
            return False
        left = ends - self._clock.now()
        if fault.after_s is None:
            return left > 0
        return fault.after_s if fault.after_s < left else False

    def _told(self, fault: Fault) -> ClewError:
        who = self.provider
        match fault.kind:
            case "input":
                return InputRefused(f"{who} refuses a text ({fault.said})", "shorten it, or leave its file out")
            case "key":
                return UsageError(f"{who} refuses the key ({fault.said})", "check the key, and what your account may use")
            case "model":
                return UsageError(f"{who} does not know the model, or not so ({fault.said})", "check the model's name and its dimensions")
            case "throttled":
                return _Throttled(f"{who} has had too many requests ({fault.said})", "wait, or set a limit a minute (docs/embedders.md)")
            case _:
                return Unreachable(f"{who} does not answer ({fault.said})", "is the network up, is the address right?")


class _Throttled(Unreachable):
    """A provider that answers, with no: no outage."""


def _raise(fault: Exception | None) -> None:
    if fault is not None:
        raise fault


def by_status(status: int, after_s: float | None = None) -> Fault:
    """What an HTTP status means where a provider says nothing more."""
    said = f"status {status}"
    if status in (400, 413, 422):
        return Fault("input", said)
    if status in (401, 402, 403):
        return Fault("key", said)
    if status in (404, 405, 410):
        return Fault("model", said)
    return Fault("throttled" if status in (408, 409, 429) else "outage", said, after_s)


def retry_after(headers: object) -> float | None:
    """The seconds that a Retry-After header asks for, in its digits or as a date; None where there is none that can be read."""
    get = getattr(headers, "get", None)
    raw = str((get("retry-after") or get("Retry-After") or "") if get else "").strip()
    try:
        return max(float(raw), 0.0)
    except ValueError:
        pass
    from email.utils import parsedate_to_datetime

    try:
        return max((parsedate_to_datetime(raw) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


class Pace:
    """Never more requests or tokens in any minute than allowed. A request that alone is more than a minute's tokens goes when nothing else has."""

    def __init__(self, requests: int, tokens: int, clock: Clock) -> None:
        self._requests, self._tokens, self._clock = requests, tokens, clock
        self._lock = threading.Lock()
        self._taken: deque[tuple[float, int]] = deque()

    def wait(self, tokens: int, ends: float) -> None:
        """Wait for a turn and take it. Raises Unreachable where that does not come before `ends`."""
        while self._requests or self._tokens:
            with self._lock:
                now = self._clock.now()
                while self._taken and self._taken[0][0] <= now - _MINUTE:
                    self._taken.popleft()
                turn = self._turn(tokens, now)
                if turn <= now:
                    self._taken.append((now, tokens))
                    return
            if turn > ends:
                raise _Throttled("the limit a minute that is set leaves no room for this request", "raise it, or send less at once")
            self._clock.sleep(turn - now)

    def _turn(self, tokens: int, now: float) -> float:
        """When there is room."""
        turn = now
        if self._requests and len(self._taken) >= self._requests:
            turn = self._taken[-self._requests][0] + _MINUTE
        room = self._tokens - sum(size for _, size in self._taken)
        for at, size in self._taken if self._tokens else ():
            if tokens <= room:
                break
            room += size
            turn = max(turn, at + _MINUTE)
        return turn


class _Storage(pybreaker.CircuitMemoryStorage):
    """The breaker's state, with the moment it opened told by our clock."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(pybreaker.STATE_CLOSED)
        self._clock = clock
        self.at = 0.0

    @property
    def opened_at(self) -> datetime | None:
        """As many seconds before now as have passed by our clock."""
        return datetime.now(UTC) - timedelta(seconds=self._clock.now() - self.at)

    @opened_at.setter
    def opened_at(self, datetime: datetime) -> None:
        self.at = self._clock.now()


class _Telling(pybreaker.CircuitBreakerListener):
    """Logs when the breaker opens and closes."""

    def state_change(self, cb: pybreaker.CircuitBreaker, old_state: object, new_state: object) -> None:
        before, after = getattr(old_state, "name", "none"), getattr(new_state, "name", "none")
        _log.warning("the circuit breaker of %s went from %s to %s", cb.name, before, after)
