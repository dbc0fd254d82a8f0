"""Which definitions does a reader of some results need to know of? What they call and who calls them, the types in their signatures, what they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from clew.core.answer import Neighbour
from clew.core.query import Filters
from clew.core.words import terms
from clew.graph.semantics import FUNCTIONS, TYPES, semantics

if TYPE_CHECKING:
    from clew.core.answer import Ranked
    from clew.core.chunk import Chunk
    from clew.core.protocols import ChunkStore
    from clew.core.query import Hit, Scope

OF_RESULTS = 3
"""Results that have neighbours: those that are read."""
CALLEES, CALLERS, TYPES_NAMED = 3, 2, 2
"""Neighbours of each kind that one result has at most, and types of the first ones alone: each costs some twenty tokens."""
MOST = 8
"""Neighbours of all results together."""
NAMES = 32
"""Names looked up: those that the first results call come first."""
NAMESAKES = 200
"""Chunks of these names that are looked at."""
SEEN = 16
"""Chunks that hold the first result's name, of which those that call it are its callers."""

_TYPE_NAME = re.compile(r"\b[A-Z]\w{2,}")


def neighbours(store: ChunkStore, scope: Scope, results: Sequence[Ranked], gist: frozenset[str]) -> tuple[Neighbour, ...]:
    """The definitions beside the first results that the index knows for certain: where a name leaves one candidate, by file, import and kind.

    None of them lies in a result. Nothing is parsed and no file is read.
    """
    shown = [one.chunk for one in results]
    first = shown[:OF_RESULTS]
    known = _Known(store, scope, first)
    found: dict[str, tuple[str, str, Hit]] = {}
    for number, chunk in enumerate(first):
        for relation, hit in (
            *_around(chunk, known),
            *_callees(chunk, known, gist),
            *islice(_types(chunk, known), TYPES_NAMED if not number else 0),
        ):
            if not any(_holds(one, hit) for one in shown):
                found.setdefault(hit.id, (relation, chunk.symbol_name, hit))
    if first:
        for hit in _callers(store, scope, first[0], known):
            if not any(_holds(one, hit) for one in shown):
                found.setdefault(hit.id, ("caller", first[0].symbol_name, hit))
    kept = list(islice(found.values(), MOST))
    chunks = store.chunks(scope, [hit.key for *_, hit in kept])
    return tuple(_neighbour(relation, of, hit, chunks[hit.key]) for relation, of, hit in kept if hit.key in chunks)


def _neighbour(relation: str, of: str, hit: Hit, chunk: Chunk) -> Neighbour:
    return Neighbour(relation, of, hit.filepath, hit.symbol_name, hit.symbol_type, hit.line_start, hit.line_end, chunk.signature)


class _Known:
    """The definitions of each name that some chunks call, have in their signatures, stand in, and are called by; pieces of one count once."""

    def __init__(self, store: ChunkStore, scope: Scope, chunks: Iterable[Chunk]) -> None:
        self._store = store
        self._scope = scope
        self._imports: dict[str, tuple[str, ...]] = {}
        self._found: dict[str, dict[tuple[str, str], Hit]] = {}
        names = dict.fromkeys(
            name for chunk in chunks for name in (_last(chunk.symbol_name), _last(chunk.parent), *_typed(chunk), *chunk.calls) if name
        )
        for hit in store.named(scope, tuple(islice(names, NAMES)), Filters(), NAMESAKES):
            if hit.score == 1.0:
                one = self._found.setdefault(_last(hit.symbol_name), {})
                before = one.get((hit.filepath, hit.symbol_name), hit)
                one[hit.filepath, hit.symbol_name] = min(before, hit, key=lambda piece: piece.line_start)

    def of(self, name: str) -> Sequence[Hit]:
        """The definitions of a name."""
        return tuple(self._found.get(name, {}).values())

    def imports(self, filepath: str) -> Sequence[str]:
        """What a file imports, read where a name leaves a choice."""
        if filepath not in self._imports:
            self._imports[filepath] = tuple(one.name for one in self._store.references(self._scope, filepath) if one.kind == "import")
        return self._imports[filepath]


