"""Which client belongs to a model's name? OpenAI's, Anthropic's, Google's, at their own addresses or another; whatever else pydantic-ai knows by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clew.adapters.language_models.bounding import bounded_client
from clew.errors import MissingExtra, Unreachable, UsageError

ALIASES = {"gemini": "google", "google-gla": "google"}
EXTRAS = {"openai": "clew[llm]", "anthropic": "clew[llm,anthropic]", "google": "clew[llm,gemini]"}
"""What to install for a provider."""
_NO_KEY = "none"
"""What a server without keys is told, since the clients insist on one."""


def model_of(spec: str, url: str, key: str, kept: Callable[[str], str | None]) -> Any:
    """The model of pydantic-ai that `provider:model` names, at a `url` where there is one, with the `key`, else the provider's own variable, else the `kept` one.

    Raises UsageError for a name or address that is none, MissingExtra where a package is not installed, Unreachable where there is no key.
    """
    provider, colon, model = spec.partition(":")
    if not (provider and colon and model):
        raise UsageError(f"{spec!r} names no language model", "give provider:model, such as openai:gpt-5-mini")
    if url and not url.startswith(("http://", "https://")):
        raise UsageError("the address of the language model is none", "give one like http://localhost:11434/v1")
    provider = ALIASES.get(provider, provider)
    try:
        if url:
            return _client("openai" if speaks_as_openai(spec) else provider, model, url, key or kept(url) or _NO_KEY)
        return _at_home(provider, model, key, kept)
    except ImportError as fault:
        extra = EXTRAS.get(provider, "clew[llm]" if fault.name == "pydantic_ai" else f"pydantic-ai-slim[{provider}]")
        raise MissingExtra(f"a language model is set, and the client of {provider!r} is not installed", f"pip install '{extra}'") from fault


def speaks_as_openai(spec: str) -> bool:
    """Whether a server of the user's own with this model is asked as OpenAI's is: whatever is not said to speak otherwise."""
    provider = spec.partition(":")[0]
    provider = ALIASES.get(provider, provider)
    return provider == "openai" or provider not in _CLIENTS


def _at_home(provider: str, model: str, key: str, kept: Callable[[str], str | None]) -> Any:
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model

    if key and provider in _CLIENTS:
        return _client(provider, model, "", key)
    try:
        return infer_model(f"{provider}:{model}")
    except (UserError, ValueError) as fault:
        if "Unknown" in str(fault):
            raise UsageError(f"the language model '{provider}:{model}' is not known", "its providers are those of pydantic-ai") from fault
        if provider in _CLIENTS and (found := kept(provider)):
            return _client(provider, model, "", found)
        hint = f"set it in the environment, as the provider says, or keep it: keyring set clew {provider}"
        raise Unreachable(f"the provider {provider!r} cannot be asked: its key is not set", hint) from fault


def _client(provider: str, model: str, url: str, key: str) -> Any:
    return _CLIENTS[provider](model, url or None, key)


def _openai(model: str, url: str | None, key: str) -> Any:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIChatModel(model, provider=OpenAIProvider(api_key=key, base_url=url, http_client=bounded_client()))


def _anthropic(model: str, url: str | None, key: str) -> Any:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return AnthropicModel(model, provider=AnthropicProvider(api_key=key, base_url=url, http_client=bounded_client()))


def _google(model: str, url: str | None, key: str) -> Any:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(model, provider=GoogleProvider(api_key=key, base_url=url, http_client=bounded_client()))


_CLIENTS: dict[str, Callable[[str, str | None, str], Any]] = {"openai": _openai, "anthropic": _anthropic, "google": _google}
