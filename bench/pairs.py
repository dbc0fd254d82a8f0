"""Which questions are asked of which repositories, to see whether an answer knows when there is none? Each of its own and of others."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import code_set

from clew.assembly import embedder
from clew.core.answer import Question
from clew.core.query import Scope
from clew.engine import Engine
from clew.search.confidence import Signs
from clew.search.searcher import Searcher

SEED = 7
FIRST = 5
"""Files among which a right one makes an answer right."""


@dataclass(frozen=True)
class Pair:
    """A question asked of a repository: `place` is that of the first right file, 0 where there is none among ten."""

    repository: str
    asked_of: str
    mode: str
    chance: float
    level: str
    results: int
    place: int
    signs: Signs

    @property
    def is_own(self) -> bool:
        """Whether the question is about this code."""
        return self.repository == self.asked_of

    @property
    def is_right(self) -> bool:
        """Whether the answer is worth its reading."""
        return self.is_own and 0 < self.place <= FIRST


def pairings(names: Sequence[str], rounds: int) -> Iterator[dict[str, str]]:
    """For each round, another repository for each one, the same in every run; no repository is left to itself."""
    draw = random.Random(SEED)
    for _ in range(rounds):
        order = draw.sample(list(names), len(names))
        yield dict(zip(order, [*order[1:], order[0]], strict=True))


def ask(engines: Mapping[str, Engine], questions: Mapping[str, Sequence[dict[str, Any]]], mode: str, rounds: int) -> list[Pair]:
    """Every question of every repository asked of its own, and in each round of another; pairs stay inside these repositories."""
    names = sorted(engines)
    others = list(pairings(names, rounds))
    searchers = {name: _searcher(engine) for name, engine in engines.items()}
    found: list[Pair] = []
    for name in names:
        for target in (name, *(other[name] for other in others)):
            scope = Scope((engines[target].namespace,))
            found += [_asked(searchers[target], scope, name, target, mode, question) for question in questions[name]]
    return found


def _searcher(engine: Engine) -> Searcher:
    return Searcher(engine._store, cache(lambda: embedder(engine.settings)))


def _asked(searcher: Searcher, scope: Scope, name: str, target: str, mode: str, question: dict[str, Any]) -> Pair:
    found = searcher.search(scope, Question(question["query"], mode=mode))
    files = list(dict.fromkeys(line.chunk.filepath for line in found.ranked))
    place = next((n for n, path in enumerate(files, 1) if code_set.is_right(path, question)), 0) if name == target else 0
    sure = found.confidence
    return Pair(name, target, mode, sure.chance, sure.level, len(found.ranked), place, sure.signs)
