"""How is a provider reached? Its key and address from the user's environment, its limits from the settings."""

from __future__ import annotations

from pathlib import Path

from clew.core.embedding import Access
from clew.errors import UsageError
from clew.settings import EMBEDDER_KEY, Settings, is_from_project, is_on_this_machine, user_cache_folder, variable

KEYS = {
    "voyage": ("VOYAGE_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "cohere": ("CO_API_KEY", "COHERE_API_KEY"),
}
"""The variables that providers' own clients read."""
URLS = {"voyage": "VOYAGE_BASE_URL", "openai": "OPENAI_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL", "cohere": "CO_API_URL"}
"""Those that name another address for them."""

PROJECTS_COST = 1.0
"""Dollars that a project's own file may have a run spend where the user has not said a bound: 15 million tokens of the cheapest code model
are a large project; whoever only opens a stranger's repository is not billed for more."""


def access(settings: Settings, provider: str) -> Access:
    """How the settings and the environment have a provider reached.

    Raises UsageError where a project's own file would send its reader's files to another machine.
    """
    url = url_of(provider)
    if provider == "openai" and settings.embedder_url:
        if is_from_project(settings, "embedder_url") and not is_on_this_machine(settings.embedder_url):
            raise UsageError(
                "the project's clew.toml names an embedding server on another machine: that is for you to say",
                "set CLEW_EMBEDDER_URL to its `embedder_url`, or put that into your own config.toml",
            )
        key, url = "" if is_from_project(settings, "embedder_url") else variable(EMBEDDER_KEY) or "", settings.embedder_url
    else:
        key = sendable_key(provider)
    return Access(
        key,
        url,
        settings.embedder_batch,
        settings.embedder_at_once,
        settings.embedder_requests,
        settings.embedder_tokens,
        _bound(settings),
        outages(),
    )


def outages() -> Path:
    """Where this user's processes tell each other which provider is down."""
    return user_cache_folder() / "outages.db"


def key_of(provider: str) -> str:
    """The key for a provider; empty where none is set."""
    return next((key for name in KEYS.get(provider, ()) if (key := (variable(name) or "").strip())), "")


def sendable_key(provider: str) -> str:
    """The key for a provider. Raises UsageError for one that no request can carry: it would look like a provider that is down."""
    key = key_of(provider)
    if not all("!" <= one <= "~" for one in key):
        raise UsageError(
            f"the key for {provider}: holds a space, a line break or a letter that no key has", f"set {KEYS[provider][0]} again"
        )
    return key


def url_of(provider: str) -> str:
    """The address that the user's environment names for a provider; empty for the provider's own."""
    return (variable(URLS[provider]) or "").strip() if provider in URLS else ""


def _bound(settings: Settings) -> float | None:
    ours = not is_from_project(settings, "max_cost")
    said = float(settings.max_cost) if settings.max_cost else None
    if is_from_project(settings, "embedder") and (said is None or not ours):
        return PROJECTS_COST if said is None else min(said, PROJECTS_COST)
    return said
