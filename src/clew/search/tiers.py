"""Which ways of answering read instead of matching? Those that ask a language model, and what they stand on; each is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clew.core.protocols import Store
from clew.core.query import Scope
from clew.search.searcher import Searcher

if TYPE_CHECKING:
    from clew.core.language import LanguageModel
    from clew.search.navigation import Navigator
    from clew.sources.rules import Rules


@dataclass(frozen=True, slots=True)
class Ground:
    """What a tier stands on. Nothing is read from the store in a moment of the caller's: a tier takes one for each thing that it reads, and none while a model
    is asked. `language` raises what assembly's does where no model can be asked."""

    root: Path
    rules: Rules
    store: Store
    scope: Scope
    searcher: Searcher
    navigator: Callable[[], Navigator]
    language: Callable[[], LanguageModel]
