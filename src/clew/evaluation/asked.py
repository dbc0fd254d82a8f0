"""What is asked in an evaluation, and what answers it? Questions with the files that are right, read from and written to JSON lines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from clew.errors import UsageError

DOCSTRING, COMMIT, OWN = "docstring", "commit", "own"
KINDS = (DOCSTRING, COMMIT, OWN)
EXAMPLE = 'a line is like {"query": "where are users created", "files": ["src/users.py"]}'


@dataclass(frozen=True, slots=True)
class Asked:
    """A question; any of `files` answers it. `symbol` is the definition whose documentation it was made from, which is then cut out."""

    query: str
    files: tuple[str, ...]
    kind: str = OWN
    symbol: str = ""


def sample(asked: Iterable[Asked], count: int, seed: int) -> list[Asked]:
    """So many of the questions, the same for the same seed whatever order they come in."""
    return sorted(asked, key=lambda one: (shuffled(f"{one.query}\0{one.files}", seed), one.query, one.files))[:count]


def shuffled(text: str, seed: int) -> bytes:
    """What to sort by for an order that looks random and is the same everywhere."""
    return hashlib.sha256(f"{seed}:{text}".encode("utf-8", "surrogatepass")).digest()


def read_questions(path: Path) -> list[Asked]:
    """The questions of a file. Raises UsageError for a file that cannot be read or a line that is none."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise UsageError(f"cannot read {path}: {reason}", "give a file of JSON lines in UTF-8") from fault
    return [_question(f"{path}, line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def write_questions(path: Path, asked: Iterable[Asked]) -> None:
    """Write the questions with the files that answer them. Raises UsageError where that cannot be."""
    rows = [{"query": one.query, "files": list(one.files), "kind": one.kind, "symbol": one.symbol} for one in asked]
    try:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    except OSError as fault:
        raise UsageError(f"cannot write {path}: {fault.strerror or fault}") from fault


def _question(place: str, line: str) -> Asked:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise UsageError(f"{place} is not JSON: {fault}", EXAMPLE) from fault
    if not isinstance(row, dict):
        raise UsageError(f"{place} is not a JSON object", EXAMPLE)
    query, files, kind, symbol = row.get("query"), row.get("files"), row.get("kind", OWN), row.get("symbol", "")
    if not isinstance(query, str) or not query.strip():
        raise UsageError(f"{place} has no query", EXAMPLE)
    if not isinstance(files, list) or not files or not all(isinstance(path, str) and path for path in files):
        raise UsageError(f"{place} does not say in `files` which files answer it", EXAMPLE)
    if kind not in KINDS or not isinstance(symbol, str):
        raise UsageError(f"{place} is of no known kind", f"kind is one of {', '.join(KINDS)}, or left out")
    return Asked(query, tuple(files), kind, symbol)
