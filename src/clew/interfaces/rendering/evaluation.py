"""How does an evaluation look? One table, a line for each way to search; or one JSON object."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from clew.core.visible import visible
from clew.evaluation.reading import BUDGET, RANKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.evaluation.running import Evaluation
    from clew.evaluation.scores import Score

_KIND_NAMES = {"all": "all", "docstring": "documentation", "commit": "commits", "own": "given"}
_DIGITS = 4


def evaluation_lines(done: Evaluation) -> Iterator[str]:
    """The table, after a line that says what was asked of what."""
    kinds = Counter(_KIND_NAMES[one.kind] for one in done.asked)
    said = ", ".join(f"{count} from {kind}" if kind != "given" else f"{count} given" for kind, count in sorted(kinds.items()))
    yield f"{visible(str(done.root))}: {len(done.asked)} questions ({said or 'none could be made'}), seed {done.seed}"
    yield f"{done.files:,} files, {done.chunks:,} chunks, {done.seconds:.1f} s"
    if done.rows:
        yield ""
        yield f"{'':14} {'':9} {'right file first':>22} {f'MRR@{RANKS}':>7} {f'recall in {BUDGET:,} tokens':>23} {'tokens to a right file':>23}"
    shown = ""
    for row in done.rows:
        kind = "" if row.kind == shown else _KIND_NAMES[row.kind]
        shown = row.kind
        first = f"{row.right_first:.3f} ({row.low:.2f} to {row.high:.2f})"
        yield f"{kind:14} {row.mode:9} {first:>22} {row.mrr:>7.3f} {row.recall:>23.3f} {row.tokens:>23,.0f}"


def evaluation_object(done: Evaluation) -> dict[str, Any]:
    """What `eval --json` prints."""
    kinds = Counter(one.kind for one in done.asked)
    return {
        "root": str(done.root),
        "questions": {"asked": len(done.asked), **{kind: kinds[kind] for kind in sorted(kinds)}},
        "seed": done.seed,
        "files": done.files,
        "chunks": done.chunks,
        "budget": BUDGET,
        "rows": [_row(row) for row in done.rows],
        "notes": list(done.notes),
        "seconds": round(done.seconds, 3),
    }


def _row(row: Score) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "mode": row.mode,
        "questions": row.questions,
        "right_file_first": round(row.right_first, _DIGITS),
        "interval": [round(row.low, _DIGITS), round(row.high, _DIGITS)],
        "mrr": round(row.mrr, _DIGITS),
        "recall": round(row.recall, _DIGITS),
        "tokens": round(row.tokens, 1),
    }
