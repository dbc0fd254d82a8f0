"""Which models give an index its vectors? The one that is set, and those that answer while it cannot: each in a space of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from clew.core.catalog import Space
from clew.core.protocols import Embedder
from clew.errors import ClewError, UsageError

FACT = "fallbacks"
"""The fact that tells which space each fallback had at the last index run."""


class Fallback(NamedTuple):
    """A model that answers while those before it cannot: how it was named, and how it is loaded."""

    name: str
    load: Callable[[], Embedder]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The models that could be loaded: the `first` is the one that is set. `spaces` are those of the fallbacks by name; `warnings` say what could not be loaded."""

    first: Embedder | None = None
    others: tuple[Embedder, ...] = ()
    spaces: tuple[tuple[str, Space], ...] = ()
    warnings: tuple[str, ...] = ()

    def only(self, spaces: Collection[Space]) -> Loaded:
        """Those whose space is among these: a few vectors in a new one would look like an index."""
        first = self.first if self.first is not None and self.first.space in spaces else None
        return Loaded(first, tuple(one for one in self.others if one.space in spaces), self.spaces, self.warnings)


@dataclass(frozen=True, slots=True)
class Models:
    """The model that is set, and its fallbacks in order."""

    first: Callable[[], Embedder]
    fallbacks: tuple[Fallback, ...] = ()

    def loaded(self, *, strict: bool) -> Loaded:
        """All that can be loaded. What cannot is a warning; `strict` raises what is set wrongly, and what leaves no model at all."""
        warnings: list[str] = []
        first, fault = _load(self.first)
        if fault is not None:
            if strict and (isinstance(fault, UsageError) or not self.fallbacks):
                raise fault
            warnings.append(f"chunks were not embedded: {_said(fault)}")
        others: list[tuple[str, Embedder]] = []
        for name, load in self.fallbacks:
            other, its_fault = _load(load)
            if its_fault is not None:
                warnings.append(f"the fallback {name} was not filled: {_said(its_fault)}")
            elif other is not None and other.space not in [one.space for one in (first, *(one for _, one in others)) if one is not None]:
                others.append((name, other))
        if strict and fault is not None and not others:
            raise fault
        spaces = tuple((name, one.space) for name, one in others)
        return Loaded(first, tuple(one for _, one in others), spaces, tuple(warnings))

    def noted(self, loaded: Loaded, facts: Mapping[str, str]) -> str:
        """The fact to be kept after a run: the space of each fallback that is set, that of the last time where it could not be loaded."""
        former, now = filled(facts), {name: space.fingerprint for name, space in loaded.spaces}
        return json.dumps(
            {one.name: now.get(one.name) or former[one.name] for one in self.fallbacks if one.name in now or one.name in former}
        )


def filled(facts: Mapping[str, str]) -> dict[str, str]:
    """The fingerprints of the fallbacks' spaces at the last index run, by name."""
    return dict(json.loads(facts.get(FACT) or "{}"))


def _load(load: Callable[[], Embedder]) -> tuple[Embedder | None, ClewError | None]:
    try:
        return load(), None
    except ClewError as fault:
        return None, fault


def _said(fault: ClewError) -> str:
    return f"{fault.message} ({fault.hint})" if fault.hint else fault.message
