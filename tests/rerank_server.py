"""What answers as Voyage's and Cohere's rerankers do? Strict handlers for the server of providers, as the public documentation says.

A text's relevance is the share of the question's words that it holds. `plan` and `key` are the server's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.provider_server import SERVED, Answer, ProviderServer, Refused, Seen

from clew.core.words import terms

VOYAGE = {"rerank-2.5": 32_000, "rerank-2.5-lite": 32_000, "rerank-2": 16_000, "rerank-2-lite": 8_000}
COHERE = {"rerank-v3.5", "rerank-v4.0-pro", "rerank-v4.0-fast"}


def _check(right: bool, said: str, status: int = 400) -> None:
    if not right:
        raise Refused(status, said)


def _texts(body: Any, known: set[str], most: int) -> tuple[str, list[str]]:
    _check(isinstance(body, dict) and set(body) <= known, f"fields are {sorted(known)}")
    question, texts = body.get("query"), body.get("documents")
    _check(isinstance(question, str) and bool(question), "query must be a non-empty string")
    _check(isinstance(texts, list) and 1 <= len(texts) <= most and all(isinstance(one, str) and one for one in texts), "documents")
    return question, texts


def _ranked(question: str, texts: list[str], answer: Answer) -> list[tuple[int, float]]:
    asked = set(terms(question))
    found = [(place, len(asked & set(terms(text))) / (len(asked) or 1)) for place, text in enumerate(texts)]
    found.sort(key=lambda one: (-one[1], one[0]))
    return found[: len(found) - answer.missing]


def voyage(server: ProviderServer, headers: Mapping[str, str], seen: Seen, answer: Answer) -> Any:
    """docs.voyageai.com, Rerankers."""
    _check(headers.get("authorization") == f"Bearer {server.key}", "Provided API key is invalid.", 401)
    question, texts = _texts(seen.body, {"query", "documents", "model", "top_k", "return_documents", "truncation"}, 1_000)
    _check(seen.body.get("model") in VOYAGE, f"Model {seen.body.get('model')} is not supported.")
    _check(seen.body.get("truncation") in (True, False, None), "truncation")
    server.pay(seen, texts)
    data = [{"index": place, "relevance_score": score} for place, score in _ranked(question, texts, answer)]
    return {"object": "list", "data": data, "model": seen.body["model"], "usage": {"total_tokens": 1}}


def cohere(server: ProviderServer, headers: Mapping[str, str], seen: Seen, answer: Answer) -> Any:
    """docs.cohere.com, API v2, Rerank."""
    _check(headers.get("authorization") == f"Bearer {server.key}", "invalid api token", 401)
    question, texts = _texts(seen.body, {"model", "query", "documents", "top_n", "max_tokens_per_doc", "priority"}, 1_000)
    _check(seen.body.get("model") in COHERE, f"model '{seen.body.get('model')}' not found", 404)
    server.pay(seen, texts)
    results = [{"index": place, "relevance_score": score} for place, score in _ranked(question, texts, answer)]
    return {"id": "1", "results": results, "meta": {"api_version": {"version": "2"}}}


SERVED["/voyage/v1/rerank"] = voyage
SERVED["/cohere/v2/rerank"] = cohere
