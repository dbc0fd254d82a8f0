"""What is the smallest honest store? Everything in dictionaries, scored by the written formula, nothing kept on disk."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import fmean, median
from typing import TYPE_CHECKING

import numpy as np

from clew.core.catalog import Applied, Changes, Counts, FileRecord, FileUpdate, Space
from clew.core.query import Filters, Hit, Leg, Scope, TermStatistics
from clew.core.words import terms, words
from clew.stores.bm25 import K1, PRECISION, WEIGHTS, B, idf, single
from clew.stores.filtering import labels_pass, paths_pass
from clew.stores.lagging import without_vectors
from clew.stores.symbols import bare_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from clew.core.catalog import Vector
    from clew.core.chunk import Chunk
    from clew.core.document import Definition, Reference


@dataclass(frozen=True, slots=True)
class _Held:
    """A living chunk: its weighted terms, its length in words, and its vectors by fingerprint."""

    chunk: Chunk
    weighted: Mapping[str, float]
    length: int
    vectors: dict[str, Vector]


@dataclass(slots=True)
class _Home:
    """One namespace."""

    updates: dict[str, FileUpdate] = field(default_factory=dict)
    held: dict[str, _Held] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    spaces: dict[str, Space] = field(default_factory=dict)


class MemoryStore:
    """A `ChunkStore` for tests: right by being simple, fast enough for some thousand chunks."""

    def __init__(self) -> None:
        self._homes: dict[str, _Home] = {}
        self._generation = 0

    # -- writing --
    def apply(self, changes: Changes) -> Applied:
        """Replace, touch and delete files; nothing changes when a value is refused."""
        home = self._homes.get(changes.namespace, _Home())
        donors = self._donors(changes)
        updates = dict(home.updates)
        for path in changes.deleted:
            updates.pop(path, None)
        for record in changes.touched:
            if record.filepath in updates:
                updates[record.filepath] = replace(updates[record.filepath], record=record)
        for update in changes.updates:
            updates[update.record.filepath] = update
        replaced = {*changes.deleted, *(update.record.filepath for update in changes.updates)}
        before = [held.chunk for held in home.held.values() if held.chunk.filepath in replaced]
        held = {key: one for key, one in home.held.items() if one.chunk.filepath not in replaced}
        after = [chunk for update in changes.updates for chunk in update.chunks]
        for chunk in after:
            held[chunk.id] = self._hold(replace(chunk, namespace=changes.namespace), donors)
        spaces = home.spaces | ({changes.space.fingerprint: changes.space} if changes.space else {})
        self._homes[changes.namespace] = _Home(updates, held, {**home.facts, **changes.facts}, spaces)
        self._generation += 1
        kept = _contents(before) & _contents(after)
        return Applied(len(after) - kept.total(), kept.total(), len(before) - kept.total(), self._generation)

    def forget(self, namespace: str) -> None:
        """Delete everything under the namespace."""
        self._homes.pop(namespace, None)
        self._generation += 1

    def add_vectors(self, namespace: str, space: Space, vectors: Mapping[str, Vector]) -> int:
        """Give vectors, by checksum, to the chunks that lack one."""
        home = self._homes.get(namespace, _Home())
        given = 0
        for held in home.held.values():
            vector = vectors.get(held.chunk.checksum)
            if vector is not None and space.fingerprint not in held.vectors:
                held.vectors[space.fingerprint] = vector
                given += 1
        if given:
            home.spaces[space.fingerprint] = space
            self._generation += 1
        return given

    def settle(self) -> None:
        """Nothing lags here."""

    def close(self) -> None:
        """Nothing is open."""

    # -- knowing --
    def files(self, namespace: str, paths: Collection[str] | None = None) -> dict[str, FileRecord]:
        """Every file that was recorded, or those of `paths`."""
        return {path: update.record for path, update in self._home(namespace).updates.items() if paths is None or path in paths}

    def namespaces(self) -> tuple[str, ...]:
        """Every namespace that the store holds, in order."""
        return tuple(sorted(self._homes))

    def facts(self, namespace: str) -> dict[str, str]:
        """What was given as facts."""
        return dict(self._home(namespace).facts)

    def spaces(self, namespace: str) -> tuple[Space, ...]:
        """The namespace's spaces, the primary one first."""
        return tuple(self._home(namespace).spaces.values())

    def missing(self, namespace: str, space: Space, checksums: Collection[str]) -> set[str]:
        """Checksums without an embedding."""
        known = {held.chunk.checksum for held in self._all() if space.fingerprint in held.vectors}
        return set(checksums) - known

    def unembedded(self, namespace: str, space: Space, limit: int, after: str = "") -> list[Chunk]:
        """Chunks without an embedding, in order of id."""
        lacking = [
            held.chunk for held in self._home(namespace).held.values() if space.fingerprint not in held.vectors and held.chunk.id > after
        ]
        return sorted(lacking, key=lambda chunk: chunk.id)[:limit]

    def counts(self, namespace: str, space: Space | None = None) -> Counts:
        """Counted afresh."""
        home = self._home(namespace)
        records = [update.record for update in home.updates.values()]
        indexed = [record for record in records if not record.skipped]
        total, parsed = Counter(r.language for r in indexed), Counter(r.language for r in indexed if r.parsed)
        lacking = sum(space.fingerprint not in held.vectors for held in home.held.values()) if space else 0
        languages = {name: (total[name], parsed[name]) for name in sorted(total)}
        return Counts(len(indexed), len(records) - len(indexed), len(home.held), lacking, 0, self._generation, languages)

    # -- searching --
    def keywords(self, scope: Scope, terms: Sequence[str], filters: Filters, limit: int) -> Leg:
        """BM25F by the formula, over every living chunk."""
        everything = list(self._all())
        asked = single(terms)
        average = sum(held.length for held in everything) / max(len(everything), 1)
        weights = {t: n * idf(len(everything), sum(t in held.weighted for held in everything)) for t, n in asked.items()}
        scored = []
        for held in self._seen(scope, filters):
            shortage = K1 * (1 - B + B * held.length / average) if average else K1
            found = [weights[t] * held.weighted[t] * (K1 + 1) / (held.weighted[t] + shortage) for t in weights if t in held.weighted]
            if found:
                scored.append((held.chunk, sum(found)))
        return Leg(_best(scored, limit), 0.0, self._generation)

    def nearest(self, scope: Scope, space: Space, vector: Vector, filters: Filters, limit: int) -> Leg:
        """Cosines in double precision; nothing is near a question without a direction."""
        question = np.asarray(vector, np.float64)
        if not question.any():
            return Leg((), 0.0, self._generation)
        question /= np.linalg.norm(question)
        cosine = {
            held.chunk: float((held.vectors[space.fingerprint].astype(np.float64) * question).sum())
            for held in self._seen(scope, Filters())
            if space.fingerprint in held.vectors
        }
        files: dict[tuple[str, str], list[float]] = {}
        for chunk, score in cosine.items():
            files.setdefault((chunk.namespace, chunk.filepath), []).append(score)
        passes = _passes(filters)
        scored = [(chunk, score) for chunk, score in cosine.items() if passes(chunk)]
        lacking = sum(self.counts(namespace, space).unembedded for namespace in dict.fromkeys(scope.namespaces))
        warnings = (without_vectors(lacking),) if lacking else ()
        hits = _best(scored, limit)
        means = {file: round(fmean(scores), 6) for file, scores in files.items()}
        averages = {(hit.namespace, hit.filepath): means[hit.namespace, hit.filepath] for hit in hits}
        level, average = (float(median(map(max, files.values()))), float(median(means.values()))) if files else (0.0, 0.0)
        return Leg(hits, level, self._generation, warnings, averages, average)

    def named(self, scope: Scope, names: Collection[str], filters: Filters, limit: int) -> tuple[Hit, ...]:
        """Definitions by their name or qualified name."""
        exact, folded = set(names), {name.casefold() for name in names}
        scored = []
        for held in self._seen(scope, filters):
            known = {held.chunk.symbol_name, bare_name(held.chunk.symbol_name)} if held.chunk.symbol_type != "block" else set()
            if folded & {name.casefold() for name in known}:
                scored.append((held.chunk, 1.0 if known & exact else 0.5))
        return _best(scored, limit)

    def at(self, scope: Scope, filepath: str, line: int, filters: Filters) -> tuple[Hit, ...]:
        """The chunks that hold a line."""
        held = [one for one in self._seen(scope, filters) if f"/{one.chunk.filepath}".endswith(f"/{filepath}")]
        first: dict[tuple[str, str], int] = {}
        for one in held:
            key = (one.chunk.namespace, one.chunk.filepath)
            first[key] = min(first.get(key, one.chunk.line_start), one.chunk.line_start)
        found = [
            one.chunk
            for one in held
            if one.chunk.line_start <= max(line, first[one.chunk.namespace, one.chunk.filepath]) <= one.chunk.line_end
        ]
        hits = _best([(chunk, 1.0) for chunk in found], len(found))
        return tuple(sorted(hits, key=lambda hit: (hit.filepath, hit.line_start, hit.key)))

    def holding(self, scope: Scope, word: str) -> tuple[str, ...]:
        """The files of the chunks that hold all terms of a word."""
        asked = single(terms(word))
        seen = self._seen(scope, Filters()) if asked else ()
        return tuple(sorted({held.chunk.filepath for held in seen if all(term in held.weighted for term in asked)}))

    def names(self, scope: Scope) -> tuple[str, ...]:
        """The last parts of definitions' names."""
        chunks = (held.chunk for held in self._seen(scope, Filters()))
        return tuple(sorted({bare_name(chunk.symbol_name).casefold() for chunk in chunks if chunk.symbol_type != "block"}))

    def statistics(self, scope: Scope, terms: Collection[str]) -> TermStatistics:
        """Counted over the scope."""
        seen = list(self._seen(scope, Filters()))
        counted = {term: sum(all(w in held.weighted for w in single([term])) for held in seen) for term in terms if single([term])}
        return TermStatistics(len(seen), {term: n for term, n in counted.items() if n})

    def chunks(self, scope: Scope, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Chunk]:
        """Whole chunks by key."""
        found = {}
        for namespace, name in keys:
            held = self._home(namespace).held.get(name) if namespace in scope.namespaces else None
            if held and held.chunk.visibility in scope.visibilities:
                found[(namespace, name)] = held.chunk
        return found

    def outline(self, scope: Scope, filepath: str) -> tuple[Definition, ...]:
        """The definitions of the file, of the first namespace in scope that shows it."""
        return next((update.definitions for update in self._shown(scope, filepath)), ())

    def references(self, scope: Scope, filepath: str) -> tuple[Reference, ...]:
        """The references of the file, of the first namespace in scope that shows it."""
        return next((update.references for update in self._shown(scope, filepath)), ())

    def outlines(self, scope: Scope) -> Iterator[tuple[str, tuple[Definition, ...], tuple[Reference, ...]]]:
        """The outline of every file that is shown and has something in it."""
        paths = {path for namespace in scope.namespaces for path in self._home(namespace).updates}
        for path in sorted(paths):
            shown = next(self._shown(scope, path), None)
            if shown and (shown.definitions or shown.references):
                yield path, shown.definitions, shown.references

    # -- inside --
    def _home(self, namespace: str) -> _Home:
        return self._homes.get(namespace) or _Home()

    def _all(self) -> Iterator[_Held]:
        return chain.from_iterable(home.held.values() for home in self._homes.values())

    def _seen(self, scope: Scope, filters: Filters) -> Iterator[_Held]:
        passes = _passes(filters)
        for namespace in dict.fromkeys(scope.namespaces):
            for held in self._home(namespace).held.values():
                if held.chunk.visibility in scope.visibilities and passes(held.chunk):
                    yield held

    def _shown(self, scope: Scope, filepath: str) -> Iterator[FileUpdate]:
        for namespace in scope.namespaces:
            update = self._home(namespace).updates.get(filepath)
            if update and all(chunk.visibility in scope.visibilities for chunk in update.chunks):
                yield update

    def _donors(self, changes: Changes) -> dict[str, dict[str, Vector]]:
        """The vectors of every text: those that the store has, and those that come with the changes."""
        donors: dict[str, dict[str, Vector]] = {}
        for held in self._all():
            donors.setdefault(held.chunk.checksum, {}).update(held.vectors)
        for update in changes.updates:
            for chunk, vector in zip(update.chunks, update.vectors, strict=False):
                if vector is not None and changes.space:
                    if len(vector) != changes.space.dims:
                        raise ValueError(f"a vector of {len(vector)} numbers in a space of {changes.space.dims}")
                    donors.setdefault(chunk.checksum, {})[changes.space.fingerprint] = vector
        return donors

    def _hold(self, chunk: Chunk, donors: Mapping[str, dict[str, Vector]]) -> _Held:
        known = dict(donors.get(chunk.checksum, {}))
        weighted: dict[str, float] = {}
        fields = [text.split() for text in words(chunk)]
        for found, weight in zip(fields, WEIGHTS, strict=True):
            for term in found:
                weighted[term] = weighted.get(term, 0.0) + weight
        return _Held(chunk, weighted, sum(map(len, fields)), known)


def _contents(chunks: Iterable[Chunk]) -> Counter[tuple[str, str]]:
    return Counter((chunk.filepath, chunk.checksum) for chunk in chunks)


def _passes(filters: Filters) -> Callable[[Chunk], bool]:
    language, symbol_type, path = labels_pass(filters.languages), labels_pass(filters.symbol_types), paths_pass(filters.paths)
    return lambda chunk: language(chunk.language) and symbol_type(chunk.symbol_type) and path(chunk.filepath)


def _best(scored: Iterable[tuple[Chunk, float]], limit: int) -> tuple[Hit, ...]:
    hits = [
        Hit(
            c.namespace, c.id, c.filepath, c.symbol_name, c.symbol_type, c.language, c.line_start, c.line_end, c.parent, round(s, PRECISION)
        )
        for c, s in scored
    ]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.key))[:limit])
