#!/usr/bin/env python3
"""Do the weights of the ranking lie on a plateau? Each one halved, and up to doubled, the others as they are.

    sweep.py QUERIES.jsonl WORKTREES [--half dev] [--mode hybrid fast] [--cache DIR]

No weight is fitted: they were set by hand, by this table and by questions of our own. A weight moves only where several sets agree by more than
the error beside each change, and then by hand again; the questions of the held-out half are not asked here unless that is said.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import ranking

from clew.search import fusion, rules, searcher

FACTORS = (0.5, 0.75, 1.25, 1.5, 2.0)
WEIGHTS: tuple[tuple[str, tuple[ModuleType, ...]], ...] = (
    ("DEFINITION_BOOST", (rules,)),
    ("WHOLE_NAME_BOOST", (rules,)),
    ("FILE_NAME_BOOST", (rules,)),
    ("BESIDE_VECTORS", (rules,)),
    ("ABBREVIATION_BOOST", (rules,)),
    ("FOLDER_BOOST", (rules,)),
    ("NEIGHBOUR_BOOST", (rules,)),
    ("NEAREST_BOOST", (rules,)),
    ("MEANING_BOOST", (rules,)),
    ("NAMES_BOOST", (rules,)),
    ("OLDER_SHARE", (rules,)),
    ("FILE_DISCOUNT", (fusion, searcher)),
    ("DISCOUNT_BESIDE_VECTORS", (fusion, searcher)),
)
"""Each weight, and the modules that know it by its name."""


@contextmanager
def weighed(name: str, modules: tuple[ModuleType, ...], factor: float) -> Iterator[None]:
    """The ranking with one weight multiplied."""
    before = getattr(modules[0], name)
    for module in modules:
        setattr(module, name, before * factor)
    try:
        yield
    finally:
        for module in modules:
            setattr(module, name, before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--half", nargs="+", default=["dev"], choices=["dev", "held"])
    parser.add_argument("--mode", nargs="+", default=["hybrid", "fast"])
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "clew-ranking")
    chosen = parser.parse_args()
    found = ranking.corpora(chosen.queries, chosen.worktrees.resolve(), chosen.cache.resolve(), [], chosen.half)
    for mode in chosen.mode:
        whole = ranking.measure(found, mode)
        print(f"{mode}: {whole.mean:.4f}")
        for name, modules in WEIGHTS:
            for factor in FACTORS:
                with weighed(name, modules, factor):
                    ranking.difference(f"{name} x {factor}", whole, ranking.measure(found, mode))


if __name__ == "__main__":
    main()
