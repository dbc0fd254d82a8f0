"""Which tables are linked? By declared keys, and by those that names, types and unique keys suggest where none is declared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from clew.core.schema.contracts import ForeignKey, Snapshot
from clew.search.schema.inference import guesses


class Link(NamedTuple):
    """A key between two tables of one snapshot, by their places in it."""

    left: int
    right: int
    key: ForeignKey


class LinkGraph:
    """Links by the tables that they connect: what is asked of them never goes through all."""

    def __init__(self, all_links: Iterable[Link]) -> None:
        self._of: dict[int, list[Link]] = defaultdict(list)
        self._ways: dict[int, list[int]] = {}
        for link in all_links:
            self._of[link.left].append(link)
            if link.right != link.left:
                self._of[link.right].append(link)

    def from_table(self, place: int) -> list[Link]:
        """The keys that a table has."""
        return [link for link in self._of.get(place, ()) if link.left == place]

    def between(self, places: Iterable[int]) -> list[Link]:
        """The links of which both ends are among these tables, in the order of the tables."""
        wanted = dict.fromkeys(places)
        return [link for place in wanted for link in self.from_table(place) if link.right in wanted]

    def neighbours(self, place: int) -> list[int]:
        """The tables on the other ends: those of declared keys first, then by place."""
        if place not in self._ways:
            cost: dict[int, int] = {}
            for link in self._of.get(place, ()):
                other = link.right if link.left == place else link.left
                if other != place:
                    cost[other] = min(cost.get(other, 1), int(bool(link.key.inferred)))
            self._ways[place] = sorted(cost, key=lambda one: (cost[one], one))
        return self._ways[place]


def links(snapshot: Snapshot) -> tuple[Link, ...]:
    """All links of a snapshot, declared ones first; a key to a table that is not in it is left out."""
    places = {table.key: place for place, table in enumerate(snapshot.tables)}
    declared = [
        Link(place, places[key.referred_schema, key.referred_table], key)
        for place, table in enumerate(snapshot.tables)
        for key in table.foreign_keys
        if (key.referred_schema, key.referred_table) in places
    ]
    return (*declared, *inferred(snapshot))


def inferred(snapshot: Snapshot) -> tuple[Link, ...]:
    """Links that no key declares, each with the reasons for which it is believed."""
    return tuple(Link(*guess) for guess in guesses(snapshot))
