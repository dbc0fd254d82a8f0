"""What is asked of a language model? One question in words over evidence, one answer of a given shape, within an allowance."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeVar

from clew.errors import AllowanceSpent

if TYPE_CHECKING:
    from pydantic import BaseModel

Shape = TypeVar("Shape", bound="BaseModel")


@dataclass(frozen=True, slots=True)
class Usage:
    """What asking has cost: requests sent (answered or not), tokens read and tokens written."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.requests + other.requests, self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


class Allowance:
    """What one question may cost: requests, tokens and seconds, counted down by every reply, good or bad. May be shared by threads.

    `seconds` run from its making, by a `clock` that only goes forward; `longest_s` is how long one reply may take.
    """

    def __init__(
        self,
        most: Usage,
        seconds: float = float("inf"),
        clock: Callable[[], float] = time.monotonic,
        longest_s: float = float("inf"),
        whole: Allowance | None = None,
    ) -> None:
        self.most = most
        self._whole = whole
        self._spent = Usage()
        self.longest_s = longest_s
        self._clock = clock
        self._deadline = clock() + seconds
        self._lock = Lock()

    def part(self, most: Usage) -> Allowance:
        """So much of it, for one part of what it is for: whatever that costs is booked on both, and it ends when either does."""
        return Allowance(most, self.seconds_left, self._clock, self.longest_s, self)

    @property
    def spent(self) -> Usage:
        """What has been used up."""
        return self._spent

    @property
    def left(self) -> Usage:
        """What may still be used, never below nothing."""
        spent, most = self._spent, self.most
        left = Usage(
            max(most.requests - spent.requests, 0),
            max(most.input_tokens - spent.input_tokens, 0),
            max(most.output_tokens - spent.output_tokens, 0),
        )
        if self._whole is None:
            return left
        other = self._whole.left
        return Usage(
            min(left.requests, other.requests),
            min(left.input_tokens, other.input_tokens),
            min(left.output_tokens, other.output_tokens),
        )

    @property
    def seconds_left(self) -> float:
        """Until the deadline, never below nothing."""
        return max(self._deadline - self._clock(), 0.0)

    @property
    def wait_s(self) -> float:
        """How long the next reply may take."""
        return min(self.longest_s, self.seconds_left)

    def begin(self, input_tokens: int = 0) -> None:
        """Book one request that will read so many tokens. Raises AllowanceSpent, and books nothing, where the allowance does not reach for it."""
        with self._lock:
            left = self.left
            short = (
                "time"
                if not self.seconds_left
                else "requests"
                if not left.requests
                else "tokens to read"
                if not left.input_tokens or input_tokens > left.input_tokens
                else "tokens to write"
                if not left.output_tokens
                else ""
            )
            if short:
                raise AllowanceSpent(f"the language model may not be asked further: its {short} for this question are used up")
            if self._whole is not None:
                self._whole.begin(input_tokens)
            self._spent += Usage(requests=1)

    def charge(self, usage: Usage) -> None:
        """Book what a request has cost, once it is known."""
        with self._lock:
            self._spent += usage
        if self._whole is not None:
            self._whole.charge(usage)


class LanguageModel(Protocol):
    """Answers in shapes. What it says is a proposal: whoever asks takes from it only what exists."""

    @property
    def name(self) -> str:
        """Provider and model, as they were set."""
        ...

    def ask(self, instructions: str, evidence: str, shape: type[Shape], allowance: Allowance | None = None) -> Shape:
        """One answer. Evidence is data that others wrote, never part of the instructions. Every request and reply is booked on the allowance, those
        among them that were out of shape and asked again, and none is waited for beyond its deadline.

        Raises Unreachable where nothing answers, or it refuses to (no key, no right, too busy), AllowanceSpent where the allowance does not reach for an
        answer, MissingExtra and UsageError for a model that cannot be asked; anything else means that it answered and that was no answer.
        """
        ...
