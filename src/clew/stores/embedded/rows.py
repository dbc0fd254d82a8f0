"""How does a row of the catalog become a chunk, a hit or a file record, and back?"""

from __future__ import annotations

from typing import Any

from clew.core.catalog import FileRecord
from clew.core.chunk import Chunk
from clew.core.query import Hit
from clew.stores.embedded.encoding import packed, packed_int, packed_names, unpacked, unpacked_names
from clew.stores.symbols import bare_name

HIT = (
    "SELECT c.chunk, c.namespace, c.id, f.filepath, c.symbol_name, c.symbol_type, c.language, c.line_start, c.line_end, c.parent "
    "FROM chunks c JOIN files f USING (file)"
)
WHOLE = (
    "SELECT c.chunk, c.namespace, c.visibility, c.id, f.filepath, c.symbol_name, c.symbol_type, c.language, c.line_start, c.line_end, "
    "c.parent, t.header, t.code, t.signature, t.docstring, t.imports, t.calls, t.indexed_at, c.checksum, c.revision "
    "FROM chunks c JOIN files f USING (file) JOIN texts t USING (chunk)"
)
FILE = "SELECT filepath, size, mtime_ns, checksum, language, parsed, skipped, note FROM files"
INSERT_CHUNK = "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_TEXT = "INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

Row = tuple[Any, ...]
HitFields = tuple[str, str, str, str, str, str, int, int, str]


def hit_fields(row: Row) -> HitFields:
    """The fields of a hit, all but the score, of a row of `HIT`."""
    _, namespace, name, filepath, symbol_name, symbol_type, language, start, end, parent = row
    return (
        namespace,
        name,
        unpacked(filepath),
        unpacked(symbol_name),
        unpacked(symbol_type),
        unpacked(language),
        start,
        end,
        unpacked(parent),
    )


def hit_of(fields: HitFields, score: float) -> Hit:
    """A hit with these fields."""
    return tuple.__new__(Hit, (*fields, score))


def chunk_of(row: Row) -> Chunk:
    """The chunk of a row of `WHOLE`."""
    _, namespace, visibility, name, filepath, symbol_name, symbol_type, language, start, end, parent = row[:11]
    header, code, signature, docstring, imports, calls, indexed_at = row[11:18]
    return Chunk(
        id=name,
        filepath=unpacked(filepath),
        symbol_name=unpacked(symbol_name),
        symbol_type=unpacked(symbol_type),
        language=unpacked(language),
        line_start=start,
        line_end=end,
        header=unpacked(header),
        code=unpacked(code),
        signature=unpacked(signature),
        parent=unpacked(parent),
        docstring=unpacked(docstring),
        imports=unpacked_names(imports),
        calls=unpacked_names(calls),
        namespace=namespace,
        visibility=visibility,
        indexed_at=indexed_at,
    )


def light_row(number: int, file: int, chunk: Chunk, raw_checksum: bytes, revision: int) -> Row:
    """A row of `chunks`."""
    return (
        number, file, chunk.namespace, chunk.visibility, chunk.id, packed(chunk.symbol_name), packed(chunk.symbol_type),
        packed(chunk.language), chunk.line_start, chunk.line_end, packed(chunk.parent), folded_name(chunk), raw_checksum, revision,
    )  # fmt: skip


def text_row(number: int, chunk: Chunk) -> Row:
    """A row of `texts`."""
    return (
        number, packed(chunk.header), packed(chunk.code), packed(chunk.signature), packed(chunk.docstring),
        packed_names(chunk.imports), packed_names(chunk.calls), chunk.indexed_at,
    )  # fmt: skip


def folded_name(chunk: Chunk) -> str | bytes | None:
    """What `named` looks up: the last part of a definition's name, case folded; blocks are not definitions."""
    return None if chunk.symbol_type == "block" else packed(bare_name(chunk.symbol_name).casefold())


def record_of(row: Row) -> FileRecord:
    """The record of a row of `FILE`."""
    filepath, size, mtime_ns, checksum, language, parsed, skipped, note = row
    return FileRecord(
        unpacked(filepath), int(size), int(mtime_ns), checksum, unpacked(language), bool(parsed), unpacked(skipped), unpacked(note)
    )


def record_values(record: FileRecord) -> Row:
    """The values of a file's columns from `size` on."""
    return (
        packed_int(record.size), packed_int(record.mtime_ns), record.checksum, packed(record.language), record.parsed,
        packed(record.skipped), packed(record.note),
    )  # fmt: skip
