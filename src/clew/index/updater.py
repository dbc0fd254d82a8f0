"""How does a plan become part of the index? Read, outline, cut, embed and commit, a batch of files at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clew.core.answer import IndexReport, Skip
from clew.core.catalog import Applied, Changes, FileRecord, FileUpdate
from clew.core.chunk import Visibility
from clew.core.protocols import ChunkStore, Embedder
from clew.index.chunker import Belonging, Budget, chunk, left_out
from clew.index.embedding import Embedded, embedded, refusals
from clew.index.plan import Plan
from clew.sources.outliner import outline
from clew.sources.reading import read
from clew.sources.walking import Found, Listing, Rules

if TYPE_CHECKING:
    from clew.core.catalog import Vector

BATCH_BYTES = 2_000_000
"""Source bytes that are committed together: about 5,000 chunks, some 40 MB while in work."""
BATCH_FILES = 256
"""Small files are committed in groups of this many, so that an interrupted run loses at most some seconds."""
RACY_NS = 50_000_000
"""A file changed less than this before the listing may change again within one tick of the file system's clock: it is read again next time."""
EMBED_AT_ONCE = 2_048
"""Chunks embedded in one call when an index is completed."""

NAMED = 100
"""Files of a kind that a tally names: more than anybody reads."""

FORM = "1"
"""Version of what reading, outlining and cutting make of a file. An index of another form is made anew, file by file."""


class Progress(NamedTuple):
    """How far a run is: `phase` is reading, embedding or storing."""

    phase: str
    done: int
    total: int


@dataclass(slots=True)
class Tally:
    """What a run has done so far. `complete` is false when its time was up, `fault` says why chunks were left without a vector, `halted` that no more are to be asked for;
    `refused` are checksums of texts that the model will have nothing of, `truncated` counts those of which it read the beginning;
    `taken_in` and `gone` name the first files of both kinds."""

    indexed: int = 0
    unchanged: int = 0
    deleted: int = 0
    added: int = 0
    dropped: int = 0
    embedded: int = 0
    complete: bool = True
    fault: str = ""
    halted: bool = False
    truncated: int = 0
    refused: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)
    taken_in: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    def note(self, taken_in: Iterable[str] = (), gone: Iterable[str] = ()) -> None:
        """Name some of the files, the first NAMED of each kind."""
        self.taken_in += islice(taken_in, max(NAMED - len(self.taken_in), 0))
        self.gone += islice(gone, max(NAMED - len(self.gone), 0))

    def count(self, applied: Applied) -> None:
        """Add what a step of the store did."""
        self.added += applied.added
        self.dropped += applied.deleted


@dataclass(frozen=True, slots=True)
class Project:
    """The namespace that is indexed, and where its files are."""

    root: Path
    namespace: str
    visibility: Visibility
    rules: Rules


