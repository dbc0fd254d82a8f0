"""How do many texts get their vectors, whatever goes wrong with some? What is finished is kept, what is refused is named, what is left stays pending."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.core.embedding import in_batches
from clew.core.protocols import Embedder
from clew.errors import ClewError

if TYPE_CHECKING:
    from clew.core.catalog import Vector

NAMED = 10
"""Refused texts that a warning names."""


@dataclass(slots=True)
class Embedded:
    """What came of it: vectors and refusals by checksum. `fault` says why the rest has neither; `ends` whether asking again in this run is of no use."""

    vectors: dict[str, Vector] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    truncated: int = 0
    fault: str = ""
    ends: bool = False


def embedded(embedder: Embedder, texts: Mapping[str, str]) -> Embedded:
    """Embed texts by checksum, as far as that goes."""
    found = Embedded()
    sums, given = tuple(texts), list(texts.values())
    try:
        for batch in in_batches(embedder, given):
            found.vectors.update(zip((sums[place] for place in batch.places), batch.vectors, strict=True))
            found.refused.update((sums[place], reason) for place, reason in batch.refused.items())
            found.truncated += batch.truncated
    except ClewError as fault:
        found.fault, found.ends = f"{fault.message} ({fault.hint})" if fault.hint else fault.message, True
    except Exception as fault:  # noqa: BLE001 - a provider may fail in any way; the index must not
        found.fault = f"{type(fault).__name__}: {fault}"
    return found


def refusals(refused: Mapping[str, str], texts: Mapping[str, str]) -> list[str]:
    """A line about the texts that the model will have nothing of, naming the first."""
    if not refused:
        return []
    names = [" ".join(texts[one].split("\n", 2)[:2]) for one in refused]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return [
        f"{len(names)} chunks were not embedded, since {next(iter(refused.values()))}: {', '.join(names[:NAMED])}{more}; words find them all the same"
    ]
