#!/usr/bin/env python3
"""How good can the tiers that ask a language model be, how bad, and what do they cost? With scripted models, in one process.

    tiers.py QUERIES.jsonl WORKTREES --cache DIR [--only NAME …] [--half dev held]

The oracle chooses the right child whenever it is offered: what it misses, the tree and the shortlists hid. The chance model chooses at random: what it loses
of plain search's first ten, a bad model can hide. QUERIES and WORKTREES are those of ranking.py; NDCG@10 over files.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from code_set import HALVES, engines, halves, questions
from ranking import ndcg

from clew.core.answer import Question
from clew.core.language import Allowance, Usage
from clew.core.tokens import count_tokens
from clew.search.tiers import answered, carried_on

_SHAPE_TOKENS = 150
_CHILD = re.compile(r"^(\d+) (.*?)(?:/ \(|:\d+-\d+ |: |$)")
KEPT, WITHIN = 10, 20
WAYS = ("hybrid", "oracle", "chance", "auto", "auto, oracle", "auto, chance")


@dataclass
class Scripted:
    """A language model that chooses by a function of (path of a child, whether it is a folder)."""

    choose: Callable[[list[tuple[int, str, bool]]], list[int]]
    name: str = "scripted:model"
    calls: list[Usage] = field(default_factory=list)

    def ask(self, instructions: str, evidence: str, shape: type[Any], allowance: Allowance | None = None) -> Any:
        cost = Usage(0, count_tokens(instructions) + count_tokens(evidence) + _SHAPE_TOKENS, 20)
        assert allowance is not None
        allowance.begin(cost.input_tokens)
        allowance.charge(cost)
        self.calls.append(replace(cost, requests=1))
        lines = evidence.partition("\n\n")[2].split("\n")
        children = [
            (int(m[1]), m[2], line[m.end() - 2 : m.end()] == "(" or m[0].endswith("/ (")) for line in lines if (m := _CHILD.match(line))
        ]
        return shape(numbers=self.choose(children))


def oracle(gold: Sequence[dict[str, Any]]) -> Callable[[list[tuple[int, str, bool]]], list[int]]:
    paths = [target["path"] for target in gold]
    order = lambda number_path: next((i for i, path in enumerate(paths) if _is(path, number_path[1], number_path[2])), None)  # noqa: E731

    def choose(children: list[tuple[int, str, bool]]) -> list[int]:
        right = sorted((rank, number) for number, path, folder in children if (rank := order((number, path, folder))) is not None)
        return [number for _, number in right]

    return choose


def _is(gold: str, path: str, is_folder: bool) -> bool:
    if is_folder:
        return gold.rpartition("/")[0] == path or (path == "." and "/" not in gold) or gold.rpartition("/")[0].endswith(f"/{path}")
    return gold == path or gold.endswith(f"/{path}") or path.endswith(f"/{gold}")


def chance(seed: int) -> Callable[[list[tuple[int, str, bool]]], list[int]]:
    draw = random.Random(seed)
    return lambda children: [number for number, *_ in draw.sample(children, min(10, len(children)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    asked = questions(given.queries)
    rows: dict[str, dict[str, list[float]]] = {}
    lost, empty, calls, read, misses, auto_calls = 0, 0, [], [], [], []
    for _, names in halves(given.only or (name for half in HALVES.values() for name in half)):
        for name in names:
            for engine in engines(given.worktrees, given.cache, [name]).values():
                row = rows.setdefault(name, {way: [] for way in WAYS})
                ground = engine._ground
                for number, question in enumerate(asked[name]):
                    text = question["query"]
                    plain = ground.plain(Question(text, mode="hybrid", limit=KEPT)).ranked
                    row["hybrid"].append(ndcg(question, plain))
                    good = Scripted(oracle(question["gold"]))
                    found = answered(replace(ground, language=lambda good=good: good), Question(text, mode="standard", limit=30)).ranked
                    row["oracle"].append(ndcg(question, found))
                    if row["oracle"][-1] < 1:
                        misses.append(
                            (
                                row["oracle"][-1],
                                name,
                                text,
                                [g["path"] for g in question["gold"]],
                                list(dict.fromkeys(r.chunk.filepath for r in found))[:6],
                            )
                        )
                    calls.append(len(good.calls))
                    read.append(sum(one.input_tokens for one in good.calls))
                    bad = Scripted(chance(number))
                    drawn = answered(replace(ground, language=lambda bad=bad: bad), Question(text, mode="standard", limit=30)).ranked
                    row["chance"].append(ndcg(question, drawn))
                    kept = {one.chunk.id for one in drawn[:WITHIN]}
                    with engine._store.moment():
                        before = engine._searcher.search(ground.scope, Question(text))
                    row["auto"].append(ndcg(question, before.ranked))
                    for way, choose in (("auto, oracle", oracle(question["gold"])), ("auto, chance", chance(number))):
                        model = Scripted(choose)
                        after = carried_on(replace(ground, language=lambda model=model: model), Question(text), before)
                        row[way].append(ndcg(question, after.ranked))
                        auto_calls.append(len(model.calls))
                    lost += any(one.chunk.id not in kept for one in plain)
                    empty += not drawn
                engine.close()
                print(name, *(f"{way} {statistics.mean(values):.4f}" for way, values in row.items()), flush=True)
    for half, names in halves(rows):
        print(
            half,
            *(f"{way} {statistics.mean(statistics.mean(rows[name][way]) for name in names):.4f}" for way in WAYS),
        )
    print(
        f"{len(calls)} questions; calls at most {max(calls)}, mean {statistics.mean(calls):.2f}; tokens read at most {max(read)}, mean {statistics.mean(read):.0f}"
    )
    print(f"auto asked nothing for {auto_calls.count(0) / len(auto_calls):.1%} of its questions, at most {max(auto_calls)} calls")
    print(f"chance model: {lost} questions lost one of the first {KEPT} beyond {WITHIN}, {empty} had an empty answer")
    for miss in sorted(misses)[: given.show]:
        print(*miss)


if __name__ == "__main__":
    main()
