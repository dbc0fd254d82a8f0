"""How does a schema's index follow the schema? A new version is built beside the old one, and comes into force when it is whole.

Each version's chunks are a namespace of their own. What was built before a run was killed is taken up by the next one; until the last step every
search sees the version before. An embedding belongs to a text: of a new version only texts that no kept version has are embedded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from clew.core.catalog import Changes, FileRecord, FileUpdate
from clew.core.chunk import Chunk, checksum
from clew.core.protocols import Embedder, Store
from clew.core.schema.chunks import LONGEST, ColumnChunk, MetricChunk, RelationshipChunk, SchemaChunk, TableChunk
from clew.core.schema.contracts import Snapshot
from clew.core.schema.meaning import Meanings
from clew.core.schema.naming import namespace_of
from clew.errors import ClewError, Unreachable, UsageError
from clew.index.schema_chunks import SchemaDocument, schema_documents

if TYPE_CHECKING:
    from clew.core.catalog import Vector

BATCH_CHUNKS = 4_096
"""Chunks that are embedded and committed together: a killed run loses a second of work, one transaction holds some 10 MB."""
SETTLED_FROM = 2_000
"""Chunks from which the vector table is fed, which imports its library (2 CPU seconds); fewer are searched as fast from the catalog."""

KEPT_CHUNKS = 100_000
"""Chunks of former versions that are kept, at about 3 KB each; older versions are asked by words alone, which need none."""
IN_FORCE, COMPLETE, DATASOURCE, VERSION = "in_force", "complete", "datasource", "version"
"""Facts of the namespaces."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh did. `embedded` counts texts that were given to the embedder, `kept` chunks whose text was known under this version;
    `warning` says what is wrong with the vector table, without which all is searched as well."""

    datasource: str
    version: str
    chunks: int = 0
    added: int = 0
    kept: int = 0
    deleted: int = 0
    embedded: int = 0
    forgotten: tuple[str, ...] = field(default=())
    warning: str = ""


def refresh(
    snapshot: Snapshot,
    meanings: Meanings,
    store: Store,
    embedder: Embedder,
    *,
    keep: Collection[str] = (),
    reached: Callable[[int], None] = lambda _: None,
) -> Refreshed:
    """Bring a datasource's chunks to the version of the snapshot; versions other than that and those to `keep`, as far as they are not too many together,
    are forgotten.

    `reached` is told how many chunks are done. Raises WriterBusy while another process writes, UsageError for a snapshot without a version,
    Unreachable where the embedder fails: the version before then stays in force.
    """
    if not snapshot.version:
        raise UsageError(f"the snapshot of {snapshot.datasource} has no version", "register it in the schema store first")
    with store.writer():
        run = _Run(store, embedder, namespace_of(snapshot.datasource, snapshot.version))
        done = run.build(snapshot, meanings, reached)
        _put_in_force(store, snapshot.datasource, snapshot.version)
        forgotten = _forget_others(store, snapshot.datasource, {snapshot.version, *_affordable(store, snapshot, keep)})
        return replace(done, forgotten=forgotten, warning=_settled(store))


def _settled(store: Store) -> str:
    """Feed the vector table where that is worth it; returns what hindered that, which costs no search anything."""
    if sum(store.counts(name).chunks for name in store.namespaces()) < SETTLED_FROM:
        return ""
    try:
        store.settle()
    except ClewError as fault:
        return f"{fault.message} ({fault.hint})" if fault.hint else fault.message
    return ""


def forget(store: Store, datasource: str) -> None:
    """Delete all that is indexed of a datasource."""
    with store.writer():
        _forget_others(store, datasource, ())
        store.forget(namespace_of(datasource))


def _put_in_force(store: Store, datasource: str, version: str) -> None:
    home = namespace_of(datasource)
    if store.facts(home).get(IN_FORCE) != version:
        store.apply(Changes(home, facts={IN_FORCE: version, DATASOURCE: datasource}))


def _affordable(store: Store, snapshot: Snapshot, versions: Collection[str]) -> Iterator[str]:
    """The newest of these versions whose chunks are not too many together."""
    total = 0
    for version in sorted(set(versions) - {snapshot.version}, reverse=True):
        total += store.counts(namespace_of(snapshot.datasource, version)).chunks
        if total > KEPT_CHUNKS:
            return
        yield version


def _forget_others(store: Store, datasource: str, keep: Collection[str]) -> tuple[str, ...]:
    """Forget the datasource's versions that are not to be kept, unfinished ones among them."""
    kept = {namespace_of(datasource, version) for version in keep}
    forgotten = []
    for namespace in store.namespaces():
        facts = store.facts(namespace)
        if facts.get(DATASOURCE) == datasource and VERSION in facts and namespace not in kept:
            store.forget(namespace)
            forgotten.append(facts[VERSION])
    return tuple(forgotten)


