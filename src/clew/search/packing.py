"""Which results fit a budget of tokens, and with how much of their text? The most useful text first, never a token too many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from clew.core.answer import Neighbour, Result
from clew.core.tokens import count_tokens
from clew.search.excerpt import excerpt, lines_of
from clew.search.listing import BODIES, BODY_LINES, beside, heading, listing
from clew.search.showing import CUT

Cost = Callable[[Result], int]

BESIDE_SHARE = 0.25
"""Share of a budget that signatures of neighbours may take: they say where to look next, and less than code does."""
SAME_LINES = 0.85
"""Share of lines that two snippets have in common from which the second tells nothing new."""
FIRST_SHARE = 0.5
"""Share of a budget that the first result's text may take before the places of the others are sure of theirs."""


class Packed(NamedTuple):
    """The results that fit, and what they cost together, which is counted when it is asked for: most who search from Python do not."""

    results: tuple[Result, ...]
    cost: Cost
    neighbours: tuple[Neighbour, ...] = ()

    @property
    def tokens(self) -> int:
        """What the results and their neighbours cost together."""
        return sum(map(self.cost, self.results)) + beside_cost(self.neighbours)


def text_cost(result: Result) -> int:
    """Tokens of a result as text: its place, its name and its lines, as they are printed, with the blank line behind them, or as the snippet has them, whichever is more."""
    snippet = _tokens(f"{heading(result)}\n{result.code_snippet}\n")
    return snippet if result.shown is None else max(snippet, _tokens("\n".join(listing(result)) + "\n\n"))


def beside_cost(neighbours: Sequence[Neighbour]) -> int:
    """Tokens of the neighbours as they are printed, with the blank line before them."""
    return _tokens("\n" + "\n".join(beside(neighbours)) + "\n") if neighbours else 0


@lru_cache(maxsize=2_048)
def _tokens(text: str) -> int:
    """Counted once for the results that many questions of one process share: at most 5 MB of text."""
    return count_tokens(text)


def pack(
    results: Sequence[Result],
    budget: int,
    gist: frozenset[str] = frozenset(),
    cost: Cost = text_cost,
    neighbours: Sequence[Neighbour] = (),
) -> Packed:
    """The results that a budget holds, in the order given; 0 is no budget. `cost` says what a result costs where it will be read.

    With a budget, a result that repeats an earlier one is folded into it. Then the budget is spent on, in this order: the lines of the
    first result that matter for a question of these words; the place of each file's first result, then of the others; the lines that
    matter of the best; the neighbours; the lines that matter of the others; and the rest of each.
    """
    distinct = _without_overlaps(results)
    if budget <= 0:
        return Packed(tuple(distinct), cost, tuple(neighbours))
    filling = _Filling(list(_folded(distinct)), budget, gist, cost)
    order = _files_first(filling.results)
    for number in order[:1]:
        if not filling.results[number].lines:
            filling.widen(number, BODY_LINES, int(budget * FIRST_SHARE))
    for number in order:
        filling.place(number)
    filling.widen_all(BODY_LINES, BODIES)
    shown = filling.beside(neighbours, int(budget * BESIDE_SHARE))
    filling.widen_all(BODY_LINES)
    filling.widen_all(budget)  # a line costs a token at least
    return Packed(filling.kept, cost, filling.beside(neighbours, budget) or shown)


class _Filling:
    """A budget while it is filled: what of each result is in so far, and what that costs."""

    def __init__(self, results: Sequence[Result], budget: int, gist: frozenset[str], cost: Cost) -> None:
        self.results = results
        self._budget = budget
        self._gist = gist
        self._cost = cost
        self._in: dict[int, tuple[Result, int]] = {}
        self._beside = 0

    @property
    def kept(self) -> tuple[Result, ...]:
        return tuple(
            _with_snippet(shown, self.results[number].code_snippet, cost, self._cost) for number, (shown, cost) in sorted(self._in.items())
        )

    @property
    def numbers(self) -> list[int]:
        """Which results are in, best first."""
        return sorted(self._in)

    @property
    def used(self) -> int:
        return sum(cost for _, cost in self._in.values()) + self._beside

    def place(self, number: int) -> None:
        """Take in where a result is, with the lines for which it is there, if nothing of it is in yet and that fits."""
        if number not in self._in:
            lines = min(len(self.results[number].lines), BODY_LINES)
            if not (lines and self._try(number, lines, self._budget - self.used)):
                self._try(number, 0, self._budget - self.used)

    def widen_all(self, lines: int, results: int | None = None) -> None:
        """Show so many lines of each of the first results, or of all, as far as they fit. Of one that is there for some of its lines no more is shown."""
        for number in self.numbers[:results]:
            if not self.results[number].lines:
                self.widen(number, min(lines, lines_of(self.results[number].chunk)), self._budget)

    def beside(self, neighbours: Sequence[Neighbour], most: int) -> tuple[Neighbour, ...]:
        """The first neighbours that fit in what is left, and in `most` tokens."""
        count = len(neighbours) if self._in else 0
        self._beside = 0
        left = min(self._budget - self.used, most)
        while count and beside_cost(neighbours[:count]) > left:
            count -= 1
        self._beside = beside_cost(neighbours[:count])
        return tuple(neighbours[:count])

    def widen(self, number: int, lines: int, most: int) -> None:
        """Show as many of the result's lines, up to `lines`, as fit in what is left, all of it costing `most` tokens at most."""
        before, cost = self._in.get(number, (None, 0))
        low = len(before.shown or ()) if before else 0
        left = min(self._budget - self.used + cost, most)
        if lines <= low or self._try(number, lines, left):
            return
        high = lines - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._try(number, middle, left) else (low, middle - 1)

    def _try(self, number: int, lines: int, left: int) -> bool:
        """Put the result in with so many lines, if that costs no more than what is left."""
        result = self.results[number]
        fitting = replace(result, shown=excerpt(result.chunk, self._gist, lines, result.lines or result.wanted), code_snippet=CUT)
        cost = self._cost(fitting)
        if cost <= left:
            self._in[number] = (fitting, cost)
        return cost <= left


def _files_first(results: Sequence[Result]) -> list[int]:
    """The numbers of the results, the first of each file before any file's second."""
    seen: set[tuple[str, str]] = set()
    firsts = []
    for number, result in enumerate(results):
        key = (result.chunk.namespace, result.chunk.filepath)
        if key not in seen:
            seen.add(key)
            firsts.append(number)
    first = set(firsts)
    return [*firsts, *(number for number in range(len(results)) if number not in first)]


def _with_snippet(result: Result, snippet: str, budget: int, cost: Cost) -> Result:
    """The result with its snippet, cut to the longest beginning that costs no more than its printed lines: whole lines, or what fits of the
    first one."""
    whole = replace(result, code_snippet=snippet)
    if cost(whole) <= budget:
        return whole
    lines = snippet.removesuffix(CUT).split("\n")
    by_lines = _longest(result, lambda size: "\n".join([*lines[:size], CUT]), len(lines) - 1, budget, cost)
    return by_lines or _longest(result, lambda size: f"{lines[0][:size]}{CUT}", len(lines[0]), budget, cost) or result


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
