"""How does a provider's API embed many texts? In batches by count and size, several at once, each given back as soon as it is there."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, Self

from clew.adapters.calling import HURRIED, Caller, Clock, Fault, Terms
from clew.core.catalog import Space
from clew.core.embedding import Access, Cost, EmbeddedBatch
from clew.core.tokens import count_tokens
from clew.errors import AllowanceSpent, ClewError, InputRefused, UsageError

if TYPE_CHECKING:
    from clew.core.catalog import Vector, Vectors

Kind = Literal["document", "query"]
_FORM = 1
"""Counted up when the same text would be sent otherwise."""
_HOPELESS = 8
"""Texts refused one by one, before any was accepted, after which it is not the texts."""
_SHORTEST = 100
"""Tokens below which a text is not refused for its length."""


@dataclass(frozen=True, slots=True)
class Model:
    """One model of a provider, as its documentation has it: `batch` texts and `batch_tokens` tokens in a request, `text_tokens` in a text (0: not known).
    `density` is how many tokens it counts for one of ours, which are those of cl100k_base or some more; `price` is in dollars a million tokens."""

    provider: str
    name: str
    dims: int
    batch: int
    batch_tokens: int
    text_tokens: int
    density: float = 1.0
    price: float | None = None


class Service(Protocol):
    """A provider's client."""

    def ask(self, texts: list[str], kind: Kind, timeout_s: float) -> Sequence[Sequence[float]]:
        """One request: a vector for each text. Raises what the client raises."""
        ...

    def read(self, raised: Exception) -> Fault | None:
        """What that means; None for a fault of ours."""
        ...


