"""Does a long bug report find the file that was fixed? Reports with known fixes, each asked of its own commit.

    python bench/issues.py QUERIES.jsonl CACHE [--mode hybrid …] [--held-out] [--ablate] [--show N]

CACHE is what `issue_states.py` made. acc@k: the fixed file is among the first k files. Without `--held-out` only reports that may be looked at are read.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache as cached
from functools import partial
from pathlib import Path
from typing import Any

from issue_states import HALVED, reports, state_of
from ranking import Remembering

from clew.assembly import embedder
from clew.core.answer import Question, Ranked
from clew.core.query import Scope
from clew.search import rules
from clew.search.report_rules import REPORT_RULES
from clew.search.searcher import Searcher
from clew.settings import Settings
from clew.stores.embedded import EmbeddedStore

LIMIT = 50
CUTS = (1, 3, 5, 10)
RESAMPLES = 2_000
ABSENT = 10**9


class Bench:
    """Stores that stay open, and what their legs said."""

    def __init__(self, cache: Path, found: Iterable[Mapping[str, Any]]) -> None:
        self.reports = [report for report in found if state_of(cache, report).exists()]
        self._cache = cache
        self._embedder = cached(partial(embedder, Settings()))
        self._stores: dict[str, Any] = {}

    def store(self, report: Mapping[str, Any]) -> Any:
        """The report's index, its answers remembered."""
        if report["id"] not in self._stores:
            self._stores[report["id"]] = Remembering(EmbeddedStore.open(state_of(self._cache, report), read_only=True))
        return self._stores[report["id"]]

    def answer(self, report: Mapping[str, Any], mode: str, chosen: Sequence[rules.Rule] = REPORT_RULES) -> tuple[Ranked, ...]:
        """The lines of the answer."""
        searcher = Searcher(self.store(report), self._embedder, report_rules=chosen)
        return searcher.search(Scope(("report",)), Question(report["query"], mode=mode, limit=LIMIT)).ranked

    def ranks(self, mode: str, chosen: Sequence[rules.Rule] = REPORT_RULES) -> dict[str, int]:
        """The place of the last fixed file among the files of each answer."""
        return {report["id"]: rank(report, self.answer(report, mode, chosen)) for report in self.reports}


def rank(report: Mapping[str, Any], ranked: Sequence[Ranked]) -> int:
    """The place, from 1, of the last fixed file among the files of an answer."""
    files = list(dict.fromkeys(line.chunk.filepath for line in ranked))
    return max(files.index(path) + 1 if path in files else ABSENT for path in report["gold_files"])


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean and its 95% bootstrap interval."""
    draw = random.Random(0)
    means = sorted(statistics.fmean(draw.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return statistics.fmean(values), means[RESAMPLES // 40], means[-RESAMPLES // 40]


def groups(found: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The reports of each line of the table, by id."""
    parts: dict[str, Callable[[Mapping[str, Any]], bool]] = {
        "dev, without sympy": lambda report: report["dev"] and report["repo"] != HALVED,
        "dev, sympy": lambda report: report["dev"] and report["repo"] == HALVED,
        "held out, without sympy": lambda report: not report["dev"] and report["repo"] != HALVED,
        "held out, sympy": lambda report: not report["dev"] and report["repo"] == HALVED,
        "dev": lambda report: report["dev"],
        "held out": lambda report: not report["dev"],
        "all without sympy": lambda report: report["repo"] != HALVED,
        "all": lambda _: True,
    }
    named = {name: [report["id"] for report in found if fits(report)] for name, fits in parts.items()}
    whole = any(not report["dev"] for report in found)
    return {name: ids for name, ids in named.items() if ids and (whole or name.startswith("dev"))}


def table(title: str, found: Sequence[Mapping[str, Any]], ranks: Mapping[str, int], before: Mapping[str, int] | None = None) -> None:
    """Print acc@k of each group; with ranks from before, the paired difference of the mean reciprocal rank."""
    print(title)
    for name, ids in groups(found).items():
        cells = []
        for cut in CUTS:
            mean, low, high = interval([float(ranks[id_] <= cut) for id_ in ids])
            cells.append(f"@{cut} {mean:.3f} [{low:.2f} {high:.2f}]")
        reciprocal = statistics.fmean(1 / ranks[id_] for id_ in ids)
        line = f"  {name:24s} n {len(ids):3d}  {'  '.join(cells)}  mrr {reciprocal:.3f}"
        if before is not None:
            line += "  mrr {:+.3f} [{:+.3f} {:+.3f}]".format(*interval([1 / ranks[id_] - 1 / before[id_] for id_ in ids]))
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--mode", nargs="+", default=["hybrid"])
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    chosen = parser.parse_args()
    bench = Bench(chosen.cache, [report for report in reports(chosen.queries) if report["dev"] or chosen.held_out])
    for mode in chosen.mode:
        ranks = bench.ranks(mode)
        table(mode, bench.reports, ranks)
        for rule in REPORT_RULES if chosen.ablate else ():
            table(f"without {rule.name}", bench.reports, bench.ranks(mode, [r for r in REPORT_RULES if r is not rule]), ranks)
        worst = sorted((report for report in bench.reports if report["dev"]), key=lambda report: -ranks[report["id"]])
        for report in worst[: chosen.show]:
            print(f"\n{ranks[report['id']]} {report['id']}: {report['query'].partition(chr(10))[0]}\n  wanted {report['gold_files']}")
            for line in bench.answer(report, mode)[:5]:
                print(
                    f"  {line.score:.2f} {line.chunk.filepath}:{line.chunk.line_start} {line.chunk.symbol_name}  ({'; '.join(line.reasons)})"
                )


if __name__ == "__main__":
    main()
