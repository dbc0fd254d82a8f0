"""Which tables are missing between those that were chosen? The shortest joins that connect them; they complete an answer, and rank nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clew.search.schema.links import LinkGraph

MOST_STEPS = 4
"""Tables between two chosen ones at most, less one: longer ways join by accident."""
MOST_SEEN = 20_000
"""Tables that are walked over in search of a way."""


def bridges(chosen: Sequence[int], graph: LinkGraph) -> tuple[int, ...]:
    """The tables to add, in order: each chosen table (the best first) is connected to those before it by the shortest way there is.
    Ways through declared keys win over ways of the same length through inferred ones, then the smaller place."""
    connected = set(chosen[:1])
    added: dict[int, None] = {}
    for table in chosen[1:]:
        if table in connected:
            continue
        way = _shortest(table, connected, graph)
        for step in way:
            if step not in chosen:
                added[step] = None
        connected.update(way)
        connected.add(table)
    return tuple(added)


def _shortest(start: int, goals: set[int], graph: LinkGraph) -> tuple[int, ...]:
    """The tables on the shortest way to any goal, the goal included; none where there is no way."""
    before: dict[int, int] = {start: start}
    frontier = [start]
    for _ in range(MOST_STEPS):
        following: list[int] = []
        for table in frontier:
            for other in graph.neighbours(table):
                if other in before:
                    continue
                before[other] = table
                if other in goals:
                    return _back(other, before)
                following.append(other)
            if len(before) > MOST_SEEN:
                return ()
        frontier = following
    return ()


def _back(table: int, before: Mapping[int, int]) -> tuple[int, ...]:
    found = [table]
    while before[found[-1]] != found[-1]:
        found.append(before[found[-1]])
    return tuple(found[:-1])