def _around(chunk: Chunk, known: _Known) -> Iterator[tuple[str, Hit]]:
    """The type that a chunk is a member of."""
    for hit in known.of(_last(chunk.parent)):
        if hit.filepath == chunk.filepath and hit.symbol_name == chunk.parent and hit.symbol_type in TYPES:
            yield "around", hit


def _callees(chunk: Chunk, known: _Known, gist: frozenset[str]) -> list[tuple[str, Hit]]:
    """What a chunk calls, those that the question is about first, then in the order of the calls."""
    meant = [hit for name in chunk.calls if (hit := _meant(chunk, known, known.of(name), name))]
    meant.sort(key=lambda hit: -len(gist.intersection(terms(_last(hit.symbol_name)))))
    return [("callee", hit) for hit in meant[:CALLEES]]


def _types(chunk: Chunk, known: _Known) -> Iterator[tuple[str, Hit]]:
    """The types in a chunk's signature."""
    for name in _typed(chunk):
        hit = _meant(chunk, known, [one for one in known.of(name) if one.symbol_type in TYPES], name)
        if hit:
            yield "type", hit


def _callers(store: ChunkStore, scope: Scope, chunk: Chunk, known: _Known) -> Iterator[Hit]:
    """Chunks that call the one definition of a name there is, and not by a name that libraries have too."""
    name = _last(chunk.symbol_name)
    rules = semantics(chunk.language)
    if chunk.symbol_type not in FUNCTIONS or rules is None or name in rules.common or len(known.of(name)) != 1:
        return
    hits = [hit for hit in store.keywords(scope, terms(name)[-1:], Filters(), SEEN).hits if hit.symbol_type in FUNCTIONS]
    chunks = store.chunks(scope, [hit.key for hit in hits])
    calling = (hit for hit in hits if hit.key in chunks and name in chunks[hit.key].calls and _family(hit.language) == rules.family)
    yield from islice((hit for hit in calling if (hit.filepath, hit.symbol_name) != (chunk.filepath, chunk.symbol_name)), CALLERS)


def _meant(chunk: Chunk, known: _Known, candidates: Sequence[Hit], name: str) -> Hit | None:
    """The one of these definitions that a chunk means by a name: the only one in its type, in its file, by what it imports, or at all."""
    rules = semantics(chunk.language)
    if rules is None:
        return None
    fitting = [
        hit
        for hit in candidates
        if hit.symbol_type in (FUNCTIONS | TYPES)
        and _family(hit.language) == rules.family
        and (hit.filepath, hit.symbol_name) != (chunk.filepath, chunk.symbol_name)
    ]
    same_type = [hit for hit in fitting if chunk.parent and hit.filepath == chunk.filepath and hit.parent == chunk.parent]
    if len(same_type) == 1:
        return same_type[0]
    if name in rules.common:
        return None
    same_file = [hit for hit in fitting if hit.filepath == chunk.filepath]
    some = same_file or fitting
    if not same_file and len(fitting) > 1:
        imports = known.imports(chunk.filepath)
        some = [hit for hit in fitting if _is_imported(imports, hit)]
    return some[0] if len(some) == 1 else None


def _is_imported(imports: Sequence[str], hit: Hit) -> bool:
    """Whether one of the imports names the file of a definition, or the folder that it stands for."""
    folder, _, name = hit.filepath.rpartition("/")
    stem = name.split(".")[0]
    stem = folder.rpartition("/")[2] if stem in ("__init__", "index", "mod") else stem
    return any(stem in re.split(r"[^\w-]+", module) for module in imports)


def _typed(chunk: Chunk) -> list[str]:
    return [name for name in _TYPE_NAME.findall(chunk.signature) if name != _last(chunk.symbol_name)]


def _family(language: str) -> str:
    rules = semantics(language)
    return rules.family if rules else ""


def _last(name: str) -> str:
    return re.split(r"[.:#]+", name)[-1] if name else ""


def _holds(chunk: Chunk, hit: Hit) -> bool:
    """Whether lines of a definition stand in a chunk."""
    same = (chunk.namespace, chunk.filepath) == (hit.namespace, hit.filepath)
    return same and chunk.line_start <= hit.line_end and hit.line_start <= chunk.line_end
