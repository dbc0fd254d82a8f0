"""Which models stand beside the one that embeds? Those that answer while it cannot, and what spares calls of all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from clew.adapters.access import access, outages, sendable_key, url_of
from clew.core.protocols import Embedder
from clew.errors import UsageError
from clew.index.models import Fallback
from clew.plugins import load_embedder, load_reranker
from clew.search.reranking import Reranking
from clew.settings import PROJECT_FILE, Settings, is_from_project, is_trusted, user_cache_folder

if TYPE_CHECKING:
    from clew.core.embedding import Access
    from clew.core.language import LanguageModel
    from clew.core.protocols import Reranker
    from clew.stores.question_vectors import QuestionVectors

EMBEDDINGS = "embeddings.db"
NO_FALLBACK = "none"
"""What a list in the environment says where one in a file is empty."""


def remembered(made: Embedder) -> Embedder:
    """The embedder, which one that calls itself costly shares with the user's other projects: what was embedded for one is known to all."""
    if not getattr(made, "costly", False):
        return made
    from clew.adapters.embedders.remembering import RememberingEmbedder  # numpy, which no search by words needs

    return RememberingEmbedder(made, user_cache_folder() / EMBEDDINGS)


def asked_before(made: Embedder, questions: QuestionVectors) -> Embedder:
    """The embedder, which one that calls itself costly is spared a question that it was asked within a day."""
    if not getattr(made, "costly", False):
        return made
    from clew.adapters.embedders.asked_before import AskedBefore

    return AskedBefore(made, questions)


def fallbacks(settings: Settings, questions: QuestionVectors) -> tuple[Fallback, ...]:
    """The models that answer while the one that is set cannot, none of them twice, each loaded when it is needed."""
    settings = replace(
        settings, origins={**settings.origins, "embedder": settings.origins.get("fallback", "")}
    )  # who names it bounds its cost
    names = [name for name in dict.fromkeys(settings.fallback) if name not in (NO_FALLBACK, settings.embedder)]
    return tuple(Fallback(name, cache(partial(_fallback, settings, name, questions))) for name in names)


def _fallback(settings: Settings, name: str, questions: QuestionVectors) -> Embedder:
    return asked_before(remembered(load_embedder(name, None, partial(access, settings))), questions)


def reranking(root: Path, settings: Settings, language: Callable[[], LanguageModel]) -> Reranking | None:
    """What orders results, where a reranker is set. Unasked it is only asked where the user set it: it costs, and reads the code."""
    if not settings.reranker:
        return None
    load = cache(partial(reranker, root, settings, language))
    seconds = float(settings.rerank_timeout)
    return Reranking(load, settings.rerank_pool, seconds, unasked=not is_from_project(settings, "reranker"))


def reranker(root: Path, settings: Settings, language: Callable[[], LanguageModel]) -> Reranker:
    """The reranker that the settings name. Raises UsageError, also where a project's own file would send its reader's files elsewhere; MissingExtra."""
    provider, _, model = settings.reranker.partition(":")
    if provider == "llm":
        from clew.adapters.rerankers.llm import LanguageReranker

        if model:
            raise UsageError(f"{settings.reranker} names a language model", "set `llm` to it, and `reranker` to llm: alone")
        return LanguageReranker(language)
    url = settings.reranker_url
    if url and not is_trusted(root, settings, "reranker_url", url):
        raise UsageError(
            f"{root / PROJECT_FILE} names a reranking server on another machine: that is for you to say",
            "set CLEW_RERANKER_URL to its `reranker_url`, or put that into your own config.toml",
        )
    return load_reranker(settings.reranker, lambda name: _access(settings, name))


def _access(settings: Settings, provider: str) -> Access:
    """How the provider is reached; a project's own address is told no key."""
    from clew.core.embedding import Access

    if not settings.reranker_url:
        return Access(sendable_key(provider), url_of(provider), outages=outages())
    return Access("" if is_from_project(settings, "reranker_url") else sendable_key(provider), settings.reranker_url, outages=outages())
