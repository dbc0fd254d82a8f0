"""How does Voyage embed? By its own client; documents and questions as types of their own (docs.voyageai.com, read in 2026)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from clew.adapters.calling import Fault, by_status, retry_after
from clew.adapters.embedders.remote import Kind, Model, RemoteEmbedder, known_dims
from clew.core.embedding import Access
from clew.errors import MissingExtra, UsageError

DIMS = (256, 512, 1024, 2048)
_BATCH, _CONTEXT = 1_000, 32_000
_DENSITY = 1.25
"""Its tokenizers count up to a fifth more than OpenAI's, says its documentation."""
MODELS = {
    "voyage-4-large": (120_000, 0.12),
    "voyage-4": (320_000, 0.06),
    "voyage-4-lite": (1_000_000, 0.02),
    "voyage-code-3": (120_000, 0.18),
}
"""Tokens in a request, and dollars a million tokens."""
DEFAULT = "voyage-code-3"


def load(model: str, dims: int | None, access: Access) -> RemoteEmbedder:
    """A model of Voyage's; nothing is asked yet. Raises MissingExtra, and UsageError for a model or a length that it does not have, or without a key."""
    try:
        import voyageai
    except ImportError as fault:
        raise MissingExtra("voyage: needs the package voyageai", "pip install 'clew[voyage]'") from fault
    name = model or DEFAULT
    if not access.key:
        raise UsageError("voyage: needs a key", "set VOYAGE_API_KEY")
    tokens, price = MODELS.get(name, (120_000, None))
    length = known_dims(f"voyage:{name}", dims, 1024, lambda one: one in DIMS, f"one of {', '.join(map(str, DIMS))}")
    client = partial(voyageai.client.Client, api_key=access.key, max_retries=0, base_url=access.url or None)
    return RemoteEmbedder(Model("voyage", name, length, _BATCH, tokens, _CONTEXT, _DENSITY, price), _Voyage(client, name, length), access)


class _Voyage:
    """A client, and what its faults mean."""

    def __init__(self, client: Callable[..., Any], model: str, dims: int) -> None:
        self._client = client
        self._model = model
        self._dims = dims

    def ask(self, texts: list[str], kind: Kind, timeout_s: float) -> Sequence[Sequence[float]]:
        client = self._client(timeout=timeout_s)  # it takes none with a request; connections are its module's
        found: Sequence[Sequence[float]] = client.embed(
            texts, model=self._model, input_type=kind, truncation=True, output_dimension=self._dims
        ).embeddings
        return found

    def read(self, raised: Exception) -> Fault | None:
        return read_voyage(raised)


def read_voyage(raised: Exception) -> Fault | None:
    """What a fault of the package voyageai means."""
    from voyageai import error

    if not isinstance(raised, error.VoyageError):
        return (
            Fault("outage", "an answer that cannot be read")
            if isinstance(raised, ValueError | TypeError | KeyError | AttributeError)
            else None
        )
    if isinstance(raised, error.Timeout):
        return Fault("outage", "no answer in time")
    status = raised.http_status
    if not status:
        return Fault("key", "no key") if isinstance(raised, error.AuthenticationError) else Fault("outage", "no connection")
    if status == 400 and "odel" in str(raised.user_message) and "supported" in str(raised.user_message):
        return Fault("model", "status 400")
    return Fault("outage", "an answer that cannot be read") if status == 200 else by_status(status, retry_after(raised.headers))
