"""Which of a model's choices count for more than what plain search found? Those that it makes twice, of lists in different order: chance does not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from clew.core.query import Hit

Thing = TypeVar("Thing")
MOSTLY = 0.5
"""Share of the chosen chunks that must be of the files agreed on: who draws ten by chance agrees with himself in 9 of 100 questions, and so in 1."""
MORE = 2
"""Chunks beside the best one of each file that come first too: more of them would push out what plain search found."""


@dataclass(frozen=True, slots=True)
class Walked:
    """What the model chose: `files`, then `chunks` of these and of `rivals`, files that plain search found, offered for comparison in an order that says nothing.
    `chose_files` and `chose_chunks` say whether it was the model that chose, `is_gone` whether it stopped to answer; `others` are the best chunks of files of which it chose none."""

    files: tuple[str, ...] = ()
    chunks: tuple[Hit, ...] = ()
    others: tuple[Hit, ...] = ()
    rivals: tuple[str, ...] = ()
    chose_files: bool = False
    chose_chunks: bool = False
    is_gone: bool = False

    @property
    def is_chosen(self) -> bool:
        """Whether the model chose anything."""
        return self.chose_files or self.chose_chunks

    @property
    def agreed(self) -> tuple[str, ...]:
        """The files that it chose first both times, best first; none where most of the chunks that it chose are of others."""
        if not (self.chose_files and self.chose_chunks):
            return ()
        second = [hit.filepath for hit in self.chunks]
        files = agreed(self.files, second, len(self.files) + len(self.rivals))
        return files if sum(path in files for path in second) >= MOSTLY * len(second) else ()

    def in_order(self, most: int) -> tuple[tuple[Hit, ...], tuple[Hit, ...]]:
        """The chunks that come before what plain search found, those of the files that it agrees on, each file's first before any file's second; and the
        others that it chose. So many at most together."""
        place = {path: number for number, path in enumerate(self.agreed)}
        chosen = sorted((hit for hit in self.chunks if hit.filepath in place), key=lambda hit: place[hit.filepath])
        heads, rest = _in_turn(chosen)
        first = (*heads, *rest[:MORE])
        others = self.chunks + self.others if self.is_chosen else ()
        later = [hit for hit in others if hit not in first]
        return first, tuple(later[: most - len(first)])


def _in_turn(hits: Iterable[Hit]) -> tuple[list[Hit], list[Hit]]:
    """The first chunk of each file, and the others."""
    heads: dict[str, Hit] = {}
    rest = [hit for hit in hits if heads.setdefault(hit.filepath, hit) is not hit]
    return list(heads.values()), rest


def agreed(first: Sequence[Thing], second: Sequence[Thing], offered: int) -> tuple[Thing, ...]:
    """The longest beginning that two choices have in common, whatever its order, in that of the second; of at most half of what was `offered`, since who
    chooses everything has chosen nothing."""
    first, second = list(dict.fromkeys(first)), list(dict.fromkeys(second))
    most = min(len(first), len(second), max(offered // 2, 1))
    alike = next((size for size in range(most, 0, -1) if set(first[:size]) == set(second[:size])), 0)
    return tuple(second[:alike])
