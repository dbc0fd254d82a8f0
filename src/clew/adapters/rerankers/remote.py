"""How is a reranking provider asked? Once for a whole pool, within the seconds that the answer may wait, never twice while it is down."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.adapters.calling import Caller, Clock, Fault, Terms
from clew.core.embedding import Access

MOST_CHARACTERS = 8_000
"""Of one text: what a chunk of 512 tokens never reaches; providers cut at 4,096 tokens and more."""
ATTEMPTS = 2
Ask = Callable[[str, list[str], float], Sequence[tuple[int, float]]]
"""Question, texts and seconds in; places and their relevance, in any order, out."""


class RemoteReranker:
    """A `Reranker` behind a network."""

    def __init__(self, name: str, ask: Ask, read: Callable[[Exception], Fault | None], access: Access, clock: Clock = Clock()) -> None:  # noqa: B008 - frozen
        self._name = name
        self._ask = ask
        self._caller = Caller(name, read, Terms(attempts=ATTEMPTS), clock, access.outages, access.url)

    @property
    def name(self) -> str:
        """Provider and model."""
        return self._name

    def relevance(self, question: str, texts: Sequence[str], seconds: float) -> Sequence[float]:
        """As the protocol says. Raises Unreachable, UsageError and InputRefused as a `Caller` does, ValueError for an answer that leaves a text out."""
        sent = [_sendable(text) for text in texts]
        terms = Terms(attempts=ATTEMPTS, request_s=seconds, deadline_s=seconds)
        found = dict(self._caller.call(lambda left: list(self._ask(_sendable(question), sent, left)), terms=terms))
        if sorted(found) != list(range(len(texts))):
            raise ValueError(f"{self._name} did not give every text its relevance")
        return [float(found[place]) for place in range(len(texts))]


def _sendable(text: str) -> str:
    """As much as a provider reads, a lone surrogate replaced; nothing at all is refused by most."""
    return text[:MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8") or " "
