#!/usr/bin/env python3
"""Do the moves of mode deep ever hide the right place? A scripted developer that knows it when he sees it, and goes where it may be until he does.

    deep_reading.py QUERIES.jsonl WORKTREES --cache DIR [--only NAME …] [--every N] [--show N]

He takes a path for the right one only once it stands on a page that he was shown; until then he goes down the folders that lead there, as far as a list names them,
and looks for the question's words by find and grep. What he noted and is in the answer's evidence counts. He is asked twice: with what plain search found, and
blind to it, so that the moves alone lead him. QUERIES and WORKTREES are those of ranking.py; rounds and tokens are the settings' own.
"""

from __future__ import annotations

import argparse
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from code_set import HALVES, engines, questions

from clew.core.answer import Question
from clew.core.language import Allowance, Usage
from clew.core.tokens import count_tokens
from clew.core.visible import visible
from clew.search.deep.deep import deep
from clew.search.tiers import Ground

_SHAPE_TOKENS = 400
"""What a request reads beside instructions and evidence: more than the shape of a move and its fence are."""
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
_MORE = re.compile(r"… \d+ more: .*with line_start (\d+)")


@dataclass
class Developer:
    """A language model that reads towards the right files of one question. `sees_seeds`: he begins with what plain search found."""

    query: str
    gold: list[str]
    sees_seeds: bool
    name: str = "scripted:developer"
    calls: list[Usage] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)
    made: list[tuple[str, str, int]] = field(default_factory=list)

    def ask(self, instructions: str, evidence: str, shape: type[Any], allowance: Allowance | None = None) -> Any:
        cost = Usage(0, count_tokens(instructions) + count_tokens(evidence) + _SHAPE_TOKENS, 60)
        assert allowance is not None
        allowance.begin(cost.input_tokens)
        allowance.charge(cost)
        self.calls.append(cost)
        seen = evidence if self.sees_seeds else evidence.partition("search found:")[2].partition("\n\nmove 1:")[2]
        for action, target, start in self._moves(seen, allowance.left.requests):
            if (action, target, start) not in self.made:
                self.made.append((action, target, start))
                if action == "note":
                    self.noted.append(target)
                    return shape(action=action, target=target, line_start=1, line_end=40, text="here")
                return shape(action=action, target=target, line_start=start)
        return shape(action="done", text=" ".join(f"It stands there [{number}]." for number in range(1, len(self.noted) + 1)))

    def _moves(self, seen: str, left: int) -> Iterator[tuple[str, str, int]]:
        """What he would do next, the first that he has not done yet counts."""
        missing = [path for path in self.gold if path not in self.noted]
        for path in missing:
            if any(re.search(rf"^{re.escape(visible(path[len(start) :]))}(?=[\s:]|$)", seen, re.M) for start in self._entered(path)):
                yield "note", path, 0
        if not missing or left <= len(missing):
            return
        yield "ls", ".", 0
        last = max((number for number, (action, *_) in enumerate(self.made) if action == "ls"), default=None)
        for path in missing:
            parts = path.split("/")
            for depth in range(1, len(parts)):
                folder = "/".join(parts[:depth])
                if ("ls", "/".join(parts[: depth - 1]) or ".", 0) in self.made and f"\n{visible(parts[depth - 1])}/ (" in seen:
                    yield "ls", folder, 0
        if last is not None and (more := _MORE.search(seen[seen.rfind("move ") :])) and self.made[-1][0] in ("ls", "find", "grep"):
            yield self.made[-1][0], self.made[-1][1], int(more[1])
        for word in sorted(set(_WORD.findall(self.query)), key=len, reverse=True):
            yield "find", word.lower(), 0
            yield "grep", word.lower(), 0

    def _entered(self, path: str) -> Iterator[str]:
        """The beginnings of a path that need not be shown again: the folders that he has listed."""
        yield ""
        for action, target, _ in self.made:
            if action == "ls" and path.startswith(f"{target}/"):
                yield f"{target}/"


@dataclass
class Tally:
    """What was measured, question by question."""

    found: list[float] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    misses: list[tuple[Any, ...]] = field(default_factory=list)

    def ask(self, repository: str, ground: Ground, question: dict[str, Any], *, sees_seeds: bool) -> None:
        files = ground.store.files(ground.scope.namespaces[0])
        gold = [path for path in dict.fromkeys(_indexed(target["path"], files) for target in question["gold"]) if path]
        model = Developer(question["query"], gold, sees_seeds)
        found = deep(replace(ground, language=lambda: model, seconds=1e9), Question(question["query"], mode="deep"))
        evidence = {one.filepath for one in found.evidence}
        self.found.append(sum(path in evidence for path in gold) / max(len(question["gold"]), 1))
        self.calls.append(len(model.calls))
        self.read.append(sum(one.input_tokens for one in model.calls))
        if self.found[-1] < 1:
            self.misses.append(
                (round(self.found[-1], 2), repository, question["query"], gold, sorted(evidence), found.steps, found.warnings)
            )

    def told(self, name: str, show: int) -> None:
        any_right, whole = (sum(test(one) for one in self.found) for test in (lambda one: one > 0, lambda one: one == 1))
        print(f"{name}: {len(self.found)} questions; a right file is in the evidence of {any_right}, every right file of {whole}", end="")
        print(
            f" (recall {statistics.mean(self.found):.4f}); calls at most {max(self.calls)}, mean {statistics.mean(self.calls):.2f}; ",
            end="",
        )
        print(f"tokens read at most {max(self.read)}, mean {statistics.mean(self.read):.0f}", flush=True)
        for miss in sorted(self.misses)[:show]:
            print(*miss, sep="\n    ")


def _indexed(path: str, files: Any) -> str:
    """The indexed path that an answer of the benchmark means; empty where the index has none."""
    return path if path in files else next((one for one in files if one.endswith(f"/{path}") or path.endswith(f"/{one}")), "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    asked = questions(given.queries)
    tallies = {"with what plain search found": Tally(), "blind to it": Tally()}
    for name in given.only or [name for names in HALVES.values() for name in names]:
        for engine in engines(given.worktrees, given.cache, [name]).values():
            for question in asked[name][:: given.every]:
                for way, tally in tallies.items():
                    tally.ask(name, engine._ground, question, sees_seeds=way != "blind to it")
            engine.close()
    for way, tally in tallies.items():
        tally.told(way, given.show)


if __name__ == "__main__":
    main()
