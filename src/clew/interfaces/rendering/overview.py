"""How does a project fit on one page? The lines of its map, as many as a budget of tokens holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clew.core.tokens import count_tokens
from clew.core.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clew.core.graph import ProjectMap

_FOLDERS_SHARE = 0.35
"""The share of a budget that folders may take: what the project turns on matters more."""


def fitted(found: ProjectMap, max_tokens: int) -> ProjectMap:
    """The map with as much as fits: the outermost folders, and the files used most."""
    bare = replace(found, folders=(), central=())
    by_depth = sorted(found.folders, key=lambda one: (one.path.count("/"), -one.files, one.path))
    most = _most(len(by_depth), lambda count: _cost(replace(bare, folders=tuple(by_depth[:count]))) <= max_tokens * _FOLDERS_SHARE)
    shown = replace(bare, folders=tuple(sorted(by_depth[:most])))
    count = _most(len(found.central), lambda count: _cost(replace(shown, central=found.central[:count])) <= max_tokens)
    whole = replace(shown, central=found.central[:count])
    return whole if _cost(whole) <= max_tokens else bare


def map_lines(found: ProjectMap) -> Iterator[str]:
    """A head, the folders with their numbers of files, and the files that others use with their main definitions."""
    languages = ", ".join(f"{visible(name)} {count:,}" for name, count in found.languages[:5])
    yield f"{visible(found.name)}: {found.files:,} files{f' ({languages})' if languages else ''}"
    if found.folders:
        yield "folders:"
    for folder in found.folders:
        depth = folder.path.count("/")
        yield f"  {'  ' * depth}{visible(folder.path.rpartition('/')[2])}/  {folder.files:,}"
    if found.central:
        yield "files that others use most (by how many):"
    for one in found.central:
        yield f"  {visible(one.filepath)}  {one.used_by:,}  {', '.join(map(visible, one.symbols))}".rstrip()


def map_object(found: ProjectMap) -> dict[str, Any]:
    """What `map --json` prints."""
    return {
        "name": found.name,
        "files": found.files,
        "languages": dict(found.languages),
        "folders": [{"path": one.path, "files": one.files} for one in found.folders],
        "central": [{"filepath": one.filepath, "used_by": one.used_by, "symbols": list(one.symbols)} for one in found.central],
        "tokens": _cost(found),
        "warnings": list(found.warnings),
        "stale": found.stale,
    }


def _cost(found: ProjectMap) -> int:
    return count_tokens("\n".join(map_lines(found)))


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """The largest number that fits, found by halving."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
