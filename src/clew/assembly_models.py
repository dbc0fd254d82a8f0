"""Which models stand beside the one that embeds? Those that answer while it cannot, and what spares calls of all."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from clew.adapters.access import access
from clew.core.protocols import Embedder
from clew.index.models import Fallback
from clew.plugins import load_embedder
from clew.settings import Settings, user_cache_folder

if TYPE_CHECKING:
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
