"""Which results fit a budget of tokens? The most useful text first, near-duplicates folded, never a token too many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from clew.core.answer import Result
from clew.core.tokens import count_tokens
from clew.search.showing import CUT

Cost = Callable[[Result], int]

SAME_LINES = 0.85
"""Share of lines that two snippets have in common from which the second tells nothing new."""
WORTH_A_START = 48
"""Tokens that must be left to begin a result that will be cut: less shows a signature without a body."""


class Packed(NamedTuple):
    """The results that fit, and what they cost together."""

    results: tuple[Result, ...]
    tokens: int


def text_cost(result: Result) -> int:
    """Tokens of a result as text: its place, its name and its lines."""
    chunk = result.chunk
    return _tokens(f"{chunk.filepath}:{chunk.line_start}-{chunk.line_end}  {chunk.symbol_name}\n{result.code_snippet}\n")


@lru_cache(maxsize=2_048)
def _tokens(text: str) -> int:
    """Counted once for the results that many questions of one process share: at most 5 MB of text."""
    return count_tokens(text)


def pack(results: Sequence[Result], budget: int, cost: Cost = text_cost) -> Packed:
    """The results that a budget holds, in the order given; 0 is no budget. `cost` says what a result costs where it will be read.

    With a budget, a snippet that repeats an earlier one is folded into it. A result that does not fit is cut when it is the first or
    enough is left to show its start, else left out, and smaller ones after it may still fit.
    """
    distinct = _without_overlaps(results)
    if budget <= 0:
        return Packed(tuple(distinct), sum(map(cost, distinct)))
    kept: list[Result] = []
    used = 0
    for result in _folded(distinct):
        left = budget - used
        fitting = result if cost(result) <= left else _cut(result, left, cost) if not kept or left >= WORTH_A_START else None
        if fitting:
            kept.append(fitting)
            used += cost(fitting)
    return Packed(tuple(kept), used)


def _without_overlaps(results: Sequence[Result]) -> list[Result]:
    """Without those whose lines all stand in an earlier result."""
    kept: list[Result] = []
    for result in results:
        if not any(_holds(earlier, result) for earlier in kept):
            kept.append(result)
    return kept


def _holds(outer: Result, inner: Result) -> bool:
    a, b = outer.chunk, inner.chunk
    same_file = (a.namespace, a.filepath) == (b.namespace, b.filepath)
    return same_file and a.line_start <= b.line_start and b.line_end <= a.line_end and not outer.code_snippet.endswith(CUT)


def _folded(results: Sequence[Result]) -> Iterator[Result]:
    """Near-duplicates named by the first of their kind, and left out themselves."""
    lines = [frozenset(line.strip() for line in result.code_snippet.split("\n") if line.strip()) for result in results]
    first_of: dict[int, int] = {}
    copies: dict[int, list[str]] = {}
    for i, result in enumerate(results):
        first_of[i] = next((j for j in range(i) if first_of[j] == j and _alike(lines[j], lines[i])), i)
        if first_of[i] != i:
            chunk = result.chunk
            copies.setdefault(first_of[i], []).append(f"alike: {chunk.filepath}:{chunk.line_start}-{chunk.line_end}")
    for i, result in enumerate(results):
        if first_of[i] == i:
            yield replace(result, reasons=(*result.reasons, *copies.get(i, ())))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) >= SAME_LINES * max(len(one), len(other))


def _cut(result: Result, budget: int, cost: Cost) -> Result | None:
    """The result with as many of its first lines as fit, or of its first line's characters; None where not even its place fits."""
    bare = replace(result, code_snippet=CUT)
    if cost(bare) > budget:
        return None
    lines = result.code_snippet.removesuffix(CUT).split("\n")
    by_lines = _longest(result, lambda size: "\n".join([*lines[:size], CUT]), len(lines), budget, cost)
    if by_lines:
        return by_lines
    return _longest(result, lambda size: f"{lines[0][:size]}{CUT}", len(lines[0]), budget, cost) or bare


def _longest(result: Result, text: Callable[[int], str], most: int, budget: int, cost: Cost) -> Result | None:
    """The result with the longest of the texts that fits, by halving; None where not even the first does."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if cost(replace(result, code_snippet=text(middle))) <= budget:
            low = middle
        else:
            high = middle - 1
    return replace(result, code_snippet=text(low)) if low else None
