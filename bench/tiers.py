#!/usr/bin/env python3
"""How good can the tiers that ask a language model be, how bad, and what do they cost? With scripted models, in one process.

    tiers.py QUERIES.jsonl WORKTREES --cache DIR [--only NAME …] [--every N] [--show N] [--together]

The oracle chooses the right child whenever it is offered: what it misses, the tree and the shortlists hid. The chance model chooses at random: what it loses
of plain search's first ten, a bad model can hide. QUERIES and WORKTREES are those of ranking.py; NDCG@10 over files. `--together` asks each question of WORKTREES
as one project of all repositories.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from code_set import HALVES, engines, halves, questions
from ranking import ndcg

from clew.assembly import open_engine
from clew.core.answer import Question
from clew.core.language import Allowance, Usage
from clew.core.tokens import count_tokens
from clew.search.tiers import Ground, answered

KEPT, WITHIN = 10, 20
WAYS = ("hybrid", "oracle", "chance", "auto", "auto, oracle", "auto, chance")
_SHAPE_TOKENS = 150
_CHILD = re.compile(r"^(\d+) (.*?)(/ \(|:\d+-\d+ |: |$)")
Children = list[tuple[int, str, bool]]
Choose = Callable[[Children], list[int]]


@dataclass
class Scripted:
    """A language model that chooses by a function of the children: number, path, and whether it is a folder."""

    choose: Choose
    name: str = "scripted:model"
    calls: list[Usage] = field(default_factory=list)

    def ask(self, instructions: str, evidence: str, shape: type[Any], allowance: Allowance | None = None) -> Any:
        cost = Usage(0, count_tokens(instructions) + count_tokens(evidence) + _SHAPE_TOKENS, 20)
        assert allowance is not None
        allowance.begin(cost.input_tokens)
        allowance.charge(cost)
        self.calls.append(replace(cost, requests=1))
        found = [match for line in evidence.partition("\n\n")[2].split("\n") if (match := _CHILD.match(line))]
        return shape(numbers=self.choose([(int(one[1]), one[2], one[3] == "/ (") for one in found]))


def oracle(gold: Sequence[dict[str, Any]]) -> Choose:
    """What leads to the answers, the first answer's first."""
    paths = [target["path"] for target in gold]

    def choose(children: Children) -> list[int]:
        ranked = [(rank, number) for number, path, folder in children for rank, one in enumerate(paths) if _leads(one, path, folder)]
        return [number for _, number in sorted(ranked)]

    return choose


def _leads(gold: str, path: str, is_folder: bool) -> bool:
    if is_folder:
        folder = gold.rpartition("/")[0]
        return folder == path or (path == "." and not folder) or folder.endswith(f"/{path}")
    return gold == path or gold.endswith(f"/{path}") or path.endswith(f"/{gold}")


def chance(seed: int) -> Choose:
    draw = random.Random(seed)
    return lambda children: [number for number, *_ in draw.sample(children, min(10, len(children)))]


@dataclass
class Tally:
    """What was measured, question by question."""

    scores: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    calls: list[int] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    auto_calls: list[int] = field(default_factory=list)
    lost: int = 0
    empty: int = 0
    misses: list[tuple[Any, ...]] = field(default_factory=list)

    def ask(self, name: str, ground: Ground, question: dict[str, Any], number: int) -> None:
        gold, row, text = question["gold"], self.scores[name], question["query"]
        plain = ground.plain(Question(text, mode="hybrid", limit=KEPT)).ranked
        row["hybrid"].append(ndcg(question, plain))
        row["auto"].append(ndcg(question, ground.plain(Question(text)).ranked))
        for way, choose in (("oracle", oracle(gold)), ("chance", chance(number))):
            model = Scripted(choose)
            began = time.monotonic()
            found = answered(replace(ground, language=lambda model=model: model), Question(text, mode="standard", limit=30)).ranked
            self.seconds.append(time.monotonic() - began)
            row[way].append(ndcg(question, found))
            self.calls.append(len(model.calls))
            self.read.append(sum(one.input_tokens for one in model.calls))
            if way == "oracle" and row[way][-1] < 1:
                first = list(dict.fromkeys(one.chunk.filepath for one in found))[:6]
                self.misses.append((round(row[way][-1], 3), name, text, [target["path"] for target in gold], first))
            kept = {one.chunk.id for one in found[:WITHIN]}
            self.lost += any(one.chunk.id not in kept for one in plain)
            self.empty += not found
            model = Scripted(choose)
            row[f"auto, {way}"].append(ndcg(question, answered(replace(ground, language=lambda model=model: model), Question(text)).ranked))
            self.auto_calls.append(len(model.calls))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--together", action="store_true")
    given = parser.parse_args()
    asked = questions(given.queries)
    tally = Tally()
    if given.together:
        some = [(name, question) for name in sorted(asked) for question in asked[name]][:: given.every]
        with open_engine(given.worktrees, {"index_dir": str(given.cache / "together")}) as engine:
            engine.index(mode="fast")
            print(f"{len(engine.files())} files")
            for number, (name, question) in enumerate(some):
                gold = [{**target, "path": f"{name}/{target['path']}"} for target in question["gold"]]
                tally.ask("together", engine._ground, {**question, "gold": gold}, number)
    for name in () if given.together else given.only or [name for names in HALVES.values() for name in names]:
        for engine in engines(given.worktrees, given.cache, [name]).values():
            for number, question in enumerate(asked[name][:: given.every]):
                tally.ask(name, engine._ground, question, number)
            engine.close()
            print(name, *(f"{way} {statistics.mean(tally.scores[name][way]):.4f}" for way in WAYS), flush=True)
    told(tally, given.show)


def told(tally: Tally, show: int) -> None:
    groups = list(halves(tally.scores)) or [("all", list(tally.scores))]
    for half, names in groups:
        print(half, *(f"{way} {statistics.mean(statistics.mean(tally.scores[name][way]) for name in names):.4f}" for way in WAYS))
    print(
        f"standard: calls at most {max(tally.calls)}, mean {statistics.mean(tally.calls):.2f}; tokens read at most {max(tally.read)}, ",
        end="",
    )
    print(f"mean {statistics.mean(tally.read):.0f}; seconds beside the model's: median {statistics.median(tally.seconds):.2f}")
    print(
        f"auto asked nothing for {tally.auto_calls.count(0) / len(tally.auto_calls):.1%} of its questions, at most {max(tally.auto_calls)} calls"
    )
    print(f"{tally.lost} answers lost one of the first {KEPT} beyond {WITHIN}, {tally.empty} were empty")
    for miss in sorted(tally.misses)[:show]:
        print(*miss)


if __name__ == "__main__":
    main()
