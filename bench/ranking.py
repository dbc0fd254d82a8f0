#!/usr/bin/env python3
"""How good is the order of the answers? NDCG@10 over files for a set of questions with known answers, in one process.

    ranking.py QUERIES.jsonl WORKTREES [--half dev held] [--mode hybrid fast semantic] [--only NAME …] [--ablate] [--show N] [--cache DIR]

A line of QUERIES has `id`, `repo` (a folder in WORKTREES), `query`, `category` and `gold`, a list of {path, start_line?, end_line?}; with a `symbol`,
the definition that it asks for, it is also told how often that is what stands for the right file.
Each repository is indexed once into --cache; what the legs of the store answer is remembered, so that rules are compared on equal hits in seconds.
Rules are made and weighed on the repositories of DEV alone; HELD says what they are worth elsewhere. Intervals are 95%, by drawing repositories.
`--ablate` measures every rule, and the sum of chunks, by leaving it out; `--show N` prints the N worst questions of DEV with what came first.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache as cached
from functools import partial
from pathlib import Path
from typing import Any

from clew.assembly import embedder, open_engine
from clew.core.answer import Question, Ranked
from clew.core.query import Scope
from clew.search import rules, searcher
from clew.search.searcher import Searcher

DEPTH = 10
LIMIT = 30
DRAWS = 2000
"""Samples of repositories behind an interval."""
DEV = frozenset("aeson aiohttp axios circe flask gin guzzle httpx lazy.nvim nvm plug rack redux requests serde zod".split())
"""What rules are made on; the questions of all other repositories were never read."""


class Remembering:
    """A store that answers the same question from memory the second time."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self._memory: dict[Any, Any] = {}

    def spaces(self, namespace: str) -> Any:
        return self._store.spaces(namespace)

    def statistics(self, scope: Scope, terms: Iterable[str]) -> Any:
        return self._remembered("statistics", scope, tuple(sorted(terms)))

    def keywords(self, *arguments: Any) -> Any:
        return self._remembered("keywords", *arguments)

    def named(self, scope: Scope, names: Iterable[str], *rest: Any) -> Any:
        return self._remembered("named", scope, tuple(names), *rest)

    def outline(self, *arguments: Any) -> Any:
        return self._remembered("outline", *arguments)

    def at(self, *arguments: Any) -> Any:
        return self._remembered("at", *arguments)

    def nearest(self, scope: Scope, space: Any, vector: Any, *rest: Any) -> Any:
        key = ("nearest", scope, space.fingerprint, vector.tobytes(), *rest)
        if key not in self._memory:
            self._memory[key] = self._store.nearest(scope, space, vector, *rest)
        return self._memory[key]

    def chunks(self, scope: Scope, keys: Iterable[tuple[str, str]]) -> Any:
        return self._remembered("chunks", scope, tuple(keys))

    def _remembered(self, name: str, *arguments: Any) -> Any:
        key = (name, *arguments)
        if key not in self._memory:
            self._memory[key] = getattr(self._store, name)(*arguments)
        return self._memory[key]


@dataclass(frozen=True)
class Corpus:
    """An indexed repository and its questions."""

    name: str
    store: Any
    embedder: Any
    scope: Scope
    questions: Sequence[dict[str, Any]]

    def answers(self, mode: str, chosen: Sequence[rules.Rule] = rules.RULES) -> Iterator[tuple[dict[str, Any], tuple[Ranked, ...]]]:
        searcher = Searcher(self.store, self.embedder, chosen)
        for question in self.questions:
            yield question, searcher.search(self.scope, Question(question["query"], mode=mode, limit=LIMIT)).ranked


def half_of(repo: str) -> str:
    return "dev" if repo in DEV else "held"


def corpora(queries: Path, worktrees: Path, cache: Path, only: Sequence[str], halves: Sequence[str]) -> list[Corpus]:
    """Every repository of these halves that has a work tree, indexed."""
    by_repo = defaultdict(list)
    for line in queries.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            question = json.loads(line)
            by_repo[question["repo"]].append(question)
    found = []
    for name, questions in sorted(by_repo.items()):
        if (only and name not in only) or half_of(name) not in halves or not (worktrees / name).is_dir():
            continue
        engine = open_engine(worktrees / name, {"index_dir": str(cache / name)})
        engine.index()
        found.append(
            Corpus(name, Remembering(engine._store), cached(partial(embedder, engine.settings)), Scope((engine.namespace,)), questions)
        )
    return found


def ndcg(question: dict[str, Any], ranked: Sequence[Ranked]) -> float:
    """Binary gains over files, or over chunks where an answer has lines."""
    gold = question["gold"]
    places = [(r.chunk.filepath, r.chunk.line_start, r.chunk.line_end) for r in ranked]
    if not any("start_line" in target for target in gold):
        places = list(dict.fromkeys((path, 0, math.inf) for path, _, _ in places))
    ranks = [rank for target in gold if (rank := _rank(places[:DEPTH], target))]
    ideal = sum(1 / math.log2(i + 2) for i in range(min(DEPTH, len(gold))))
    return sum(1 / math.log2(rank + 1) for rank in set(ranks)) / ideal


def _rank(places: Sequence[tuple[str, float, float]], target: dict[str, Any]) -> int | None:
    for rank, (path, start, end) in enumerate(places, 1):
        fits = path == target["path"] or target["path"].endswith("/" + path) or path.endswith("/" + target["path"])
        if fits and end >= target.get("start_line", 0) and start <= target.get("end_line", math.inf):
            return rank
    return None