class RemoteEmbedder:
    """An `Embedder` behind a network. It costs: what it made is kept by whoever uses it."""

    costly = True

    def __init__(self, model: Model, service: Service, access: Access, clock: Clock = Clock()) -> None:  # noqa: B008 - frozen
        self._model = model
        self._service = service
        self._batch = min(access.batch, model.batch)
        self._max_cost = access.max_cost
        self._spent = 0
        terms = Terms(access.requests_a_minute, access.tokens_a_minute, access.at_once)
        name = f"{model.provider}:{model.name}"
        self._caller = Caller(name, self._read, terms, clock, access.outages, access.url)
        self._terms = self._caller.terms
        mark = f"{_FORM}:{name}:{model.dims}:{access.url}"
        self.space = Space(hashlib.sha256(mark.encode()).hexdigest(), name, model.dims)

    @property
    def caller(self) -> Caller:
        """What stands between us and the provider."""
        return self._caller

    @property
    def is_resting(self) -> bool:
        """Whether the provider is left alone at the moment, after too many failures."""
        return self._caller.is_resting

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As the protocol says. Raises InputRefused where the provider will have nothing of one of the texts, Unreachable, UsageError, AllowanceSpent."""
        import numpy as np

        vectors = np.zeros((len(texts), self.space.dims), np.float32)
        for done in self.embed_each(texts):
            for place, reason in done.refused.items():
                raise InputRefused(f"{reason}: text {place + 1} of {len(texts)}", "shorten it, or leave it out")
            vectors[list(done.places)] = done.vectors
        return vectors

    def embed_query(self, text: str) -> Vector:
        """As the protocol says, within seconds. Raises as `embed_documents`."""
        import numpy as np

        if not text.strip():
            return np.zeros(self.space.dims, np.float32)
        cut, _ = self._fitting(text)
        first: Vector = self._asked([cut], "query", HURRIED)[0]
        return first

    def hurried(self) -> Self:
        """The same, each batch of documents within seconds; both share the limits and the breaker."""
        other = copy.copy(self)
        other._terms = HURRIED
        return other

    def cost(self, texts: Sequence[str]) -> Cost:
        """What the provider will count of these documents, and what it takes for that by its list of prices."""
        tokens = sum(self._tokens(self._fitting(text)[0]) for text in texts if text.strip())
        return Cost(len(texts), tokens, None if self._model.price is None else tokens * self._model.price / 1e6)

    def embed_each(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
        """Batches as they are finished. What goes wrong with the provider is raised when what was under way is in: that is paid, and given back first."""
        if self._max_cost is not None and self._model.price is None:
            raise UsageError(
                f"the price of {self._caller.provider} is not known, so no bound can be kept", "unset max_cost to embed with it"
            )
        left = self._batches(texts)
        running: set[Future[EmbeddedBatch]] = set()
        fault: ClewError | None = None
        accepted, refused = 0, 0
        pool = ThreadPoolExecutor(self._caller.terms.at_once, "clew-embedding")
        try:
            while True:
                while fault is None and len(running) < self._caller.terms.at_once:
                    if (batch := next(left, None)) is None:
                        break
                    try:
                        self._spend(texts, batch)
                    except AllowanceSpent as spent:
                        fault = spent
                        break
                    running.add(pool.submit(self._embedded, [(place, texts[place]) for place in batch]))
                if not running:
                    break
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    try:
                        done = future.result()
                    except ClewError as raised:
                        fault = fault or raised
                        continue
                    accepted, refused = accepted + len(done.places), refused + len(done.refused)
                    yield done
                    if not accepted and refused >= _HOPELESS:
                        fault = UsageError(f"{self._caller.provider} refuses every text", "check the model's name and its dimensions")
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        if fault is not None:
            raise fault

    def _spend(self, texts: Sequence[str], batch: Sequence[int]) -> None:
        if self._max_cost is None or self._model.price is None:
            return
        tokens = sum(self._tokens(texts[place]) for place in batch)
        if (self._spent + tokens) * self._model.price / 1e6 > self._max_cost:
            raise AllowanceSpent(
                f"embedding stopped at the bound of {self._max_cost:g} dollars", "raise max_cost, and run `clew index` again"
            )
        self._spent += tokens

    def _batches(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Places of the texts, in order, as many as go into one request."""
        batch: list[int] = []
        size = 0
        for place, text in enumerate(texts):
            tokens = min(self._tokens(text), self._model.text_tokens or self._model.batch_tokens)
            if batch and (len(batch) >= self._batch or size + tokens > self._model.batch_tokens):
                yield batch
                batch, size = [], 0
            batch.append(place)
            size += tokens
        if batch:
            yield batch

    def _embedded(self, batch: list[tuple[int, str]]) -> EmbeddedBatch:
        """One batch; where the provider refuses it, its halves, until what it refuses is alone."""
        import numpy as np

        fitting = [self._fitting(text) for _, text in batch]
        truncated = sum(was_cut for _, was_cut in fitting)
        filled = [at for at, (text, _) in enumerate(fitting) if text.strip()]
        vectors = np.zeros((len(batch), self.space.dims), np.float32)
        try:
            if filled:
                vectors[filled] = self._asked([fitting[at][0] for at in filled], "document", self._terms)
        except InputRefused as no:
            if len(batch) == 1:
                return self._shortened(batch[0], no)
            middle = len(batch) // 2
            return _joined(self._embedded(batch[:middle]), self._embedded(batch[middle:]))
        return EmbeddedBatch(tuple(place for place, _ in batch), vectors, truncated=truncated)

    def _shortened(self, one: tuple[int, str], no: InputRefused) -> EmbeddedBatch:
        """A text that was refused: its first half, where the model's limit is not known and this may be it; else nothing."""
        import numpy as np

        place, text = one
        while not self._model.text_tokens and self._tokens(text) > _SHORTEST:
            text = _first(text, count_tokens(text) // 2)
            try:
                return EmbeddedBatch((place,), self._asked([text], "document", self._terms), truncated=1)
            except InputRefused:
                continue
        return EmbeddedBatch((), np.zeros((0, self.space.dims), np.float32), {place: no.message})

    def _asked(self, texts: list[str], kind: Kind, terms: Terms) -> Vectors:
        tokens = sum(map(self._tokens, texts))
        return self._caller.call(lambda timeout: self._rows(self._service.ask(texts, kind, timeout), len(texts)), tokens, terms=terms)

    def _rows(self, answered: Sequence[Sequence[float]], wanted: int) -> Vectors:
        """The answer, checked, at length 1."""
        import numpy as np

        if len(answered) != wanted:
            raise _IllAnswer(f"{len(answered)} vectors for {wanted} texts")
        for row in answered:
            if len(row) != self.space.dims:
                raise UsageError(
                    f"{self._caller.provider} answers with {len(row)} numbers a vector, not {self.space.dims}",
                    f"set the embedder to {self._caller.provider}@{len(row)}, and index anew",
                )
        rows = np.array(answered, np.float32)
        if not np.isfinite(rows).all():
            raise InputRefused(f"{self._caller.provider} answers with what is no number", "leave its file out")
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows /= np.where(lengths > 0, lengths, 1)
        return rows

    def _read(self, raised: Exception) -> Fault | None:
        return Fault("outage", str(raised)) if isinstance(raised, _IllAnswer) else self._service.read(raised)

    def _tokens(self, text: str) -> int:
        return int(count_tokens(text) * self._model.density) + 1

    def _fitting(self, text: str) -> tuple[str, bool]:
        """The text, or as much of its beginning as the model reads, and whether it was cut. A lone surrogate is no text to any provider."""
        clean = text.encode("utf-8", "replace").decode("utf-8")
        most = self._model.text_tokens
        if not most or len(clean) < most or self._tokens(clean) <= most:
            return clean, False
        return _first(clean, int(most / self._model.density) - 1), True


class _IllAnswer(Exception):
    """An answer that is none; another attempt may bring one."""


def _first(text: str, tokens: int) -> str:
    """The longest beginning of so many tokens at most."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_tokens(text[:middle]) <= tokens else (low, middle - 1)
    return text[:low]


def _joined(one: EmbeddedBatch, other: EmbeddedBatch) -> EmbeddedBatch:
    import numpy as np

    vectors = np.concatenate((one.vectors, other.vectors))
    return EmbeddedBatch(one.places + other.places, vectors, {**one.refused, **other.refused}, one.truncated + other.truncated)


def known_dims(name: str, wanted: int | None, default: int, allowed: Callable[[int], bool], said: str) -> int:
    """The vectors' length: the model's own, or another that it can make. Raises UsageError for any other."""
    if wanted is not None and not allowed(wanted):
        raise UsageError(f"{name} makes no vectors of {wanted} numbers", f"choose {said}")
    return wanted or default
