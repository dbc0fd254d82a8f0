"""Which chunks define a name that the question holds?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from clew.core.protocols import ChunkStore
from clew.core.query import Hit
from clew.errors import ClewError
from clew.search.legs import Look

CLASSES = frozenset(
    ["class", "struct", "interface", "trait", "enum", "type", "protocol", "module", "object", "namespace", "table", "contract"]
)
FUNCTIONS = frozenset(["function", "method", "constructor", "macro", "subroutine", "procedure"])
CLASS_SHARE, FUNCTION_SHARE, OTHER_SHARE = 1.0, 0.8, 0.5
"""How much a definition of each kind counts: RANKING, definition boost."""
PLACE_SHARE = 1.0
"""A chunk that holds a line which the question names counts as the definition of a class."""
MAX_PLACE_FILES = 5
"""Files of one name that a place may mean: `index.ts:10` in a large project means none."""
OTHER_CASE_SHARE = 0.5
"""`session` asked, `Session` defined: half, since prose is full of words that some class is named after."""


class Definition(NamedTuple):
    """A chunk that defines `name`, and its share of the boost. `whole` marks one whose qualified name was asked, in full and as spelled."""

    hit: Hit
    name: str
    share: float
    whole: bool = False


class Names(NamedTuple):
    definitions: tuple[Definition, ...] = ()
    warnings: tuple[str, ...] = ()


def by_names(store: ChunkStore, look: Look) -> Names:
    """The definitions of the question's names; on failure none, and a warning that says so."""
    shares = {name.lower(): (name, share) for name, share in reversed(look.query.names)}
    if not shares and not look.query.places:
        return Names()
    try:
        hits = store.named(look.scope, [name for name, _ in look.query.names], look.filters, look.limit) if shares else ()
        places = tuple(found for path, line in look.query.places for found in _at(store, look, path, line))
    except (ClewError, OSError) as fault:
        return Names(warnings=(f"names were not looked up: {fault}",))
    return Names((*(definition for hit in hits if (definition := _definition(hit, shares))), *places))


def _at(store: ChunkStore, look: Look, path: str, line: int) -> Iterator[Definition]:
    """The chunks at a place. Of a longer path the beginning may be another machine's, all but the file's name and its folder."""
    parts = path.split("/")
    for start in range(max(len(parts) - 1, 1)):
        hits = store.at(look.scope, "/".join(parts[start:]), line, look.filters)
        if hits:
            yield from (Definition(hit, f"{path}:{line}", PLACE_SHARE, whole=True) for hit in hits[:MAX_PLACE_FILES])
            return


def _definition(hit: Hit, shares: dict[str, tuple[str, float]]) -> Definition | None:
    qualified = hit.symbol_name.replace("::", ".").replace("#", ".").lower()
    parts = qualified.split(".")
    for start in range(len(parts)):
        asked = shares.get(".".join(parts[start:]))
        if asked:
            case = 1.0 if hit.score >= 1 else OTHER_CASE_SHARE
            whole = start == 0 < len(parts) - 1 and hit.score >= 1
            return Definition(hit, asked[0], asked[1] * case * _kind_share(hit.symbol_type), whole)
    return None


def _kind_share(symbol_type: str) -> float:
    if symbol_type in CLASSES:
        return CLASS_SHARE
    return FUNCTION_SHARE if symbol_type in FUNCTIONS else OTHER_SHARE
