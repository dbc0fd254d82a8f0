"""Does an answer know when there is none? The area under the ROC curve of its confidence, and how far its numbers can be believed.

    python bench/abstention.py QUERIES.jsonl WORKTREES [--mode hybrid fast] [--rounds 3] [--cache DIR]

Each question is asked of its own repository and, in each round, of another one of the same half (`pairs.pairings`, drawn by a seed). The area is
the chance that a question asked of its own repository gets a higher confidence than one asked of another; ties count half. The interval draws
the repositories anew. `levels` counts the four words by what was asked; `reliability` bins the number and gives the share of right answers
(a right file among the first five), each kind weighing half.
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import code_set
from pairs import Pair, ask

LEVELS = ("none", "low", "medium", "high")
DRAWS = 300
"""Bootstrap samples."""
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0001)


def area(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The area under the ROC curve, by ranks."""
    ordered = sorted([(value, 1) for value in positive] + [(value, 0) for value in negative])
    ranks = 0.0
    start = 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        ranks += (start + end + 1) / 2 * sum(kind for _, kind in ordered[start:end])
        start = end
    count = len(positive)
    return (ranks - count * (count + 1) / 2) / (count * len(negative))


def area_of(pairs: Sequence[Pair], *, by_level: bool = False) -> float:
    """The area for these pairs."""
    values = [(LEVELS.index(pair.level) if by_level else pair.chance if pair.results else 0.0, pair.is_own) for pair in pairs]
    return area([value for value, own in values if own], [value for value, own in values if not own])


def interval(pairs: Sequence[Pair]) -> tuple[float, float]:
    """95 %, by drawing the repositories that are asked about anew."""
    names = sorted({pair.repository for pair in pairs})
    by_name = {name: [pair for pair in pairs if pair.repository == name] for name in names}
    draw = random.Random(1)
    drawn = sorted(area_of([pair for _ in names for pair in by_name[draw.choice(names)]]) for _ in range(DRAWS))
    return drawn[math.floor(0.025 * DRAWS)], drawn[math.ceil(0.975 * DRAWS) - 1]


def reliability(pairs: Sequence[Pair]) -> list[str]:
    """The share of right answers for each range of the number, and the mean distance between the two."""
    own = [pair for pair in pairs if pair.is_own]
    weight = {True: 0.5 / len(own), False: 0.5 / (len(pairs) - len(own))}
    lines, distance = [], 0.0
    for low, high in pairwise(BINS):
        inside = [pair for pair in pairs if low <= pair.chance < high]
        mass = sum(weight[pair.is_own] for pair in inside)
        if not mass:
            continue
        said = sum(weight[pair.is_own] * pair.chance for pair in inside) / mass
        right = sum(weight[pair.is_own] * pair.is_right for pair in inside) / mass
        distance += mass * abs(said - right)
        lines.append(
            f"    {low:.2f} to {min(high, 1):.2f}: {len(inside):5d} answers, {mass:.2f} of the weight, said {said:.2f}, right {right:.2f}"
        )
    return [*lines, f"    mean distance {distance:.3f}"]


def report(half: str, mode: str, pairs: Sequence[Pair]) -> None:
    low, high = interval(pairs)
    print(f"{half}, {mode}: area {area_of(pairs):.4f} [{low:.4f}, {high:.4f}], by level alone {area_of(pairs, by_level=True):.4f}")
    for title, own in (("own", True), ("other", False)):
        kind = [pair for pair in pairs if pair.is_own == own]
        count = Counter(pair.level for pair in kind)
        shares = ", ".join(f"{level} {count[level] / len(kind):.3f}" for level in LEVELS)
        right = f"; {sum(pair.is_right for pair in kind) / len(kind):.3f} right" if own else ""
        print(f"  {title:5s} {len(kind):5d} answers: {shares}; {sum(pair.results for pair in kind) / len(kind):.1f} results{right}")
    print("  reliability:")
    for line in reliability(pairs):
        print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--mode", nargs="+", default=["hybrid", "fast"])
    parser.add_argument("--half", nargs="+", choices=list(code_set.HALVES), default=list(code_set.HALVES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "clew-code-set")
    chosen = parser.parse_args()
    asked = code_set.questions(chosen.queries)
    for half in chosen.half:
        engines = code_set.engines(chosen.worktrees.resolve(), chosen.cache.resolve(), code_set.HALVES[half])
        for mode in chosen.mode:
            report(half, mode, ask(engines, asked, mode, chosen.rounds))


if __name__ == "__main__":
    main()