@dataclass(frozen=True)
class Score:
    """Means over repositories, and each question's own; `repos` are the questions of each repository."""

    by_repo: dict[str, float]
    by_category: dict[str, float]
    each: dict[str, float]
    repos: dict[str, list[str]]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.by_repo.values())

    @property
    def interval(self) -> tuple[float, float]:
        return _interval(list(self.by_repo.values()))


def _interval(values: Sequence[float]) -> tuple[float, float]:
    """Where 95% of the means of as many values, drawn from these with replacement, lie."""
    draw = random.Random(0)
    means = sorted(statistics.fmean(draw.choices(values, k=len(values))) for _ in range(DRAWS))
    return means[DRAWS // 40], means[DRAWS - 1 - DRAWS // 40]


def measure(found: Sequence[Corpus], mode: str, chosen: Sequence[rules.Rule] = rules.RULES) -> Score:
    by_repo, by_category, each = {}, defaultdict(list), {}
    for corpus in found:
        scores = {}
        for question, ranked in corpus.answers(mode, chosen):
            scores[question["id"]] = ndcg(question, ranked)
            by_category[question["category"]].append(scores[question["id"]])
        by_repo[corpus.name] = statistics.fmean(scores.values())
        each |= scores
    categories = {name: statistics.fmean(values) for name, values in sorted(by_category.items())}
    return Score(by_repo, categories, each, {corpus.name: [question["id"] for question in corpus.questions] for corpus in found})


def right_places(found: Sequence[Corpus], mode: str) -> tuple[int, float]:
    """Of the questions with a `symbol` whose file is found, how many there are, and where the file's first line is that definition."""
    hits = []
    for corpus in found:
        for question, ranked in corpus.answers(mode):
            wanted = question.get("symbol")
            lines = [line.chunk.symbol_name for line in ranked if wanted and line.chunk.filepath == question["gold"][0]["path"]]
            hits += [lines[0].replace("::", ".").replace("#", ".") == wanted.replace("::", ".").replace("#", ".")] if lines else []
    return len(hits), statistics.fmean(hits) if hits else 0.0


def ablate(found: Sequence[Corpus], mode: str) -> None:
    """Each rule left out, then the sum over a file's chunks."""
    whole = measure(found, mode)
    print(f"{mode}: all rules {whole.mean:.4f}")
    for rule in rules.RULES:
        difference(f"without {rule.name}", whole, measure(found, mode, [r for r in rules.RULES if r is not rule]))
    before = searcher.FILE_DISCOUNT, searcher.DISCOUNT_BESIDE_VECTORS
    searcher.FILE_DISCOUNT = searcher.DISCOUNT_BESIDE_VECTORS = 0.0
    difference("a file's best chunk only", whole, measure(found, mode))
    searcher.FILE_DISCOUNT, searcher.DISCOUNT_BESIDE_VECTORS = before


def difference(title: str, whole: Score, part: Score) -> None:
    """The change of the mean over repositories, its paired standard error, and how many repositories gained and lost."""
    changes = [part.by_repo[name] - score for name, score in whole.by_repo.items()]
    errors = [_squared_error([part.each[id_] - whole.each[id_] for id_ in ids]) for ids in whole.repos.values()]
    gained, lost = sum(change > 1e-9 for change in changes), sum(change < -1e-9 for change in changes)
    error = math.sqrt(sum(errors)) / len(errors)
    print(f"  {title:28s} {part.mean:.4f}  {part.mean - whole.mean:+.4f} ± {error:.4f}  (+{gained} -{lost} repositories)", flush=True)


def _squared_error(changes: Sequence[float]) -> float:
    """The variance of the mean of a repository's questions."""
    return statistics.variance(changes) / len(changes) if len(changes) > 1 else 0.0


def show(found: Sequence[Corpus], mode: str, count: int) -> None:
    """The worst questions: what was wanted, and what came first and why."""
    rows = [(ndcg(q, ranked), q, ranked) for corpus in found for q, ranked in corpus.answers(mode)]
    for score, question, ranked in sorted(rows, key=lambda row: (row[0], row[1]["id"]))[:count]:
        print(f"\n{score:.2f} {question['repo']}: {question['query']}\n  wanted {[t['path'] for t in question['gold']]}")
        for line in ranked[:4]:
            print(f"  {line.score:.2f} {line.chunk.filepath}:{line.chunk.line_start} {line.chunk.symbol_name}  ({'; '.join(line.reasons)})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--mode", nargs="+", default=["hybrid", "fast"])
    parser.add_argument("--half", nargs="+", default=["dev", "held"], choices=["dev", "held"])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "clew-ranking")
    chosen = parser.parse_args()
    every = corpora(chosen.queries, chosen.worktrees.resolve(), chosen.cache.resolve(), chosen.only, chosen.half)
    for half in chosen.half:
        found = [corpus for corpus in every if half_of(corpus.name) == half]
        for mode in chosen.mode if found else ():
            if chosen.ablate:
                print(half, end=" ")
                ablate(found, mode)
            elif chosen.show and half == "dev":
                show(found, mode, chosen.show)
            else:
                tell(half, mode, measure(found, mode))
                asked, share = right_places(found, mode)
                print(
                    f"{'':15s} the right definition is the file's first place for {share:.3f} of {asked}" if asked else "",
                    end="\n" * bool(asked),
                )


def tell(half: str, mode: str, score: Score) -> None:
    low, high = score.interval
    print(f"{half:5s} {mode:9s} {score.mean:.4f} [{low:.3f}, {high:.3f}] ", "  ".join(f"{n} {v:.3f}" for n, v in score.by_category.items()))
    print(" " * 15, "  ".join(f"{name} {value:.3f}" for name, value in score.by_repo.items()), flush=True)


if __name__ == "__main__":
    main()
