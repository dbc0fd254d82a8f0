"""How does Gemini embed? By Google's client; what a text is for is said in the text itself (ai.google.dev, read in 2026)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from clew.adapters.calling import Fault, by_status, retry_after
from clew.adapters.embedders.remote import Kind, Model, RemoteEmbedder, known_dims
from clew.core.embedding import Access
from clew.errors import MissingExtra, UsageError

MODELS = {"gemini-embedding-2": (8_192, 0.20), "gemini-embedding-001": (2_048, 0.15)}
"""Tokens of a text, and dollars a million tokens."""
LONGEST, SHORTEST = 3072, 128
DEFAULT = "gemini-embedding-2"
VERSION = "v1beta"
"""The version of the protocol that the documentation shows."""
BEFORE = {"document": "title: none | text: ", "query": "task: code retrieval | query: "}
"""What gemini-embedding-2 reads before a text; it has no types of task."""
TASKS = {"document": "RETRIEVAL_DOCUMENT", "query": "CODE_RETRIEVAL_QUERY"}
"""Those of gemini-embedding-001."""
_BATCH, _BATCH_TOKENS = 100, 200_000
_DENSITY = 1.3
"""Its tokenizer is another one than cl100k_base; what is cut by this is not refused."""
_PREFIX_TOKENS = 16


def load(model: str, dims: int | None, access: Access) -> RemoteEmbedder:
    """A model of Gemini's; nothing is asked yet. Raises MissingExtra, and UsageError for a length that it does not have, or without a key."""
    try:
        from google import genai
        from google.genai import types
    except ImportError as fault:
        raise MissingExtra("gemini: needs the package google-genai", "pip install 'clew[gemini]'") from fault
    name = model or DEFAULT
    if not access.key:
        raise UsageError("gemini: needs a key", "set GEMINI_API_KEY")
    tokens, price = MODELS.get(name, (2_048, None))
    length = known_dims(f"gemini:{name}", dims, LONGEST, lambda one: SHORTEST <= one <= LONGEST, f"{SHORTEST} to {LONGEST}")
    options = types.HttpOptions(base_url=access.url or None, api_version=VERSION, retry_options=types.HttpRetryOptions(attempts=1))
    client = genai.Client(api_key=access.key, vertexai=False, http_options=options)
    known = Model("gemini", name, length, _BATCH, _BATCH_TOKENS, tokens - _PREFIX_TOKENS, _DENSITY, price)
    return RemoteEmbedder(known, _Gemini(client, name, length), access)


class _Gemini:
    """A client, and what its faults mean."""

    def __init__(self, client: Any, model: str, dims: int) -> None:
        self._client = client
        self._model = model
        self._dims = dims

    def ask(self, texts: list[str], kind: Kind, timeout_s: float) -> Sequence[Sequence[float]]:
        from google.genai import types

        has_tasks = self._model == "gemini-embedding-001"
        before = "" if has_tasks else BEFORE[kind]
        config = types.EmbedContentConfig(
            task_type=TASKS[kind] if has_tasks else None,
            output_dimensionality=self._dims,
            http_options=types.HttpOptions(timeout=max(int(timeout_s * 1000), 1)),
        )
        contents = [types.Content(parts=[types.Part(text=before + text)]) for text in texts]  # plain strings would become one vector
        answer = self._client.models.embed_content(model=self._model, contents=contents, config=config)
        return [one.values for one in answer.embeddings or []]

    def read(self, raised: Exception) -> Fault | None:
        from google.genai import errors

        if isinstance(raised, errors.APIError):
            status = int(raised.code or 500)
            if status == 400 and "API_KEY" in str(raised.details):
                return Fault("key", "status 400")
            return by_status(status, _asked_to_wait(raised))
        kinds = {one.__name__ for one in type(raised).__mro__}
        if "TimeoutException" in kinds or "TimeoutError" in kinds:
            return Fault("outage", "no answer in time")
        if "TransportError" in kinds or isinstance(raised, OSError):
            return Fault("outage", "no connection")
        return Fault("outage", "an answer that cannot be read") if isinstance(raised, ValueError | TypeError | AttributeError) else None


def _asked_to_wait(raised: Any) -> float | None:
    """What the header says, or a detail of the answer: "retryDelay": "7s"."""
    found = re.search(r"retryDelay\W+(\d+(?:\.\d+)?)s", str(raised.details))
    return retry_after(getattr(raised.response, "headers", {})) or (float(found[1]) if found else None)
