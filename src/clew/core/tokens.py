"""How many tokens is a text? One count for every budget, never below what cl100k_base counts."""

from __future__ import annotations

import re

_PIECE = re.compile(r"[A-Za-z]+|[0-9]{1,3}| +|[^A-Za-z0-9 ]")


def count_tokens(text: str) -> int:
    """An upper bound of the tokens in `text`."""
    return sum(map(_cost, _PIECE.findall(text)))


def _cost(piece: str) -> int:
    if piece[0] == " " or piece[0].isdigit():
        return 1
    return len(piece.encode("utf-8", "surrogatepass")) if not piece.isascii() or len(piece) < 3 else (2 * len(piece) + 2) // 3
