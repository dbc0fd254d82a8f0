"""Loans of a small library."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from .members import Member as Person

MAX_LOANS = 5

_FEES = {
    "late": 20,
    "lost": 900,
}

type Shelf = list[str]


# Marks a function as a step of the nightly run.
# The number tells the order.
def step(number: int):
    def decorate(function):
        function.step = number
        return function

    return decorate


@dataclass(
    frozen=True,
)
class Loan(Base[int], metaclass=Meta):
    """One book in one hand."""

    book: str
    days: int = 21

    @property
    def overdue(self) -> bool:
        """Whether the book should be back."""
        return self.days < 0

    @overdue.setter
    def overdue(self, value): self.days = -1 if value else 0

    async def renew(
        self,
        days: int = 21,
        *,
        force: bool = False,
    ) -> "Loan":
        if not force and self.days < 0:
            raise ValueError("too late")
        return await self._store(days)

    class Meta:
        ordering = ["days"]


@step(1)
@functools.cache
def fine(loan: Loan) -> int:
    r"""
    What a late book costs.

    Never more than a new one.
    """
    def per_day(rate):
        # a rate in cents
        return rate * -loan.days

    return min(per_day(_FEES["late"]), _FEES["lost"])


if MAX_LOANS:
    def allowed(person: Person) -> bool:
        return len(person.loans) < MAX_LOANS
