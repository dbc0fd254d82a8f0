"""What of the found tables fits a budget of tokens? Whole tables when they do, else keys and the best columns first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from clew.core.schema.contracts import Snapshot
from clew.core.tokens import count_tokens
from clew.search.schema.ddl import Drawing, Part, Wording
from clew.search.schema.links import Link


class Packed(NamedTuple):
    """DDL and its tokens; `tables` and `columns` are what is shown, `is_whole` when nothing of the wished tables was left out."""

    ddl: str
    tokens: int
    shown: Mapping[int, frozenset[str]]
    is_whole: bool


class Wish(NamedTuple):
    """A table that should be shown, with its columns, best first, each with its score."""

    place: int
    columns: Sequence[tuple[str, float]]


def pack(snapshot: Snapshot, wishes: Sequence[Wish], links: Sequence[Link], budget: int, wording: Wording) -> Packed:
    """The most useful DDL of at most `budget` tokens (0: no bound). Tables are given up from the last one, columns from the least."""
    whole = [Part(wish.place, tuple(name for name, _ in wish.columns)) for wish in wishes]
    for said in (wording, wording._replace(comments=False, samples=False)):
        drawing = Drawing(snapshot, links, said)
        if _may_fit(whole, budget):
            packed = _drawn(drawing, whole)
            if not budget or packed.tokens <= budget:
                return packed._replace(is_whole=said is wording)
        parts = _trimmed(snapshot, wishes, links, partial(_fits, drawing, budget), budget // TOKENS_A_COLUMN)
        if parts:
            return _drawn(drawing, parts)
    return Packed("", 0, {}, False)


def _drawn(drawing: Drawing, parts: Sequence[Part]) -> Packed:
    ddl = drawing.render(parts)
    return Packed(ddl, count_tokens(ddl), {part.place: frozenset(part.columns) for part in parts}, False)


def _fits(drawing: Drawing, budget: int, parts: Sequence[Part]) -> bool:
    return count_tokens(drawing.render(parts)) <= budget


def _may_fit(parts: Sequence[Part], budget: int) -> bool:
    """False when the names alone are more than the budget, so that thousands of tables are not written for nothing."""
    return not budget or sum(2 + 2 * len(part.columns) for part in parts) <= budget


def _trimmed(
    snapshot: Snapshot, wishes: Sequence[Wish], links: Sequence[Link], fits: Callable[[Sequence[Part]], bool], guess: int
) -> list[Part]:
    """As many columns as fit, the best first, for as many tables (from the first) as leave room for a few columns each."""
    tables = max(1, guess // (2 * FEWEST_COLUMNS))
    count = _most(len(wishes), lambda number: fits(_parts(snapshot, wishes[:number], links, number * FEWEST_COLUMNS)), guess=tables)
    if not count:
        return []
    chosen = wishes[:count]
    most = sum(len(wish.columns) for wish in chosen)
    least = min(most, count * FEWEST_COLUMNS)
    columns = _most(most, lambda number: fits(_parts(snapshot, chosen, links, number)), least=least, guess=max(least, guess))
    return _parts(snapshot, chosen, links, columns)


FEWEST_COLUMNS = 3
"""Columns a table should have room for, beside its keys, before another table is added."""
TOKENS_A_COLUMN = 9
"""About what a column with its comment takes: where the search for the most that fits begins."""


def _most(most: int, fits: Callable[[int], bool], *, guess: int, least: int = 0) -> int:
    """The largest number up to `most` that fits, `least` being known to: doubled steps away from a guess, then halves. More is never cheaper."""
    low, high = min(least, most), most
    at, step = max(low, min(guess, most)), 2
    goes_up = at == low or fits(at)
    if not goes_up:
        high = at - 1
    while low < high:
        if goes_up:
            low = max(low, at)
            at = min(high, low + step)
        else:
            at = max(low, high - step)
        fitted = at == low or fits(at)
        low, high = (max(low, at), high) if fitted else (low, at - 1)
        if fitted != goes_up:
            break
        step *= 2
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _parts(snapshot: Snapshot, wishes: Sequence[Wish], links: Sequence[Link], columns: int) -> list[Part]:
    """The tables with keys that join them, and the best columns overall."""
    shown = {wish.place for wish in wishes}
    kept: dict[int, set[str]] = {place: set() for place in shown}
    for link in links:
        if link.left in shown and link.right in shown:
            kept[link.left].update(link.key.columns)
            kept[link.right].update(link.key.referred_columns)
    for wish in wishes:
        kept[wish.place].update(snapshot.tables[wish.place].primary_key)
    ranked = sorted(
        ((score, number, name) for number, wish in enumerate(wishes) for name, score in wish.columns),
        key=lambda one: (-one[0], one[1], one[2]),
    )
    for _, number, name in ranked[:columns]:
        kept[wishes[number].place].add(name)
    for wish in wishes:
        if not kept[wish.place]:  # a table without columns is no SQL
            kept[wish.place].update(name for name, _ in wish.columns[:1])
    return [Part(wish.place, tuple(name for name, _ in wish.columns if name in kept[wish.place])) for wish in wishes]
