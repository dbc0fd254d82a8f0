"""What is asked of a store, and what does it give back? Scope, filters, hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from clew.core.chunk import VISIBILITIES, Visibility


@dataclass(frozen=True, slots=True)
class Scope:
    """The namespaces and visibilities that a caller may see. Every store call takes one."""

    namespaces: tuple[str, ...]
    visibilities: tuple[Visibility, ...] = VISIBILITIES


@dataclass(frozen=True, slots=True)
class Filters:
    """Restrictions pushed down into a store; an empty tuple restricts nothing, several values of one kind mean or.

    A path is relative to the namespace's root and `/`-separated: `is_glob` false means that file or everything below that
    folder. `case` of languages and symbol types does not matter.
    """

    languages: tuple[str, ...] = ()
    symbol_types: tuple[str, ...] = ()
    paths: tuple[PathFilter, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.languages or self.symbol_types or self.paths)


class PathFilter(NamedTuple):
    """A file or folder, or a glob (`**` crosses folders, `*` does not; a glob without `/` matches at any depth)."""

    path: str
    is_glob: bool = False


class Hit(NamedTuple):
    """A chunk that a leg found, light enough to make by the hundred. `score` is in the leg's own unit, larger is better."""

    namespace: str
    id: str
    filepath: str
    symbol_name: str
    symbol_type: str
    language: str
    line_start: int
    line_end: int
    parent: str
    score: float

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the chunk in a store."""
        return (self.namespace, self.id)


@dataclass(frozen=True, slots=True)
class Leg:
    """One leg's answer, best first, equal scores in order of key.

    `baseline` is what an unrelated chunk scores (the median over files of the best cosine for vectors, 0 for keywords).
    `averages` is, for the file of each hit, the mean score of all chunks of that file, and `average` that of the median file;
    only a leg of vectors has them, and none that looked at some of the chunks alone.
    `generation` is the state that was searched; `warnings` say what is missing from it and what to do.
    """

    hits: tuple[Hit, ...] = ()
    baseline: float = 0.0
    generation: int = 0
    warnings: tuple[str, ...] = ()
    averages: Mapping[tuple[str, str], float] = field(default_factory=dict)
    average: float = 0.0


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """How many chunks there are, and how many hold each term (absent terms are left out)."""

    total: int = 0
    frequency: Mapping[str, int] = field(default_factory=dict)