@dataclass(frozen=True, slots=True)
class Update:
    """One run over a plan, by the one who writes. `expired` is asked between batches; once true, the rest is left and the tally is not complete.
    The `fallbacks` embed the same chunks, each in a space of its own."""

    project: Project
    store: ChunkStore
    embedder: Embedder | None
    known: Mapping[str, FileRecord]
    found: Mapping[str, Found]
    listed_at_ns: int
    expired: Callable[[], bool] = lambda: False
    progress: Callable[[Progress], None] = lambda _: None
    fallbacks: tuple[Embedder, ...] = ()

    def run(self, plan: Plan, *, batch_files: int, reuse: bool = True) -> Tally:
        """Carry out the plan, one batch at least. `reuse` takes a file whose checksum is known as unchanged."""
        tally = Tally(unchanged=plan.unchanged)
        self._drop(plan, tally)
        done = 0
        for batch in self._batches(plan.suspects, batch_files):
            if done and self.expired():
                tally.complete = False
                break
            self._commit(batch, tally, reuse)
            done += len(batch)
            self.progress(Progress("reading", done, len(plan.suspects)))
        return tally

    def complete_embeddings(self, tally: Tally) -> None:
        """Embed the chunks that have no vector yet (an index made in mode fast, an interrupted run, a lost vector table)."""
        for fallback in self.fallbacks:
            aside = Tally()
            replace(self, embedder=fallback, fallbacks=()).complete_embeddings(aside)
            tally.warnings += aside.warnings
        if self.embedder is None:
            return
        space = self.embedder.space
        total = self.store.counts(self.project.namespace, space).unembedded
        done, last = 0, ""
        while total and (chunks := self.store.unembedded(self.project.namespace, space, EMBED_AT_ONCE, last)):
            vectors = self._embed({c.checksum: c.text for c in chunks}, tally)
            if vectors:
                self.store.add_vectors(self.project.namespace, space, vectors)
            elif tally.fault:
                return
            last = chunks[-1].id
            done += len(chunks)
            self.progress(Progress("embedding", min(done, total), total))

    def note_lengths(self, tally: Tally) -> None:
        """Say how many texts were longer than the model reads."""
        if tally.truncated:
            tally.warnings.append(f"{tally.truncated} chunks are longer than the embedding model reads: their beginnings count")

    def _drop(self, plan: Plan, tally: Tally) -> None:
        if not plan.deleted and not plan.skips:
            return
        skips = tuple(FileUpdate(FileRecord(s.filepath, 0, 0, skipped=s.reason)) for s in plan.skips)
        tally.count(self.store.apply(Changes(self.project.namespace, updates=skips, deleted=plan.deleted, facts=written())))
        tally.deleted += len(plan.deleted)
        tally.note(gone=plan.deleted)

    def _batches(self, paths: tuple[str, ...], batch_files: int) -> Iterator[list[str]]:
        batch: list[str] = []
        size = 0
        for path in paths:
            batch.append(path)
            size += self.found[path].size
            if size >= BATCH_BYTES or len(batch) >= batch_files:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _commit(self, batch: list[str], tally: Tally, reuse: bool) -> None:
        updates: list[FileUpdate] = []
        touched: list[FileRecord] = []
        known = self._known_now(batch) if reuse else {}
        for path in batch:
            before = known.get(path)
            same = before.checksum if before is not None and not before.skipped else ""
            update = self._read(path, tally, same)
            if before is not None and same and same == update.record.checksum:
                touched.append(replace(before, size=update.record.size, mtime_ns=update.record.mtime_ns))
                tally.unchanged += 1
            else:
                updates.append(update)
                tally.indexed += not update.record.skipped
        tally.note(update.record.filepath for update in updates if not update.record.skipped)
        filled = self._with_vectors(updates, tally)
        changes = Changes(
            self.project.namespace, tuple(filled), tuple(touched), space=self.embedder.space if self.embedder else None, facts=written()
        )
        tally.count(self.store.apply(changes))
        for fallback in self.fallbacks:
            self._fill(fallback, {c.checksum: c.text for update in updates for c in update.chunks}, tally)

    def _fill(self, fallback: Embedder, texts: Mapping[str, str], tally: Tally) -> None:
        """Give the chunks of a batch their vectors in a fallback's space, as far as it has none of such a text."""
        wanted = self.store.missing(self.project.namespace, fallback.space, texts.keys())
        aside = Tally()
        vectors = replace(self, embedder=fallback)._embed({s: text for s, text in texts.items() if s in wanted}, aside)
        tally.warnings += aside.warnings
        if vectors:
            self.store.add_vectors(self.project.namespace, fallback.space, vectors)

    def _known_now(self, batch: list[str]) -> Mapping[str, FileRecord]:
        """What the index holds of the files now that this process writes it: another one may have been here since the look."""
        before = [path for path in batch if path in self.known]
        return self.store.files(self.project.namespace, before) if before else {}

    def _read(self, path: str, tally: Tally, same: str) -> FileUpdate:
        """The file as it is now; only its record where its checksum is the `same`. A file that breaks a parser costs itself and a warning, never the run."""
        stamp = self._stamp(path)
        try:
            reading = read(self.project.root, path, self.project.rules)
            record = replace(stamp, checksum=reading.checksum, skipped=reading.skipped, note=reading.note)
            if reading.document is None or (same and reading.checksum == same):
                return FileUpdate(record)
            shape = outline(reading.document.lines, reading.document.language)
            document = replace(reading.document, outline=shape)
            belonging = Belonging(self.project.namespace, self.project.visibility, self.listed_at_ns // 1_000_000_000)
            chunks = tuple(chunk(document, Budget(), belonging))
            if omitted := left_out(document, chunks):
                record = replace(record, note="; ".join(filter(None, (record.note, f"{omitted} lines of row data are not indexed"))))
        except Exception as fault:  # noqa: BLE001 - the outermost door of one file
            reason = f"could not be read: {type(fault).__name__}: {fault}"
            tally.warnings.append(f"{path}: {reason}")
            return FileUpdate(replace(stamp, skipped=reason))
        record = replace(record, language=document.language, parsed=shape.parsed)
        return FileUpdate(record, chunks, shape.definitions, shape.references)

    def _stamp(self, path: str) -> FileRecord:
        seen = self.found[path]
        racy = seen.mtime_ns > self.listed_at_ns - RACY_NS
        return FileRecord(path, seen.size, 0 if racy else seen.mtime_ns)

    def _with_vectors(self, updates: list[FileUpdate], tally: Tally) -> list[FileUpdate]:
        if self.embedder is None:
            return updates
        vectors = self._embed(self._wanted(updates), tally)
        return [replace(update, vectors=tuple(vectors.get(c.checksum) for c in update.chunks)) for update in updates]

    def _wanted(self, updates: list[FileUpdate]) -> dict[str, str]:
        """The texts, by checksum, for which there is no vector yet."""
        if self.embedder is None:
            return {}
        texts = {c.checksum: c.text for update in updates for c in update.chunks}
        wanted = self.store.missing(self.project.namespace, self.embedder.space, texts.keys())
        return {one: text for one, text in texts.items() if one in wanted}

    def _embed(self, texts: Mapping[str, str], tally: Tally) -> dict[str, Vector]:
        """Vectors by checksum, as far as the embedder makes them, with a warning about the others: they stay findable by keywords."""
        if not texts or self.embedder is None:
            return {}
        texts = {one: text for one, text in texts.items() if one not in tally.refused}
        done = Embedded(fault=tally.fault) if tally.halted else embedded(self.embedder, texts)
        tally.embedded += len(done.vectors)
        tally.truncated += done.truncated
        tally.refused |= done.refused.keys()
        tally.warnings += refusals(done.refused, texts)
        if done.fault:
            left = len(texts) - len(done.vectors) - len(done.refused)
            tally.fault, tally.halted = done.fault, tally.halted or done.ends
            tally.warnings.append(
                f"{left} chunks were not embedded by {self.embedder.space.model} ({tally.fault}); the next index run tries again"
            )
        return done.vectors

    def unknown_texts(self, plan: Plan) -> Iterator[list[str]]:
        """The texts that carrying out the plan would embed, by batches; nothing is written."""
        aside = Tally()
        for batch in self._batches(plan.suspects, BATCH_FILES):
            yield list(self._wanted([self._read(path, aside, "") for path in batch]).values())


def skips_of(files: Mapping[str, FileRecord]) -> tuple[Skip, ...]:
    """Every file that is left out, and every one that was read otherwise than a user would expect, with the reason."""
    return tuple(Skip(path, record.skipped) for path, record in sorted(files.items()) if record.skipped)


def reported(namespace: str, tally: Tally, listing: Listing, skipped: tuple[Skip, ...], chunks: int, seconds: float) -> IndexReport:
    """What a run did, as it is told."""
    return IndexReport(
        namespace=namespace,
        indexed=tally.indexed,
        unchanged=tally.unchanged,
        deleted=tally.deleted,
        skipped=skipped,
        chunks_added=tally.added,
        chunks_kept=chunks - tally.added,
        chunks_deleted=tally.dropped,
        chunks_embedded=tally.embedded,
        warnings=(*listing.warnings, *tally.warnings),
        complete=tally.complete and not tally.fault,
        seconds=round(seconds, 3),
    )


def written() -> dict[str, str]:
    """The fact of when files were last taken in."""
    return {"written_at": str(now_ns() // 1_000_000_000)}


def now_ns() -> int:
    """Nanoseconds since 1970, as files' times are told in."""
    return time.time_ns()
