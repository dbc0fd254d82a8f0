"""Which tables are missing between those that were chosen? The shortest joins that connect them; they complete an answer, and rank nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from clew.search.schema.links import Link

MOST_STEPS = 4
"""Tables between two chosen ones at most, less one: longer ways join by accident."""


def bridges(chosen: Sequence[int], links: Iterable[Link]) -> tuple[int, ...]:
    """The tables to add, in order: each chosen table (the best first) is connected to those before it by the shortest way there is.
    Ways through declared keys win over ways of the same length through inferred ones, then the smaller place."""
    ways = _ways(links)
    connected = set(chosen[:1])
    added: dict[int, None] = {}
    for table in chosen[1:]:
        if table in connected:
            continue
        way = _shortest(table, connected, ways)
        for step in way:
            if step not in chosen:
                added[step] = None
        connected.update(way)
        connected.add(table)
    return tuple(added)


def _ways(links: Iterable[Link]) -> Mapping[int, list[int]]:
    """Neighbours of each table, declared ones first."""
    cost: dict[int, dict[int, int]] = defaultdict(dict)
    for link in links:
        if link.left != link.right:
            for near, far in ((link.left, link.right), (link.right, link.left)):
                cost[near][far] = min(cost[near].get(far, 1), int(bool(link.key.inferred)))
    return {near: sorted(far, key=lambda one: (far[one], one)) for near, far in cost.items()}


def _shortest(start: int, goals: set[int], ways: Mapping[int, list[int]]) -> tuple[int, ...]:
    """The tables on the shortest way to any goal, the goal included; none where there is no way."""
    before: dict[int, int] = {start: start}
    frontier = [start]
    for _ in range(MOST_STEPS):
        following: list[int] = []
        for table in frontier:
            for other in ways.get(table, ()):
                if other in before:
                    continue
                before[other] = table
                if other in goals:
                    return _back(other, before)
                following.append(other)
        frontier = following
    return ()


def _back(table: int, before: Mapping[int, int]) -> tuple[int, ...]:
    found = [table]
    while before[found[-1]] != found[-1]:
        found.append(before[found[-1]])
    return tuple(found[:-1])
