"""Which questions are measured on which repositories? The code set, split in two halves before anything was tuned."""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from clew.assembly import open_engine
from clew.engine import Engine

DEV = (
    "aeson",
    "aiohttp",
    "axios",
    "circe",
    "flask",
    "gin",
    "guzzle",
    "httpx",
    "lazy.nvim",
    "nvm",
    "plug",
    "rack",
    "redux",
    "requests",
    "serde",
    "zod",
)
"""The repositories that have been looked at."""
HELD_OUT = (
    "abseil-cpp", "bash-it", "ecto", "exposed", "http4s", "jackson-databind", "messagepack-csharp", "mini.nvim", "model2vec",
    "nlohmann-json", "pandoc", "redis", "snapkit", "tokio", "vapor", "zig-clap",
)  # fmt: skip
"""Those that are measured and never looked at."""
HALVES = {"dev": DEV, "held out": HELD_OUT}
DRAWS = 2_000
"""Bootstrap samples of an interval."""


def questions(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The questions by repository."""
    by_repository = defaultdict(list)
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            question = json.loads(line)
            by_repository[question["repo"]].append(question)
    return dict(by_repository)


def engines(worktrees: Path, cache: Path, names: Iterable[str]) -> dict[str, Engine]:
    """The repositories that have a work tree, indexed into the cache and ready to be asked; files are taken to stay as they are."""
    found = {}
    for name in names:
        if (worktrees / name).is_dir():
            engine = found[name] = open_engine(worktrees / name, {"index_dir": str(cache / name)})
            engine.index()
    return found


def is_right(path: str, question: dict[str, Any]) -> bool:
    """Whether the file is one of the answers, from whichever folder its path begins."""
    return any(path == gold["path"] or gold["path"].endswith(f"/{path}") or path.endswith(f"/{gold['path']}") for gold in question["gold"])


def interval(by_repository: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """The mean over all values, and the 95 % interval of it when other repositories of this kind had been drawn (bootstrap over them)."""
    draw = random.Random(1)
    means = sorted(_mean([draw.choice(by_repository) for _ in by_repository]) for _ in range(DRAWS))
    return _mean(by_repository), means[math.floor(0.025 * DRAWS)], means[math.ceil(0.975 * DRAWS) - 1]


def _mean(groups: Sequence[Sequence[float]]) -> float:
    values = [value for group in groups for value in group]
    return sum(values) / len(values)


def halves(names: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Each half with those of the names that belong to it."""
    there = set(names)
    for half, members in HALVES.items():
        if kept := [name for name in members if name in there]:
            yield half, kept
