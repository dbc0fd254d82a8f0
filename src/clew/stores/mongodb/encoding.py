"""How does text, a number or a vector become a value of BSON, and come back the same?"""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING, Any

from clew.core.document import Definition, Reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.core.catalog import Vector

ESCAPE = "\U0010fffd"
"""A private character that no text means anything with: what follows it stands for a lone surrogate, which BSON cannot hold."""

_TO_ESCAPE = re.compile(f"[\ud800-\udfff{ESCAPE}]")
_ESCAPED = re.compile(f"{ESCAPE}(.)", re.DOTALL)
_FIRST_SURROGATE, _FIRST_PRIVATE = 0xD800, 0xE000


def packed(text: str) -> str:
    """The text as BSON can hold it, itself where it is valid."""
    if text.isascii():
        return text
    return _TO_ESCAPE.sub(lambda found: ESCAPE + _private(found[0]), text)


def unpacked(text: str) -> str:
    """The text that `packed` was given."""
    return _ESCAPED.sub(lambda found: _surrogate(found[1]), text) if ESCAPE in text else text


def packed_int(number: int) -> int | str:
    """Numbers beyond 64 bits (a modification time in the year 2400) as text."""
    return number if -(2**63) <= number < 2**63 else str(number)


def packed_vector(vector: Vector) -> Any:
    """A vector as BSON's own binary form of float32: four bytes a number, which the search index takes as they are."""
    from bson.binary import Binary, BinaryVectorDtype

    return Binary.from_vector(vector.astype("float32").tolist(), BinaryVectorDtype.FLOAT32)


def unpacked_vector(value: Any) -> Vector:
    """The vector that `packed_vector` was given, or a plain list of numbers that somebody else wrote."""
    import numpy as np

    if isinstance(value, list):
        return np.array(value, np.float32)
    return np.frombuffer(value, dtype="<f4", offset=2).astype(np.float32)


def packed_outline(definitions: Sequence[Definition], references: Sequence[Reference]) -> bytes:
    """A file's outline and references, compressed; lone surrogates are escaped by JSON itself."""
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


def _private(character: str) -> str:
    return character if character == ESCAPE else chr(ord(character) - _FIRST_SURROGATE + _FIRST_PRIVATE)


def _surrogate(character: str) -> str:
    return character if character == ESCAPE else chr(ord(character) - _FIRST_PRIVATE + _FIRST_SURROGATE)
