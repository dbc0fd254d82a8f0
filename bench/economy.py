"""What does an answer cost to read? Tokens from its top until the end of the first piece of a right file, beside grep and whole files.

    python bench/economy.py QUERIES.jsonl WORKTREES [--mode fast hybrid] [--cache DIR] [--only NAME …]

What is read is what `clew search` prints into a pipe: for each result its place and name, and the lines that are shown. Tokens are counted by
`clew.core.tokens`, a bound that is never below what cl100k_base counts (about 1.3 times it). A question whose right file has not come
after 2,000 tokens, or not at all, is a miss and counts 2,000, in every row. `json` reads `filepath`, `symbol_name` and `code_snippet` of each
result instead. `inside` asks with --max-tokens 2000: the share of questions with a right file in the answer, and of all right files.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import code_set

from clew.core.answer import Answer, Question
from clew.core.tokens import count_tokens
from clew.engine import Engine
from clew.evaluation.grep import Grep
from clew.evaluation.reading import BUDGET, Piece, grepped, printed, read_through
from clew.search.listing import heading, listing
from clew.sources.reading import split_lines

LIMITS = (10, 20)
"""Results asked for: the default, and more."""


def snippets(answer: Answer) -> Iterator[Piece]:
    """The results as a program reads them."""
    for result in answer.results:
        yield result.chunk.filepath, f"{heading(result)}\n{result.code_snippet}\n"


def whole(answer: Answer, files: dict[str, list[str]]) -> Iterator[Piece]:
    """The files of an answer, each read from its first line to its last."""
    for path in dict.fromkeys(result.chunk.filepath for result in answer.results):
        yield path, "\n".join(files.get(path, ()))


def inside(answer: Answer, question: dict[str, Any]) -> tuple[bool, float]:
    """Whether any right file is in the answer, and the share of them that is."""
    found = [path for path in {result.chunk.filepath for result in answer.results} if code_set.is_right(path, question)]
    return bool(found), min(len(found) / len(question["gold"]), 1.0)


def contents(engine: Engine) -> dict[str, list[str]]:
    """The lines of every indexed file, as they stand on disk."""
    known = engine._store.files(engine.namespace)
    return {
        path: split_lines((engine.root / path).read_text(encoding="utf-8", errors="replace"))
        for path, record in known.items()
        if not record.skipped
    }


def measured(engine: Engine, asked: list[dict[str, Any]], modes: list[str]) -> Iterator[tuple[str, float]]:
    """Rows of the table, by name, for each question."""
    files = contents(engine)
    grep = Grep(files)
    for question in asked:
        text = question["query"]
        right = [path for path in files if code_set.is_right(path, question)] or ["absent"]
        yield "grep", read_through(grepped(grep, text), right).tokens
        for mode in modes:
            answer = engine.search(Question(text, mode=mode))
            read = read_through(printed(answer), right)
            yield f"{mode}", read.tokens
            yield f"{mode}, found", float(read.recall > 0)
            yield f"{mode}, json", read_through(snippets(answer), right).tokens
            yield f"{mode}, whole files", read_through(whole(answer, files), right).tokens
            for limit in LIMITS:
                packed = engine.search(Question(text, mode=mode, limit=limit, max_tokens=BUDGET))
                spent = sum(count_tokens("\n".join(listing(result)) + "\n") for result in packed.results)
                if max(spent, packed.tokens) > BUDGET:
                    raise AssertionError(f"{text!r} cost {spent}, said {packed.tokens}, of {BUDGET}")
                some, share = inside(packed, question)
                yield f"{mode}, --limit {limit}: some inside {BUDGET}", float(some)
                yield f"{mode}, --limit {limit}: right files inside", share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--mode", nargs="+", default=["fast", "hybrid"])
    parser.add_argument("--only", nargs="*", default=[*code_set.DEV, *code_set.HELD_OUT])
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "clew-code-set")
    chosen = parser.parse_args()
    asked = code_set.questions(chosen.queries)
    rows: dict[str, dict[str, list[float]]] = {}
    for name, engine in code_set.engines(chosen.worktrees.resolve(), chosen.cache.resolve(), chosen.only).items():
        with engine:
            for row, value in measured(engine, asked[name], chosen.mode):
                rows.setdefault(row, {}).setdefault(name, []).append(value)
    for half, names in code_set.halves(rows["grep"]):
        print(f"{half}: {sum(len(rows['grep'][name]) for name in names)} questions, {len(names)} repositories")
        for row, by_name in rows.items():
            mean, low, high = code_set.interval([by_name[name] for name in names])
            print(f"  {row:45s} {mean:8.3f}  [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    main()
