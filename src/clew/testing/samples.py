"""What do tests put into a store? Chunks and files made from a few words, with ids as clew makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.core.catalog import Changes, FileRecord, FileUpdate
from clew.core.chunk import Chunk, checksum, chunk_ids
from clew.core.document import Definition, Reference

if TYPE_CHECKING:
    from clew.core.protocols import Embedder


def a_chunk(filepath: str, symbol_name: str, code: str, *, line: int = 1, symbol_type: str = "function", **more: Any) -> Chunk:
    """A chunk whose id, header and last line follow from the rest."""
    parent = symbol_name.rpartition(".")[0]
    known: dict[str, Any] = {
        "language": "python",
        "header": f"{filepath}\n{symbol_type} {symbol_name}",
        "parent": parent,
        "line_end": line + code.count("\n"),
    }
    return Chunk(
        id=chunk_ids(filepath, [(symbol_name, line)])[0],
        filepath=filepath,
        symbol_name=symbol_name,
        symbol_type=symbol_type,
        line_start=line,
        code=code,
        **{**known, **more},
    )


def a_file(filepath: str, *chunks: Chunk, embedder: Embedder | None = None, **more: Any) -> FileUpdate:
    """A file with these chunks, a definition and a reference for each, and vectors if an embedder is given."""
    text = "\n".join(chunk.code for chunk in chunks)
    language = chunks[0].language if chunks else "text"
    known = {
        "size": len(text),
        "mtime_ns": 1,
        "checksum": checksum(text.encode("utf-8", "surrogateescape")),
        "language": language,
        "parsed": True,
    }
    return FileUpdate(
        record=FileRecord(filepath, **{**known, **more}),
        chunks=chunks,
        definitions=tuple(
            Definition(c.symbol_name.rpartition(".")[2], c.symbol_name, c.symbol_type, c.line_start, c.line_end, c.parent) for c in chunks
        ),
        references=tuple(Reference("call", c.symbol_name, c.line_start) for c in chunks),
        vectors=tuple(embedder.embed_documents([c.text for c in chunks])) if embedder else (),
    )


def a_change(namespace: str, *updates: FileUpdate, embedder: Embedder | None = None, **more: Any) -> Changes:
    """Changes in a namespace, in the space of the embedder if one is given."""
    return Changes(namespace, updates, space=embedder.space if embedder else None, **more)
