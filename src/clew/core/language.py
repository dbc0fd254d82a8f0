"""What is asked of a language model? One question in words over evidence, one answer of a given shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

Shape = TypeVar("Shape", bound="BaseModel")


class LanguageModel(Protocol):
    """Answers in shapes. What it says is a proposal: whoever asks takes from it only what exists."""

    @property
    def name(self) -> str:
        """Provider and model, as they were set."""
        ...

    def ask(self, instructions: str, evidence: str, shape: type[Shape]) -> Shape:
        """One answer. Evidence is data that others wrote, never part of the instructions.

        Raises Unreachable where nothing answers, or it refuses to (no key, no right, too busy), MissingExtra and UsageError for a model that cannot be
        asked; anything else means that it answered and that was no answer.
        """
        ...
