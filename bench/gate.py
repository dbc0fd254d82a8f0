"""Are answers still as good as they were? A small test of quality that needs nothing but Python and clew.

    python bench/gate.py            ask, print the scores, exit with 1 when one is below its floor
    python bench/gate.py --keep     leave the corpus where it is and print the place

The corpus is the running Python's own library with every docstring cut out; a question is the first sentence of a docstring, and the right
answer is the definition that it was cut from. So no question's words stand in the text by copy. The floors in floors.json are the scores
when they were last set, less a margin for the differences between Python versions.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FOLDERS = (
    "asyncio",
    "collections",
    "concurrent",
    "email",
    "html",
    "http",
    "importlib",
    "json",
    "logging",
    "multiprocessing",
    "unittest",
    "urllib",
)
QUESTIONS = 400
"""Enough that one answer more or less moves a score by .0025."""
PER_FILE = 6
"""So that no module decides alone."""
FEWEST_WORDS, MOST_WORDS = 5, 30
LIMIT = 10
MODES = ("fast", "hybrid")
FLOORS = Path(__file__).with_name("floors.json")


class Asked(NamedTuple):
    """A question, and the file and lines that answer it."""

    text: str
    filepath: str
    line_start: int
    line_end: int


def make(corpus: Path) -> list[Asked]:
    """Write the corpus; returns its questions in a fixed order that looks random."""
    library = Path(sysconfig.get_path("stdlib"))
    asked: list[Asked] = []
    for path in _sources(library):
        name = path.relative_to(library).as_posix()
        text, questions = cut(path.read_text("utf-8"), name)
        target = corpus / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        asked += sorted(questions, key=_shuffled)[:PER_FILE]
    once = {question.text: question for question in asked}
    return sorted(once.values(), key=_shuffled)[:QUESTIONS]


def _sources(library: Path) -> Iterator[Path]:
    yield from sorted(library.glob("*.py"))
    for folder in FOLDERS:
        yield from sorted(path for path in (library / folder).rglob("*.py") if "test" not in path.name)


def _shuffled(question: Asked) -> str:
    return hashlib.sha256(question.text.encode()).hexdigest()


def cut(source: str, name: str) -> tuple[str, list[Asked]]:
    """The source without docstrings, each line where it was, and a question for each definition that had a good one."""
    lines = source.split("\n")
    questions = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            continue
        docstring = ast.get_docstring(node)
        if docstring is None:
            continue
        statement = node.body[0]
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        if not lines[first - 1].lstrip().startswith(('"', "'", 'r"', "r'")):
            continue
        indent = lines[first - 1][: statement.col_offset]
        lines[first - 1 : last] = [f"{indent}pass", *[""] * (last - first)]
        sentence = " ".join(re.split(r"\n\s*\n|(?<=[.!?])\s", docstring, maxsplit=1)[0].split())
        if not isinstance(node, ast.Module) and FEWEST_WORDS <= len(re.findall("[A-Za-z]{2,}", sentence)) <= MOST_WORDS:
            questions.append(Asked(sentence, name, node.lineno, node.end_lineno or node.lineno))
    return "\n".join(lines), questions


def answers(corpus: Path, asked: list[Asked], mode: str) -> list[dict[str, Any]]:
    """What clew answers, asked as a user would."""
    batch = "".join(json.dumps({"id": number, "query": question.text}) + "\n" for number, question in enumerate(asked))
    command = [sys.executable, "-m", "clew", "search", "--batch", "-", "--path", str(corpus), "--mode", mode, "--limit", str(LIMIT)]
    done = subprocess.run(command, input=batch, capture_output=True, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def scores(asked: list[Asked], answered: list[dict[str, Any]]) -> dict[str, float]:
    """MRR@10 of the definition (an overlap of lines counts), and NDCG@10 of the file."""
    places = [_rank(answer["results"], lambda hit, q=question: _hits(hit, q)) for question, answer in zip(asked, answered, strict=True)]
    files = [_file_rank(answer["results"], question) for question, answer in zip(asked, answered, strict=True)]
    return {
        "mrr": round(sum(1 / rank for rank in places if rank) / len(asked), 4),
        "ndcg": round(sum(1 / math.log2(rank + 1) for rank in files if rank) / len(asked), 4),
    }


def _hits(hit: dict[str, Any], question: Asked) -> bool:
    return bool(hit["filepath"] == question.filepath and hit["line_start"] <= question.line_end and hit["line_end"] >= question.line_start)


def _rank(results: list[dict[str, Any]], right: Any) -> int:
    return next((place for place, hit in enumerate(results, 1) if right(hit)), 0)


def _file_rank(results: list[dict[str, Any]], question: Asked) -> int:
    """The place of the file among the files of the answer."""
    files = list(dict.fromkeys(hit["filepath"] for hit in results))
    return files.index(question.filepath) + 1 if question.filepath in files else 0


def judge(measured: dict[str, dict[str, float]], floors: dict[str, dict[str, float]]) -> list[str]:
    """What fell below its floor, a line each."""
    return [
        f"{mode} {name} is {value}, below its floor of {floors[mode][name]}"
        for mode, found in measured.items()
        for name, value in found.items()
        if value < floors[mode][name]
    ]


def main() -> int:
    """Make the corpus, ask, compare."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--keep", action="store_true")
    keep = arguments.parse_args().keep
    corpus = Path(tempfile.mkdtemp(prefix="clew-gate-"))
    try:
        asked = make(corpus)
        measured = {mode: scores(asked, answers(corpus, asked, mode)) for mode in MODES}
    finally:
        if keep:
            print(f"corpus: {corpus}")
        else:
            shutil.rmtree(corpus)
    for mode, found in measured.items():
        print(f"quality, {len(asked)} questions, {mode}: MRR@{LIMIT} {found['mrr']:.4f}, NDCG@{LIMIT} over files {found['ndcg']:.4f}")
    fallen = judge(measured, json.loads(FLOORS.read_text("utf-8")))
    for line in fallen:
        print(f"quality: {line}", file=sys.stderr)
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
