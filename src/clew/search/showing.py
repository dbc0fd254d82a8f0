"""How is a ranked chunk shown? With its source lines, from the index where the disk no longer has them."""

from __future__ import annotations

import os
from pathlib import Path

from clew.core.answer import Ranked, Result
from clew.core.catalog import FileRecord
from clew.sources.reading import holds
from clew.sources.stamps import changed_ns

SNIPPET_CHARACTERS = 2_000
"""A longer snippet is cut: an answer is read by someone who pays for each token."""
CUT = "... (truncated)"
GONE = "from the index: the file is gone"
CHANGED = "from the index: the file has changed since"


def show(root: Path, ranked: Ranked, record: FileRecord | None) -> Result:
    """The chunk as a result. The indexed lines are the lines on disk as long as size and change time are those of the index, or else
    its bytes are."""
    path = f"{root}{os.sep}{ranked.chunk.filepath}"
    remark = _remark(path, record)
    code = ranked.chunk.code
    return Result(
        chunk=ranked.chunk,
        absolute_path=path,
        code_snippet=snippet(code),
        score=ranked.score,
        reasons=(*ranked.reasons, remark) if remark else ranked.reasons,
        from_index=bool(remark),
        lines=ranked.lines,
        wanted=ranked.wanted,
    )


def snippet(code: str) -> str:
    """The code, no more of it than is shown."""
    return code if len(code) <= SNIPPET_CHARACTERS else f"{code[:SNIPPET_CHARACTERS]}\n{CUT}"


def _remark(path: str, record: FileRecord | None) -> str:
    try:
        seen = os.lstat(path)
    except OSError:
        return GONE
    if record is None or seen.st_size != record.size:
        return CHANGED
    # A time of 0: written so lately, when it was read, that it tells nothing. Another time: touched, or its mode changed, and not written to.
    same = record.mtime_ns == changed_ns(seen) or holds(path, record.size, record.checksum)
    return "" if same else CHANGED
