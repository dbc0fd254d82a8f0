"""Where is a long run of lines cut? At the shallowest statement first, then at blank lines, at indentation, and hard at last."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from math import ceil

from clew.core.tokens import count_tokens
from clew.index.chunk_units import is_blank

# A piece smaller than this part of an even share is not cut off where another cut can be had.
_LEAST_SHARE = 0.25

_FILL = 0.9
"""A share is planned this full: lines differ, and a piece that is a little too long is cut in half."""
_SAMPLE = 500
"""Characters at the start and in the middle from which the tokens of a long span are estimated."""
_SLACK = 1.5
"""A piece estimated at this much over the capacity is not counted to see whether it fits."""


def cut_lines(cuts: Sequence[tuple[int, int]]) -> list[list[int]]:
    """An outline's cuts as sorted lists of lines, the shallowest depth first."""
    levels: dict[int, list[int]] = {}
    for line, depth in cuts:
        levels.setdefault(depth, []).append(line)
    return [sorted(levels[depth]) for depth in sorted(levels)]


def pieces(
    lines: Sequence[str],
    span: tuple[int, int],
    levels: Sequence[Sequence[int]],
    capacity: int,
    most_lines: int,
    fits: Callable[[int, int], bool],
) -> Iterator[tuple[int, int]]:
    """The span (1-based, inclusive) in pieces that fit, without blank lines at their ends. A piece of one line may not fit.

    `capacity` is about how many tokens of code fit; `most_lines` is how many lines a piece should have at most, 0 for any number.
    """
    if span[0] == span[1]:
        yield span
        return
    ladder = _Ladder(lines, span, levels, capacity, most_lines)
    waiting = [span]
    while waiting:
        start, end = waiting.pop()
        while start < end and is_blank(lines[start - 1]):
            start += 1
        while start < end and is_blank(lines[end - 1]):
            end -= 1
        if start == end or (ladder.may_fit(start, end) and fits(start, end)):
            yield start, end
            continue
        cut = ladder.cut(start, end)
        waiting += [(cut, end), (start, cut - 1)]


class _Ladder:
    """Candidates for cuts of one span, best kind first, and what each line weighs."""

    def __init__(
        self, lines: Sequence[str], span: tuple[int, int], levels: Sequence[Sequence[int]], capacity: int, most_lines: int
    ) -> None:
        first, last = span
        self._first = first
        inside = lines[first - 1 : last]
        # Sums up to and including the line before: the weight of lines a to b is sums[b + 1] - sums[a], counted from `first`.
        # Lines are weighed by their length: counting the tokens of each would cost more than all the rest of cutting.
        self._sums = [0, *accumulate(len(line) + 1 for line in inside)]
        text = "\n".join(inside)
        sample = text[:_SAMPLE] + text[len(text) // 2 :][:_SAMPLE]
        rate = count_tokens(sample) / len(sample)
        self._capacity = max(capacity * _FILL / rate, 1)
        self._most_lines = most_lines
        self._levels = levels
        self._inside = inside

    def may_fit(self, start: int, end: int) -> bool:
        """Whether it is worth counting."""
        if 0 < self._most_lines < end - start + 1:
            return False
        return self._weight(self._sums, start, end) <= self._capacity * _SLACK

    def cut(self, start: int, end: int) -> int:
        """The line at which the second part begins: near an even share, `start` < line <= `end`."""
        sums: Sequence[int] = self._sums
        shares = ceil(self._weight(sums, start, end) / self._capacity)
        if self._most_lines and (by_lines := ceil((end - start + 1) / self._most_lines)) > shares:
            shares, sums = by_lines, range(len(self._sums))
        shares = max(shares, 2)
        weight = self._weight(sums, start, end)
        before = sums[start - self._first]
        goal = before + weight * (shares // 2) / shares
        least = weight / shares * _LEAST_SHARE
        for level in self._candidates():
            best = self._nearest(level, sums, goal, (start, end), (before + least, before + weight - least))
            if best:
                return best
        hard = bisect_left(sums, goal) + self._first
        return min(max(hard, start + 1), end)

    def _candidates(self) -> Iterator[Sequence[int]]:
        yield from self._levels
        yield self._after_blank
        yield self._dedents

    @cached_property
    def _after_blank(self) -> list[int]:
        blank = [is_blank(line) for line in self._inside]
        return [self._first + i for i in range(1, len(blank)) if blank[i - 1] and not blank[i]]

    @cached_property
    def _dedents(self) -> list[int]:
        """Lines that stand further left than the line before."""
        depths = [(self._first + i, len(line) - len(line.lstrip())) for i, line in enumerate(self._inside) if not is_blank(line)]
        return [line for (_, before), (line, depth) in pairwise(depths) if depth < before]

    def _weight(self, sums: Sequence[int], start: int, end: int) -> int:
        return sums[end - self._first + 1] - sums[start - self._first]

    def _nearest(self, level: Sequence[int], sums: Sequence[int], goal: float, span: tuple[int, int], bounds: tuple[float, float]) -> int:
        """The level's line whose weight before it is nearest to the goal and within bounds, or 0."""
        middle = bisect_left(sums, goal) + self._first
        place = bisect_left(level, middle)
        best, distance = 0, float("inf")
        for line in level[max(place - 1, 0) : place + 1]:
            if span[0] < line <= span[1]:
                at = sums[line - self._first]
                if bounds[0] <= at <= bounds[1] and abs(at - goal) < distance:
                    best, distance = line, abs(at - goal)
        return best


def slices(line: str, fits: Callable[[str], bool], capacity: int) -> Iterator[str]:
    """One giant line in parts that fit, cut behind a character that is not part of a word where one is near. Nothing is lost."""
    position = 0
    likely = max(capacity * 4, 1)
    while position < len(line):
        size = likely
        while size > 1 and not fits(line[position : position + size]):
            size = max(size * 7 // 8, 1)
        likely = size * 9 // 8 + 1
        end = position + size
        if end < len(line):
            end = _word_border(line, position + size * 3 // 4, end)
        yield line[position:end]
        position = end


def _word_border(line: str, low: int, high: int) -> int:
    """The last place in `low` to `high` that does not stand inside a word, or `high`."""
    for place in range(high, max(low, 1), -1):
        if not (line[place - 1].isalnum() and line[place].isalnum()):
            return place
    return high
