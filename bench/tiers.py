#!/usr/bin/env python3
"""How good can the tiers that ask a language model be, how bad, and what do they cost? With scripted models, in one process.

    tiers.py QUERIES.jsonl WORKTREES --cache DIR [--only NAME …] [--half dev held] [--every N] [--show N]
    tiers.py QUERIES.jsonl WORKTREES --cache DIR --merge FOLDER --files 3000 [--every N]

The oracle chooses the right child whenever it is offered: what it misses, the tree and the shortlists hid. The others show what a bad model can hide of what
plain search found: `partly` is the oracle in seven calls of ten and draws at random in the others, `chance` draws up to ten children, `one` draws one, and
`stubborn` likes the same wrong children whenever they are offered. QUERIES and WORKTREES are those of ranking.py; NDCG@10 over files.

With `--merge` repositories of WORKTREES are copied into one project, by name, until it has so many files, and it is asked all of their questions: a large project's calls and tokens.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import shutil
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
MODELS = ("oracle", "partly", "chance", "one", "stubborn")
WAYS = ("hybrid", *MODELS, "auto", *(f"auto, {model}" for model in MODELS))
RIGHT = 0.7
"""How often the model that is partly right is."""
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


def partly(gold: Sequence[dict[str, Any]], seed: int) -> Choose:
    right, wrong, draw = oracle(gold), chance(seed), random.Random(f"partly {seed}")
    return lambda children: right(children) if draw.random() < RIGHT else wrong(children)


def one(seed: int) -> Choose:
    draw = random.Random(f"one {seed}")
    return lambda children: [draw.choice(children)[0]]


def stubborn(seed: int) -> Choose:
    def liked(child: tuple[int, str, bool]) -> bytes:
        return hashlib.sha256(f"{seed} {child[1]}".encode()).digest()

    return lambda children: [number for number, *_ in sorted(children, key=liked)[:3]]


def models(gold: Sequence[dict[str, Any]], seed: int) -> dict[str, Choose]:
    """The scripted models, made anew."""
    return dict(zip(MODELS, (oracle(gold), partly(gold, seed), chance(seed), one(seed), stubborn(seed)), strict=True))


@dataclass
class Tally:
    """What was measured, question by question."""

    scores: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    calls: list[int] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    auto_calls: list[int] = field(default_factory=list)
    auto_read: list[int] = field(default_factory=list)
    lost: int = 0
    empty: int = 0
    misses: list[tuple[Any, ...]] = field(default_factory=list)

    def ask(self, name: str, ground: Ground, question: dict[str, Any], number: int) -> None:
        gold, row, text = question["gold"], self.scores[name], question["query"]
        plain = ground.plain(Question(text, mode="hybrid", limit=KEPT)).ranked
        row["hybrid"].append(ndcg(question, plain))
        row["auto"].append(ndcg(question, ground.plain(Question(text)).ranked))
        for way, choose in models(gold, number).items():
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
        for way, choose in models(gold, number).items():
            model = Scripted(choose)
            row[f"auto, {way}"].append(ndcg(question, answered(replace(ground, language=lambda model=model: model), Question(text)).ranked))
            self.auto_calls.append(len(model.calls))
            self.auto_read.append(sum(one.input_tokens for one in model.calls))


def merged(worktrees: Path, folder: Path, files: int, asked: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """A project of repositories, whole ones by name until there are so many files, and their questions, the paths of their answers from its root."""
    some: list[dict[str, Any]] = []
    count = 0
    for name in sorted(asked):
        if count >= files:
            break
        if (worktrees / name).is_dir() and not (folder / name).exists():
            shutil.copytree(worktrees / name, folder / name, ignore=shutil.ignore_patterns(".git"), symlinks=True)
        count += sum(1 for path in (folder / name).rglob("*") if path.is_file())
        some += [{**one, "gold": [{**target, "path": f"{name}/{target['path']}"} for target in one["gold"]]} for one in asked[name]]
    return some


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--half", nargs="*", default=["dev", "held"])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--merge", type=Path)
    parser.add_argument("--files", type=int, default=3_000)
    given = parser.parse_args()
    asked = questions(given.queries)
    tally = Tally()
    if given.merge:
        some = merged(given.worktrees, given.merge, given.files, asked)[:: given.every]
        with open_engine(given.merge, {"index_dir": str(given.cache / given.merge.name)}) as engine:
            engine.index()
            print(f"{len(engine.files())} files, {len(some)} questions", flush=True)
            for number, question in enumerate(some):
                tally.ask(given.merge.name, engine._ground, question, number)
        told(tally, given.show)
        return
    chosen = [name for half, names in HALVES.items() if half.split()[0] in given.half for name in names]
    for name in given.only or chosen:
        for engine in engines(given.worktrees, given.cache, [name]).values():
            for number, question in enumerate(asked[name][:: given.every]):
                tally.ask(name, engine._ground, question, number)
            engine.close()
            print(name, *(f"{way} {statistics.mean(tally.scores[name][way]):.4f}" for way in WAYS), flush=True)
    told(tally, given.show)


def told(tally: Tally, show: int) -> None:
    groups = list(halves(tally.scores)) or [("all questions", list(tally.scores))]
    for half, names in groups:
        print(half, *(f"{way} {statistics.mean(statistics.mean(tally.scores[name][way]) for name in names):.4f}" for way in WAYS))
    print(
        f"standard: calls at most {max(tally.calls)}, mean {statistics.mean(tally.calls):.2f}; tokens read at most {max(tally.read)}, ",
        end="",
    )
    print(f"mean {statistics.mean(tally.read):.0f}; seconds beside the model's: median {statistics.median(tally.seconds):.2f}")
    nothing, most = tally.auto_calls.count(0) / len(tally.auto_calls), max(tally.auto_calls)
    print(f"auto asked nothing for {nothing:.1%} of its questions, at most {most} calls and {max(tally.auto_read)} tokens read")
    print(f"{tally.lost} answers lost one of the first {KEPT} beyond {WITHIN}, {tally.empty} were empty")
    for miss in sorted(tally.misses)[:show]:
        print(*miss)


if __name__ == "__main__":
    main()
