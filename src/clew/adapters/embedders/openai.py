"""How does OpenAI embed, and whoever speaks as it does (Ollama, vLLM, TEI)? By the official client (platform.openai.com, read in 2026)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clew.adapters.calling import Fault, by_status, retry_after
from clew.adapters.embedders.remote import Kind, Model, RemoteEmbedder, known_dims
from clew.core.embedding import Access
from clew.errors import MissingExtra, UsageError

URL = "https://api.openai.com/v1"
MODELS = {"text-embedding-3-small": (1536, 0.02), "text-embedding-3-large": (3072, 0.13), "text-embedding-ada-002": (1536, 0.10)}
"""Length of a vector, and dollars a million tokens."""
SHORTENED = "text-embedding-3"
"""Models whose vectors can be asked for shorter."""
ELSEWHERE = {"nomic-embed-text": 768, "mxbai-embed-large": 1024, "bge-m3": 1024, "all-minilm": 384, "snowflake-arctic-embed": 1024}
"""Lengths of models that such servers are often asked for."""
PREFIXES = {
    "nomic-embed-text": ("search_document: ", "search_query: "),
    "mxbai-embed-large": ("", "Represent this sentence for searching relevant passages: "),
}
"""What their documentation puts before a document and a question; the protocol has no type for it."""
DEFAULT = "text-embedding-3-small"
_BATCH, _BATCH_TOKENS, _CONTEXT = 2_048, 300_000, 8_192
_NO_KEY = "none"
"""What a server without keys is told, since the client insists on one."""


def load(model: str, dims: int | None, access: Access) -> RemoteEmbedder:
    """A model of OpenAI's, or of a server at `access.url`; nothing is asked yet.

    Raises MissingExtra, and UsageError for a length that the model does not have or that is not known, for an address that is none, or without a key.
    """
    try:
        import openai
    except ImportError as fault:
        raise MissingExtra("openai: needs the package openai", "pip install 'clew[openai]'") from fault
    name = model or DEFAULT
    if access.url and not access.url.startswith(("http://", "https://")):
        raise UsageError("the address of the embedding server is none", "give one like http://localhost:11434/v1")
    if not access.key and not access.url:
        raise UsageError("openai: needs a key, or the address of a server of your own", "set OPENAI_API_KEY, or embedder_url")
    client = openai.OpenAI(api_key=access.key or _NO_KEY, base_url=access.url or URL, max_retries=0)
    known = _theirs(name, dims) if name in MODELS else _elsewhere(name, dims, is_own=bool(access.url))
    shortened = known.dims if name.startswith(SHORTENED) else None
    return RemoteEmbedder(known, _OpenAI(client, name, shortened), access)


def _theirs(name: str, dims: int | None) -> Model:
    most, price = MODELS[name]
    can = name.startswith(SHORTENED)
    said = f"1 to {most}" if can else str(most)
    length = known_dims(f"openai:{name}", dims, most, lambda one: 1 <= one <= most if can else one == most, said)
    return Model("openai", name, length, _BATCH, _BATCH_TOKENS, _CONTEXT, price=price)


def _elsewhere(name: str, dims: int | None, *, is_own: bool) -> Model:
    """A model that is not OpenAI's: of no known limit of length, and free on a server of one's own."""
    length = dims or ELSEWHERE.get(name.partition(":")[0])
    if length is None:
        raise UsageError(f"how long the vectors of openai:{name} are is not known", f"say it: openai:{name}@768")
    return Model("openai", name, length, _BATCH, _BATCH_TOKENS, 0, price=0.0 if is_own else None)


class _OpenAI:
    """A client, and what its faults mean."""

    def __init__(self, client: Any, model: str, dims: int | None) -> None:
        self._client = client
        self._model = model
        self._more = {} if dims is None else {"dimensions": dims}
        self._before = PREFIXES.get(model.partition(":")[0], ("", ""))

    def ask(self, texts: list[str], kind: Kind, timeout_s: float) -> Sequence[Sequence[float]]:
        before = self._before[kind == "query"]
        answer = self._client.embeddings.create(
            model=self._model, input=[before + text for text in texts], encoding_format="float", timeout=timeout_s, **self._more
        )
        return [one.embedding for one in sorted(answer.data, key=lambda one: one.index)]

    def read(self, raised: Exception) -> Fault | None:
        import openai

        if isinstance(raised, openai.APITimeoutError):
            return Fault("outage", "no answer in time")
        if isinstance(raised, openai.APIStatusError):
            if raised.code == "insufficient_quota":
                return Fault("key", "no credit left")
            return by_status(raised.status_code, retry_after(raised.response.headers))
        if isinstance(raised, openai.APIConnectionError):
            return Fault("outage", "no connection")
        unreadable = isinstance(raised, openai.OpenAIError | ValueError | TypeError | AttributeError)
        return Fault("outage", "an answer that cannot be read") if unreadable else None
