#!/usr/bin/env python3
"""Which weights answer questions about databases best? One weight after the other, on half of the databases.

    fit_schema.py DATA [--passes 2] [--every 2] [--only NAME …]

DATA is the folder of the schema sets (schema_set.py). Each weight of `clew.search.schema.weights` is tried a step up and down, and kept where the mean
of all measures over the half of DEV rises by more than LEAST: less is chance. The result is printed as it stands in weights.py; both halves are
measured by schema.py. Nothing of the other half is read.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections import defaultdict
from pathlib import Path
from typing import Any

from schema_set import SETS, corpus, in_database, is_dev, pooled, questions, snapshots

from clew.search.schema.index import Entry, SchemaIndex, build
from clew.search.schema.scorer import Scorer
from clew.search.schema.weights import WEIGHTS, Weights
from clew.search.schema.words import Asked, asked

STEPS = (0.67, 1.5)
"""Times the present value."""
LEAST = 0.0008
"""Of the mean of 13 measures: half a point of one of them."""


class World:
    """The questions of DEV, the index of each of their databases, and those of all databases."""

    def __init__(self, data: Path, every: int) -> None:
        self.single: dict[tuple[str, str], SchemaIndex] = {}
        self.all: dict[str, SchemaIndex] = {}
        for name, samples in (("broad", False), ("business", False), ("business", True)):
            known = snapshots(data, name, samples=samples)
            key = f"{name} with values" if samples else name
            for database, snapshot in known.items():
                if is_dev(database):
                    self.single[key, database] = build([Entry(snapshot)])
            self.all[key] = build([Entry(snapshot) for snapshot in known.values()])
        self.asked: dict[str, list[tuple[dict[str, Any], Asked, str]]] = {}
        for name in SETS:
            kept = [one for one in questions(data, name) if is_dev(one["db_id"])][::every]
            self.asked[name] = [(one, asked(one["query"]), corpus(name)) for one in kept]
            if name == "business":
                self.asked["business, hints"] = [(one, asked(f"{one['query']}\n{one.get('evidence', '')}"), name) for one in kept]
                self.asked["business, values"] = [(one, asked(one["query"]), "business with values") for one in kept]

    def measure(self, weights: Weights) -> dict[str, float]:
        """Each measure of each set."""
        found: dict[str, list[float]] = defaultdict(list)
        for name, rows in self.asked.items():
            scorers: dict[str, Scorer] = {}
            for question, words, key in rows:
                database = question["db_id"]
                index = self.single[key, database]
                if database not in scorers:
                    scorers[database] = Scorer(index, weights)
                for measure, value in in_database(question, index, scorers[database].score(words)).items():
                    found[f"{name}: {measure}"].append(value)
            if rows:
                everything = self.all[rows[0][2]]
                scorer = Scorer(everything, weights)
                for question, words, _ in rows:
                    for measure, value in pooled(question, everything, scorer.score(words)).items():
                        found[f"{name}: {measure}"].append(value)
        return {
            measure: sum(values) / len(values)
            for measure, values in found.items()
            if "full@5" not in measure or "pooled" in measure or "business" in measure
        }


def fit(world: World, weights: Weights, passes: int, only: list[str]) -> Weights:
    """One weight after the other, until no step helps or the passes are over."""
    best = _mean(world.measure(weights))
    print(f"start {best:.4f}", flush=True)
    for _ in range(passes):
        before = best
        for field in dataclasses.fields(weights):
            if only and field.name not in only:
                continue
            for step in STEPS:
                tried = dataclasses.replace(weights, **{field.name: round(getattr(weights, field.name) * step, 3)})
                mean = _mean(world.measure(tried))
                if mean > best + LEAST:
                    weights, best = tried, mean
                    print(f"{field.name} = {getattr(tried, field.name)}: {mean:.4f}", flush=True)
                    break
        if best - before < LEAST:
            break
    return weights


def _mean(measures: dict[str, float]) -> float:
    return sum(measures.values()) / len(measures)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", type=Path)
    options.add_argument("--passes", type=int, default=2)
    options.add_argument("--every", type=int, default=2)
    options.add_argument("--only", nargs="*", default=[])
    given = options.parse_args()
    world = World(given.data, given.every)
    weights = fit(world, WEIGHTS, given.passes, given.only)
    for name, value in dataclasses.asdict(weights).items():
        print(f"    {name}: float = {value}")
    for measure, value in world.measure(weights).items():
        print(f"{measure:45s} {value:.4f}")


if __name__ == "__main__":
    main()
