"""How does a chunk, a file or a hit become a document of MongoDB, and come back the same?"""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

from clew.core.catalog import FileRecord
from clew.core.chunk import Chunk
from clew.core.query import Hit
from clew.core.words import words
from clew.stores.bm25 import PRECISION
from clew.stores.filtering import nfc
from clew.stores.mongodb.encoding import packed, packed_int, unpacked
from clew.stores.symbols import bare_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ALIVE = 2**53 - 1
"""The build at which a document that is alive dies: the largest whole number that every reader of BSON agrees on."""
FIELDS = ("name", "parent", "docs", "body", "stem", "folder")
"""The fields of words, in the order of `bm25.WEIGHTS`."""
HIT = ("namespace_id", "id", "file_path", "symbol_name", "symbol_type", "language", "start_line", "end_line", "parent", "written")
"""What a hit needs of a document."""
WHOLE = (*HIT, "header", "content", "signature", "docstring", "ast_metadata", "visibility", "indexed_at")
"""What a whole chunk needs of a document: all but vectors and words."""

Document = dict[str, Any]


def projection(names: Iterable[str]) -> Document:
    """These fields and no others."""
    return {"_id": 0, **dict.fromkeys(names, 1)}


def chunk_document(chunk: Chunk, build: int) -> Document:
    """The whole document of a chunk that is born with a build, without any vector."""
    fields = words(chunk)
    return {
        **light(chunk, build),
        "header": packed(chunk.header),
        "content": packed(chunk.code),
        "signature": packed(chunk.signature),
        "docstring": packed(chunk.docstring),
        "ast_metadata": {
            "function_name": packed(chunk.symbol_name),
            "imports": [packed(name) for name in chunk.imports],
            "dependencies": [packed(name) for name in chunk.calls],
        },
        "indexed_at": packed_int(chunk.indexed_at),
        "digest": digest(chunk),
        "bare": packed(bare_name(chunk.symbol_name).casefold()) if chunk.symbol_type != "block" else None,
        "words": {name: packed(text) for name, text in zip(FIELDS, fields, strict=True)},
        "length": sum(len(text.split()) for text in fields),
        "spaces": [],
    }


def light(chunk: Chunk, build: int) -> Document:
    """What a document of a chunk holds in every collection: its key, where it stands, and what is filtered by.

    Labels are kept in small letters, as filters compare them; `written` has those that were not.
    """
    labels = {"language": packed(chunk.language), "symbol_type": packed(chunk.symbol_type)}
    small = {name: value.lower() for name, value in labels.items()}
    written = {name: value for name, value in labels.items() if value != small[name]}
    return {
        "_id": key_of(chunk.namespace, chunk.id, build),
        "namespace_id": chunk.namespace,
        "id": chunk.id,
        "file_path": packed(chunk.filepath),
        "path_nfc": packed(nfc(chunk.filepath)),
        "start_line": chunk.line_start,
        "end_line": chunk.line_end,
        "symbol_name": packed(chunk.symbol_name),
        **small,
        **({"written": written} if written else {}),
        "parent": packed(chunk.parent),
        "visibility": chunk.visibility,
        "checksum": chunk.checksum,
        "born": build,
        "died": ALIVE,
    }


def key_of(namespace: str, name: str, build: int) -> str:
    """The `_id` of a chunk as a build wrote it: each version of a chunk is a document of its own."""
    return f"{namespace}/{name}/{build}"


def digest(chunk: Chunk) -> str:
    """Equal for chunks that differ in nothing but when they were indexed."""
    content = json.dumps(astuple(replace(chunk, indexed_at=0)), separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def chunk_of(found: Mapping[str, Any]) -> Chunk:
    """The chunk of a document with the fields of `WHOLE`."""
    written = found.get("written") or {}
    parts = found["ast_metadata"]
    return Chunk(
        id=found["id"],
        filepath=unpacked(found["file_path"]),
        symbol_name=unpacked(found["symbol_name"]),
        symbol_type=unpacked(written.get("symbol_type", found["symbol_type"])),
        language=unpacked(written.get("language", found["language"])),
        line_start=found["start_line"],
        line_end=found["end_line"],
        header=unpacked(found["header"]),
        code=unpacked(found["content"]),
        signature=unpacked(found["signature"]),
        parent=unpacked(found["parent"]),
        docstring=unpacked(found["docstring"]),
        imports=tuple(map(unpacked, parts["imports"])),
        calls=tuple(map(unpacked, parts["dependencies"])),
        namespace=found["namespace_id"],
        visibility=found["visibility"],
        indexed_at=int(found["indexed_at"]),
    )


def hit_of(found: Mapping[str, Any], score: float) -> Hit:
    """The hit of a document with the fields of `HIT`."""
    written = found.get("written") or {}
    return Hit(
        found["namespace_id"],
        found["id"],
        unpacked(found["file_path"]),
        unpacked(found["symbol_name"]),
        unpacked(written.get("symbol_type", found["symbol_type"])),
        unpacked(written.get("language", found["language"])),
        found["start_line"],
        found["end_line"],
        unpacked(found["parent"]),
        round(score, PRECISION),
    )


def best(hits: Iterable[Hit], limit: int) -> tuple[Hit, ...]:
    """The best hits, equal scores in order of key."""
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.key))[:limit])


def file_key(namespace: str, filepath: str, build: int) -> str:
    """The `_id` of what a build wrote of a file."""
    return key_of(namespace, hashlib.sha256(filepath.encode("utf-8", "surrogatepass")).hexdigest()[:32], build)


def file_document(namespace: str, record: FileRecord, visibilities: Iterable[str], build: int) -> Document:
    """What a build knows of a file; `visibilities` are those of its chunks, all of which must be seen for the file to be."""
    return {
        "_id": file_key(namespace, record.filepath, build),
        "namespace_id": namespace,
        "file_path": packed(record.filepath),
        "size": packed_int(record.size),
        "mtime_ns": packed_int(record.mtime_ns),
        "checksum": record.checksum,
        "language": packed(record.language),
        "parsed": record.parsed,
        "skipped": packed(record.skipped),
        "note": packed(record.note),
        "visibilities": sorted(set(visibilities)),
        "born": build,
        "died": ALIVE,
    }


def record_of(found: Mapping[str, Any]) -> FileRecord:
    """The record of a file's document."""
    return FileRecord(
        unpacked(found["file_path"]),
        int(found["size"]),
        int(found["mtime_ns"]),
        found["checksum"],
        unpacked(found["language"]),
        bool(found["parsed"]),
        unpacked(found["skipped"]),
        unpacked(found["note"]),
    )
