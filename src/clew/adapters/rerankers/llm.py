"""How does a language model rerank? It is shown the beginnings of all texts at once, and names those that answer, best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from clew.core.language import Allowance, Usage

if TYPE_CHECKING:
    from clew.core.language import LanguageModel

SHOWN = 700
"""Characters of a text: path, name, signature and the first lines say what it is about; 50 of them are 9,000 tokens."""
_INSTRUCTIONS = (
    "Numbered pieces of a code base follow a question. Give the numbers of those pieces that answer the question, the best first, at most "
    "twenty. Leave out what has nothing to do with it."
)
_REQUESTS, _READ, _WRITTEN = 2, 60_000, 1_000


class LanguageReranker:
    """A `Reranker` over a language model. What it does not name keeps its order, after what it names."""

    def __init__(self, language: Callable[[], LanguageModel]) -> None:
        self._language = language

    @property
    def name(self) -> str:
        """The language model's."""
        return f"llm:{self._language().name}"

    def relevance(self, question: str, texts: Sequence[str], seconds: float) -> Sequence[float]:
        """As the protocol says. Raises as `LanguageModel.ask`."""
        from pydantic import BaseModel, Field

        class Order(BaseModel):
            """The numbers of the pieces that answer, best first."""

            best: list[int] = Field(default_factory=list, max_length=100)

        pieces = "\n\n".join(f"[{number}]\n{text[:SHOWN]}" for number, text in enumerate(texts, start=1))
        allowance = Allowance(Usage(_REQUESTS, _READ, _WRITTEN), seconds)
        order = self._language().ask(_INSTRUCTIONS, f"Question: {question}\n\n{pieces}", Order, allowance)
        named = [number - 1 for number in dict.fromkeys(order.best) if 1 <= number <= len(texts)]
        scores = [0.0] * len(texts)
        for place, text in enumerate(named):
            scores[text] = 1.0 - place / (len(named) + 1)
        return scores
