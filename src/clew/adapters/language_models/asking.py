"""What if a model is asked by somebody else, such as the client of a server? A model that hands each question on as text, and takes a text for its reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from clew.adapters.language_models.agent import AgentModel


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is to be said to a model: instructions, turns, and how many tokens its reply may have."""

    instructions: str
    turns: tuple[Said, ...]
    max_tokens: int


def handing_on(name: str, ask: Callable[[Prompt], Awaitable[str]]) -> AgentModel:
    """A `LanguageModel` whose questions somebody else has answered; the shape is described in words, since nothing but text comes back."""
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    async def reply(messages: list[Any], info: Any) -> Any:
        turns = tuple(Said("assistant" if message.kind == "response" else "user", _text(message)) for message in messages)
        most = (info.model_settings or {}).get("max_tokens", 1_000)
        return ModelResponse(parts=[TextPart(await ask(Prompt(info.instructions or "", turns, most)))])

    return AgentModel(name, FunctionModel(reply, model_name=name), in_words=True)


def _text(message: Any) -> str:
    """All that a message says."""
    parts = (
        part.model_response() if part.part_kind == "retry-prompt" else part.content for part in message.parts if hasattr(part, "content")
    )
    return "\n".join(str(part) for part in parts)
