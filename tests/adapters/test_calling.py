"""How a remote model is called: again where that helps, at its own pace, and not at all while it is down."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from threading import Barrier, Thread

import pytest
import stamina

from clew.adapters.calling import Caller, Clock, Fault, Pace, Terms, by_status, retry_after
from clew.errors import InputRefused, Unreachable, UsageError


class Status(Exception):
    def __init__(self, status: int, after: float | None = None) -> None:
        super().__init__(f"status {status} for the key sk-secret")
        self.status, self.after = status, after


class Hours:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.time, self.sleep)


def read(raised: Exception) -> Fault | None:
    return by_status(raised.status, raised.after) if isinstance(raised, Status) else None


def failing(*faults: Exception) -> Callable[[float], str]:
    left = list(faults)

    def request(_: float) -> str:
        if left:
            raise left.pop(0)
        return "done"

    return request


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with stamina.set_testing(True, attempts=5, cap=True):
        yield


@pytest.mark.parametrize("status", [429, 408, 500, 502, 503, 529])
def test_what_may_pass_is_tried_again(status: int) -> None:
    assert Caller("voyage", read).call(failing(Status(status), Status(status))) == "done"


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, InputRefused), (413, InputRefused), (401, UsageError), (403, UsageError), (404, UsageError), (503, Unreachable)],
)
def test_what_stays_wrong_is_told_in_our_words(status: int, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        Caller("voyage", read).call(failing(*[Status(status)] * 9))
    assert "sk-secret" not in f"{caught.value}{caught.value.__cause__}"
    assert caught.value.__suppress_context__


def test_a_refused_text_is_not_sent_again() -> None:
    caller = Caller("voyage", read)
    request = failing(Status(400))
    with pytest.raises(InputRefused):
        caller.call(request)
    assert caller.call(request) == "done"


def test_as_long_as_the_provider_asks_is_waited_and_no_longer_than_there_is_time() -> None:
    waits: list[float] = []
    stamina.instrumentation.set_on_retry_hooks([lambda details: waits.append(details.wait_for)])
    try:
        with stamina.set_testing(False):
            assert Caller("voyage", read).call(failing(Status(429, 0.02), Status(503, 0.01))) == "done"
        assert waits == pytest.approx([0.02, 0.01])
        with pytest.raises(Unreachable, match="too many requests"):
            Caller("voyage", read, Terms(deadline_s=10)).call(failing(Status(429, 3600)))
    finally:
        stamina.instrumentation.set_on_retry_hooks(None)


def test_a_request_is_told_how_long_it_may_take() -> None:
    given: list[float] = []
    Caller("voyage", read, Terms(request_s=60, deadline_s=8), Hours().clock).call(given.append)
    assert given == [8.0]


def test_after_five_failures_nothing_is_asked_for_half_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    hours = Hours()
    caller = Caller("voyage", read, Terms(attempts=1), hours.clock)
    asked: list[int] = []

    def down(_: float) -> None:
        asked.append(1)
        raise Status(503)

    with caplog.at_level(logging.WARNING, "clew.providers"), stamina.set_testing(True, attempts=1):
        for _ in range(8):
            with pytest.raises(Unreachable):
                caller.call(down)
        assert len(asked) == 5
        assert caller.is_resting
        hours.time += 29
        with pytest.raises(Unreachable, match="not asked"):
            caller.call(down)
        hours.time += 1
        with pytest.raises(Unreachable, match="does not answer"):
            caller.call(down)
        assert len(asked) == 6
        assert caller.is_resting
        hours.time += 30
        assert caller.call(failing()) == "done"
    assert not caller.is_resting
    changes = [record.getMessage().rpartition("from ")[2] for record in caplog.records]
    assert changes == ["closed to open", "open to half-open", "half-open to open", "open to half-open", "half-open to closed"]


@pytest.mark.parametrize("status", [400, 401, 404, 429])
def test_a_provider_that_says_no_is_not_down(status: int) -> None:
    caller = Caller("voyage", read)
    for _ in range(9):
        with pytest.raises((UsageError, Unreachable)):
            caller.call(failing(*[Status(status)] * 5))
    assert not caller.is_resting


def test_an_interrupted_trial_leaves_the_breaker_open() -> None:
    hours = Hours()
    caller = Caller("voyage", read, Terms(failures=1), hours.clock)
    with pytest.raises(Unreachable):
        caller.call(failing(*[Status(503)] * 5))
    hours.time += 30

    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        caller.call(interrupted)
    hours.time += 30
    assert caller.call(failing()) == "done"


def test_several_threads_are_in_a_call_at_once() -> None:
    caller = Caller("voyage", read)
    together = Barrier(3, timeout=20)
    threads = [Thread(target=caller.call, args=(lambda _: together.wait(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not together.broken


def test_no_minute_has_more_requests_than_allowed() -> None:
    hours = Hours()
    pace = Pace(3, 0, hours.clock)
    times = []
    for _ in range(7):
        pace.wait(1, 1e9)
        times.append(hours.time)
        hours.time += 1
    assert times == [0, 1, 2, 60, 61, 62, 120]


def test_no_minute_has_more_tokens_than_allowed() -> None:
    hours = Hours()
    pace = Pace(0, 100, hours.clock)
    times = []
    for tokens in (60, 40, 50, 40, 500, 1):
        pace.wait(tokens, 1e9)
        times.append(hours.time)
    assert times == [0, 0, 60, 60, 120, 180]


def test_a_turn_that_comes_too_late_is_not_waited_for() -> None:
    hours = Hours()
    pace = Pace(1, 0, hours.clock)
    pace.wait(1, 10)
    with pytest.raises(Unreachable, match="limit a minute"):
        pace.wait(1, 10)
    assert hours.slept == []


@pytest.mark.parametrize(("raw", "seconds"), [("3", 3.0), ("0.5", 0.5), ("soon", None), ("", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)])
def test_the_provider_says_how_long_in_digits_or_as_a_date(raw: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": raw}) == seconds
