"""How does Cohere rerank, and whoever speaks as it does? By its own client, as docs.cohere.com says of version 2 (read in 2026)."""

from __future__ import annotations

from collections.abc import Sequence

from clew.adapters.calling import Fault, by_status, retry_after
from clew.adapters.rerankers.remote import RemoteReranker
from clew.core.embedding import Access
from clew.errors import MissingExtra, UsageError

DEFAULT = "rerank-v3.5"
_NO_KEY = "none"
"""What a server without keys is told, since the client insists on one."""


def load(model: str, access: Access) -> RemoteReranker:
    """A model of Cohere's, or of a server of one's own; nothing is asked yet. Raises MissingExtra, and UsageError for Cohere's own without a key."""
    try:
        import cohere
    except ImportError as fault:
        raise MissingExtra("cohere: needs the package cohere", "pip install 'clew[cohere]'") from fault
    if not access.key and not access.url:
        raise UsageError("cohere: needs a key", "set CO_API_KEY")
    name = model or DEFAULT

    def ask(question: str, texts: list[str], seconds: float) -> Sequence[tuple[int, float]]:
        client = cohere.ClientV2(access.key or _NO_KEY, base_url=access.url or None, timeout=seconds, max_retries=0)
        found = client.rerank(model=name, query=question, documents=texts)
        return [(one.index, one.relevance_score) for one in found.results]

    return RemoteReranker(f"cohere:{name}", ask, read_cohere, access)


def read_cohere(raised: Exception) -> Fault | None:
    """What a fault of the package cohere means, which lets some of httpx's through."""
    from cohere.core.api_error import ApiError
    from httpx import HTTPError, TimeoutException

    if isinstance(raised, ApiError):
        status = raised.status_code or 0
        return by_status(status, retry_after(raised.headers)) if status >= 400 else Fault("outage", "an answer that cannot be read")
    if isinstance(raised, TimeoutException):
        return Fault("outage", "no answer in time")
    if isinstance(raised, HTTPError):
        return Fault("outage", "no connection")
    return (
        Fault("outage", "an answer that cannot be read") if isinstance(raised, ValueError | TypeError | KeyError | AttributeError) else None
    )
