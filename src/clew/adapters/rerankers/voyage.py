"""How does Voyage rerank? By its own client, as docs.voyageai.com says (read in 2026)."""

from __future__ import annotations

from collections.abc import Sequence

from clew.adapters.embedders.voyage import read_voyage
from clew.adapters.rerankers.remote import RemoteReranker
from clew.core.embedding import Access
from clew.errors import MissingExtra, UsageError

DEFAULT = "rerank-2.5"
_NO_KEY = "none"
"""What a server without keys is told, since the client insists on one."""


def load(model: str, access: Access) -> RemoteReranker:
    """A model of Voyage's; nothing is asked yet. Raises MissingExtra, and UsageError without a key."""
    try:
        from voyageai.client import Client
    except ImportError as fault:
        raise MissingExtra("voyage: needs the package voyageai", "pip install 'clew[voyage]'") from fault
    if not access.key and not access.url:
        raise UsageError("voyage: needs a key", "set VOYAGE_API_KEY")
    name = model or DEFAULT

    def ask(question: str, texts: list[str], seconds: float) -> Sequence[tuple[int, float]]:
        client = Client(api_key=access.key or _NO_KEY, max_retries=0, timeout=seconds, base_url=access.url or None)
        found = client.rerank(question, texts, model=name, truncation=True)
        return [(one.index, one.relevance_score) for one in found.results]

    return RemoteReranker(f"voyage:{name}", ask, read_voyage, access)
