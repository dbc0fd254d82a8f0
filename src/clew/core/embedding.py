"""What comes back from an embedding model, and what is it told of whom to ask? Batches as they are finished; keys, addresses, limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clew.core.tokens import count_tokens

if TYPE_CHECKING:
    from clew.core.catalog import Vectors
    from clew.core.protocols import Embedder

BATCH, AT_ONCE = 32, 1
"""Texts in a request, and requests under way: whoever kills a run has paid for what was under way, and pays for it again."""


class EmbeddedBatch(NamedTuple):
    """Some of the texts that were given, by their places: `vectors[i]` belongs to the text at `places[i]`. `refused` says of others why the model will
    have nothing of them; `truncated` counts texts of which only the beginning was embedded."""

    places: tuple[int, ...]
    vectors: Vectors
    refused: Mapping[int, str] = {}
    truncated: int = 0


@dataclass(frozen=True, slots=True)
class Access:
    """How a provider is reached, and what it may be asked. An empty `url` is the provider's own; 0 a minute is no limit;
    `max_cost` is in dollars, None for no bound; `outages` is where the user's processes tell each other that a provider is down."""

    key: str = field(default="", repr=False)
    url: str = ""
    batch: int = BATCH
    at_once: int = AT_ONCE
    requests_a_minute: int = 0
    tokens_a_minute: int = 0
    max_cost: float | None = None
    outages: Path | None = None


class Cost(NamedTuple):
    """What embedding texts takes. `dollars` is None where no price is known."""

    texts: int = 0
    tokens: int = 0
    dollars: float | None = 0.0


class Estimate(NamedTuple):
    """What the next index run would do: files it would read, and texts of theirs it would embed. `pending` chunks of others wait for a vector besides."""

    model: str
    files: int
    pending: int
    cost: Cost


def in_batches(embedder: Embedder, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
    """The texts' vectors as the embedder finishes them: at once, unless it has a method `embed_each` of its own."""
    each = getattr(embedder, "embed_each", None)
    if each is not None:
        yield from each(texts)
    elif texts:
        yield EmbeddedBatch(tuple(range(len(texts))), embedder.embed_documents(texts))


def hurried(embedder: Embedder) -> Embedder:
    """The embedder for somebody who waits for an answer: one that can hurry gives up within seconds, and leaves the rest to the next index run."""
    other = getattr(embedder, "hurried", None)
    return embedder if other is None else other()


def cost_of(embedder: Embedder, texts: Sequence[str]) -> Cost:
    """What embedding the texts would take; nothing but tokens where the embedder is not paid."""
    asked = getattr(embedder, "cost", None)
    found: Cost = asked(texts) if asked is not None else Cost(len(texts), sum(map(count_tokens, texts)))
    return found
