"""Which definitions does a name mean, and which names are much like one that there is not?"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from clew.core.graph import Symbol
from clew.core.query import Filters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.core.protocols import ChunkStore
    from clew.core.query import Scope

_NEAR = 5
"""Names that are proposed where one is not found."""
_MOST_NAMES = 200_000
"""Names that one is compared with; in a larger project it takes seconds."""
_MOST_NAMED = 200
"""Chunks looked up for one name: a definition in pieces has several."""


def outermost(found: Sequence[Symbol]) -> dict[str, frozenset[str]]:
    """By file, the names under which its definitions can be imported: of a method, its type's."""
    files: dict[str, set[str]] = {}
    for symbol in found:
        files.setdefault(symbol.filepath, set()).add(symbol.name.partition(".")[0])
    return {filepath: frozenset(names) for filepath, names in files.items()}


def symbols(store: ChunkStore, scope: Scope, name: str) -> tuple[Symbol, ...]:
    """The definitions that a name means: `name`, `Type.name`, or `path:name` for those of one file (or of the files below a folder)."""
    path, _, wanted = name.strip().rpartition(":") if "::" not in name else ("", "", name.strip())
    parts = [part for part in wanted.replace("::", ".").replace("#", ".").replace("->", ".").removesuffix("()").split(".") if part]
    if not parts:
        return ()
    found = []
    for symbol in named(store, scope, parts[-1]):
        own = symbol.name.replace("::", ".").replace("#", ".").split(".")
        if own[-len(parts) :] == parts and (not path or _is_in(symbol.filepath, path)):
            found.append(_with_signature(store, scope, symbol))
    return tuple(found)


def named(store: ChunkStore, scope: Scope, name: str) -> tuple[Symbol, ...]:
    """The definitions of this very name or qualified name, each once; a definition in pieces reaches over all of them."""
    hits = [hit for hit in store.named(scope, (name,), Filters(), _MOST_NAMED) if hit.score == 1.0]
    found: dict[tuple[str, str], Symbol] = {}
    for hit in sorted(hits, key=lambda hit: (hit.filepath, hit.line_start)):
        symbol = Symbol(hit.filepath, hit.symbol_name, hit.symbol_type, hit.line_start, hit.line_end)
        former = found.get(symbol.key)
        found[symbol.key] = former._replace(line_end=max(former.line_end, symbol.line_end)) if former else symbol
    return tuple(found.values())


def near(store: ChunkStore, scope: Scope, name: str) -> tuple[str, ...]:
    """Names of the project that are spelled much like this one, as they are written."""
    bare = name.replace("::", ".").replace(":", ".").removesuffix("()").rsplit(".", 1)[-1].casefold()
    names = store.names(scope)
    if not bare or len(names) > _MOST_NAMES:
        return ()
    close = get_close_matches(bare, names, n=_NEAR)
    spelled = (hit.symbol_name for one in close for hit in store.named(scope, (one,), Filters(), _NEAR))
    return tuple(dict.fromkeys(spelled))[:_NEAR]


def _is_in(filepath: str, path: str) -> bool:
    return filepath == path or filepath.endswith(f"/{path}") or f"/{filepath}".find(f"/{path.rstrip('/')}/") >= 0


def _with_signature(store: ChunkStore, scope: Scope, symbol: Symbol) -> Symbol:
    for one in store.outline(scope, symbol.filepath):
        if one.qualified_name == symbol.name:
            return symbol._replace(line_start=one.line_start, line_end=max(one.line_end, symbol.line_end), signature=one.signature)
    return symbol