@dataclass(slots=True)
class _Run:
    """One version's way into the store."""

    store: Store
    embedder: Embedder
    namespace: str
    added: int = 0
    deleted: int = 0
    embedded: int = 0

    def build(self, snapshot: Snapshot, meanings: Meanings, reached: Callable[[int], None]) -> Refreshed:
        """Write what differs from what the store has of this version, in one step where the version is whole already."""
        there = self.store.files(self.namespace)
        known = there if self._has_all_vectors() else {}
        facts = {DATASOURCE: snapshot.datasource, VERSION: snapshot.version}
        is_whole = self.store.facts(self.namespace).get(COMPLETE) == "yes"
        paths: set[str] = set()
        total = 0
        with self.store.at_once() if is_whole else nullcontext():
            for batch in _batches(schema_documents(snapshot, meanings)):
                paths.update(document.path for document in batch)
                total += sum(len(document.chunks) for document in batch)
                updates = [one for one in map(_update, batch) if not _is_same(known.get(one.record.filepath), one.record)]
                self._write(updates, facts)
                reached(total)
            gone = tuple(path for path in there if path not in paths)
            if gone or not is_whole:
                self._apply(Changes(self.namespace, deleted=gone, space=self.embedder.space, facts=facts | {COMPLETE: "yes"}))
        return Refreshed(snapshot.datasource, snapshot.version, total, self.added, total - self.added, self.deleted, self.embedded)

    def _has_all_vectors(self) -> bool:
        """Whether what is there was embedded by this model, all of it: a vector table may have been lost, a model changed."""
        space = self.embedder.space
        return space in self.store.spaces(self.namespace) and not self.store.counts(self.namespace, space).unembedded

    def _write(self, updates: Sequence[FileUpdate], facts: dict[str, str]) -> None:
        if not updates:
            return
        texts = {chunk.checksum: chunk.text for update in updates for chunk in update.chunks}
        wanted = self.store.missing(self.namespace, self.embedder.space, texts)
        vectors = self._embed({one: text for one, text in texts.items() if one in wanted})
        whole = tuple(replace(one, vectors=tuple(vectors.get(chunk.checksum) for chunk in one.chunks)) for one in updates)
        self._apply(Changes(self.namespace, whole, space=self.embedder.space, facts=facts))

    def _apply(self, changes: Changes) -> None:
        applied = self.store.apply(changes)
        self.added += applied.added
        self.deleted += applied.deleted

    def _embed(self, texts: dict[str, str]) -> dict[str, Vector]:
        """Vectors by checksum."""
        if not texts:
            return {}
        try:
            rows = self.embedder.embed_documents(list(texts.values()))
        except ClewError:
            raise
        except Exception as fault:  # a provider may fail in any way; what was in force stays so
            raise Unreachable(
                f"the schema was not embedded ({type(fault).__name__}: {fault})", "try again: the version before stays in force"
            ) from fault
        self.embedded += len(texts)
        return dict(zip(texts, rows, strict=True))


def _batches(documents: Iterator[SchemaDocument]) -> Iterator[list[SchemaDocument]]:
    """Documents with about BATCH_CHUNKS chunks together."""
    batch: list[SchemaDocument] = []
    waiting = 0
    for document in documents:
        batch.append(document)
        waiting += len(document.chunks)
        if waiting >= BATCH_CHUNKS:
            yield batch
            batch, waiting = [], 0
    if batch:
        yield batch


def _is_same(known: FileRecord | None, made: FileRecord) -> bool:
    return known is not None and known.checksum == made.checksum


def _update(document: SchemaDocument) -> FileUpdate:
    """A document as a store takes it, a chunk a line."""
    chunks = tuple(_stored(document.path, line, chunk) for line, chunk in enumerate(document.chunks, start=1))
    content = "\0".join(chain.from_iterable((one.id, one.text, one.signature) for one in chunks))
    size = sum(len(one.code) for one in chunks)
    language = chunks[0].language if chunks else "text"
    return FileUpdate(FileRecord(document.path, size, 0, checksum(content.encode()), language, parsed=True), chunks)


def _stored(path: str, line: int, chunk: SchemaChunk) -> Chunk:
    """A schema's chunk as any other: header and code together are its text."""
    head, _, code = chunk.get_page_content().partition("\n")
    name, parent, signature = _names(chunk)
    return Chunk(
        id=chunk.id,
        filepath=path,
        symbol_name=name,
        symbol_type=chunk.kind,
        language=chunk.dialect or "sql",
        line_start=line,
        line_end=line,
        header=head,
        code=code,
        signature=signature,
        parent=parent,
        docstring=chunk.description[:LONGEST],
    )


def _names(chunk: SchemaChunk) -> tuple[str, str, str]:
    """What a hit shows: name, what it is a part of, and its declaration."""
    if isinstance(chunk, TableChunk):
        return chunk.table, chunk.datasource, ""
    if isinstance(chunk, ColumnChunk):
        return chunk.column, chunk.table, f"{chunk.column} {chunk.dtype}".rstrip()
    if isinstance(chunk, RelationshipChunk):
        return f"{chunk.table}->{chunk.referred_table}", chunk.table, " AND ".join(chunk.pairs)
    return (chunk.metric if isinstance(chunk, MetricChunk) else chunk.datasource), chunk.datasource, ""
