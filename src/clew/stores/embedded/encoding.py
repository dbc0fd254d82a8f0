"""How does text get into the catalog and back, byte for byte, when it is not valid Unicode?"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

from clew.core.document import Definition, Reference

if TYPE_CHECKING:
    from collections.abc import Sequence

SPACE_STEP = 2**40
"""Vectors are numbered space * this + chunk: a trillion chunks, four million spaces."""


def packed(text: str) -> str | bytes:
    """Valid text as it is (TEXT), text with lone surrogates as bytes (BLOB): SQLite keeps the two apart."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def unpacked(value: str | bytes) -> str:
    """The text that `packed` was given."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def packed_int(number: int) -> int | str:
    """Numbers beyond 64 bits (a modification time in the year 2400) as text."""
    return number if -(2**63) <= number < 2**63 else str(number)


def packed_names(names: Sequence[str]) -> str:
    """A list of names; lone surrogates are escaped by JSON itself."""
    return json.dumps(names) if names else ""


def unpacked_names(value: str) -> tuple[str, ...]:
    """The names that `packed_names` was given."""
    return tuple(json.loads(value)) if value else ()


def packed_outline(definitions: Sequence[Definition], references: Sequence[Reference]) -> bytes:
    """A file's outline and references, compressed."""
    rows = [
        [
            [d.name, d.qualified_name, d.kind, d.line_start, d.line_end, d.parent, d.signature, d.docstring, d.body_start]
            for d in definitions
        ],
        [[r.kind, r.name, r.line] for r in references],
    ]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), 1)


def unpacked_outline(content: bytes) -> tuple[tuple[Definition, ...], tuple[Reference, ...]]:
    """What `packed_outline` was given."""
    definitions, references = json.loads(zlib.decompress(content))
    return tuple(Definition(*row) for row in definitions), tuple(Reference(*row) for row in references)


def digest(checksum: str) -> bytes:
    """The 32 bytes of a `sha256:` checksum."""
    return bytes.fromhex(checksum.removeprefix("sha256:"))


def checksum_of(raw: bytes) -> str:
    """The checksum with these bytes."""
    return f"sha256:{raw.hex()}"
