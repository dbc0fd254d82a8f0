"""A small code base, described in a few lines and kept in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clew.core.answer import Question, Ranked
from clew.core.catalog import Changes, FileRecord, FileUpdate
from clew.core.chunk import Chunk, chunk_ids
from clew.core.document import Definition
from clew.core.query import Scope
from clew.search.searcher import Found, Searcher
from clew.testing import HashingEmbedder, MemoryStore

NAMESPACE = "acme"
SCOPE = Scope((NAMESPACE,))


@dataclass(frozen=True)
class Piece:
    """A chunk to be: what it defines, and its code."""

    code: str
    name: str = ""
    kind: str = "function"
    docs: str = ""


def chunks_of(filepath: str, pieces: Sequence[Piece]) -> tuple[Chunk, ...]:
    line, spans = 1, []
    for piece in pieces:
        last = line + piece.code.count("\n")
        spans.append((piece, line, last))
        line = last + 2
    names = [piece.name or f"{filepath}:{first}-{last}" for piece, first, last in spans]
    ids = chunk_ids(filepath, [(name, first) for name, (_, first, _) in zip(names, spans, strict=True)])
    return tuple(
        Chunk(
            id=id_,
            filepath=filepath,
            symbol_name=name,
            symbol_type=piece.kind if piece.name else "block",
            language="python",
            line_start=first,
            line_end=last,
            header=filepath,
            code=piece.code,
            docstring=piece.docs,
            namespace=NAMESPACE,
        )
        for id_, name, (piece, first, last) in zip(ids, names, spans, strict=True)
    )


def definitions_of(chunks: Sequence[Chunk]) -> tuple[Definition, ...]:
    return tuple(
        Definition(parts[-1], one.symbol_name, one.symbol_type, one.line_start, one.line_end, ".".join(parts[:-1]))
        for one in chunks
        if one.symbol_type != "block"
        for parts in [one.symbol_name.split(".")]
    )


@dataclass(frozen=True)
class CodeBase:
    """A store and how it is asked."""

    store: MemoryStore
    embedder: HashingEmbedder | None

    def search(self, text: str, mode: str = "fast", **options: object) -> Found:
        load = (lambda: self.embedder) if self.embedder else None
        return Searcher(self.store, load).search(SCOPE, Question(text, mode=mode, **options))  # type: ignore[arg-type]

    def ranked(self, text: str, mode: str = "fast", **options: object) -> tuple[Ranked, ...]:
        return self.search(text, mode, **options).ranked

    def files(self, text: str, mode: str = "fast", **options: object) -> list[str]:
        return [line.chunk.filepath for line in self.ranked(text, mode, **options)]


def make(files: Mapping[str, str | Sequence[Piece]], *, vectors: bool = False, embedder: HashingEmbedder | None = None) -> CodeBase:
    """The code base with these files, each a text or its pieces."""
    store, vectors, embedder = MemoryStore(), vectors or embedder is not None, embedder or HashingEmbedder()
    updates = []
    for path, content in files.items():
        chunks = chunks_of(path, [Piece(content)] if isinstance(content, str) else content)
        rows = tuple(embedder.embed_documents([chunk.text for chunk in chunks])) if vectors else ()
        record = FileRecord(path, 1, 1, language="python", parsed=True)
        updates.append(FileUpdate(record, chunks, definitions=definitions_of(chunks), vectors=rows))
    store.apply(Changes(NAMESPACE, tuple(updates), space=embedder.space if vectors else None))
    return CodeBase(store, embedder if vectors else None)
