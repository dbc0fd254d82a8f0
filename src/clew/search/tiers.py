"""Which ways of answering read instead of matching? Those that ask a language model, and what they stand on; each is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clew.core.answer import Written
from clew.core.protocols import Store
from clew.core.query import Scope
from clew.errors import UsageError
from clew.search.searcher import Searcher

if TYPE_CHECKING:
    from clew.core.answer import Question, Result
    from clew.core.language import LanguageModel
    from clew.search.linking import Told
    from clew.search.navigation import Checked, Navigator
    from clew.search.searcher import Found
    from clew.sources.rules import Rules

TIERS = frozenset(["standard", "deep"])
"""Modes that are answered here."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a tier stands on. Nothing is read from the store in a moment of the caller's: a tier takes one for each thing that it reads, and none while a model
    is asked. `language` raises what assembly's does where no model can be asked; `seconds` is how long a question may wait for it in all; `summaries` are
    sentences by path, a folder's with a `/` at its end. `rounds` and `tokens` are what mode deep may ask and read; `goes_deep` says whether mode auto
    may go on to it."""

    root: Path
    rules: Rules
    store: Store
    scope: Scope
    searcher: Searcher
    navigator: Callable[[], Navigator]
    language: Callable[[], LanguageModel]
    seconds: float
    summaries: Callable[[], Mapping[str, str]]
    rounds: int = 15
    tokens: int = 60_000
    goes_deep: bool = False

    def plain(self, question: Question, known: Told | None = None) -> Found:
        """What search without a model finds."""
        with self.store.moment():
            return self.searcher.search(self.scope, question, known)


def answered(ground: Ground, question: Question, known: Told | None = None) -> Found:
    """The answer of the tier that the question's mode names; for auto what is found (and `known` of a relation), and where that is not sure enough, what the model
    makes of it."""
    if question.mode == "deep":
        from clew.search.deep.deep import deep  # as below

        return deep(ground, question)
    from clew.search.traversal.cascade import cascade  # pydantic, which no other search needs
    from clew.search.traversal.standard import standard

    return standard(ground, question) if question.mode == "standard" else cascade(ground, question, ground.plain(question, known))


def written(ground: Ground, question: Question, step: Callable[[str], None] | None) -> Found:
    """What mode deep finds, each of its moves told as it is made."""
    from clew.search.deep.deep import deep  # pydantic, which no other search needs
    from clew.search.deep.reading import unheard

    return deep(ground, question, step or unheard)


def to_written(text: str, found: Found, results: tuple[Result, ...], fresh: Checked) -> Written:
    """What was found, as an answer in words; with the results of search where reading found nothing."""
    return Written(
        text,
        found.synthesis,
        found.evidence,
        found.missing,
        () if found.evidence else results,
        tuple(dict.fromkeys((*fresh.warnings, *found.warnings))),
        found.steps,
        found.reasons[0] if found.reasons else "",
        fresh.stale,
    )


def no_language() -> LanguageModel:
    """What an engine without a language model has in its place."""
    raise UsageError(
        "no language model is set", "set one: CLEW_LLM=openai:gpt-5-mini, or CLEW_LLM_URL and the model of a server of your own"
    )
