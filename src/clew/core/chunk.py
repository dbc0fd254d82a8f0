"""What is a chunk? The unit that is embedded, indexed and returned."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Visibility = Literal["private", "team", "public"]
VISIBILITIES: tuple[Visibility, ...] = ("private", "team", "public")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines `line_start` to `line_end` (1-based, inclusive) of one file, with what is known about them.

    `code` is those lines as they stand; `header` is what is put in front of them for search (path, what encloses them,
    signature, docstring, imports). The two together are `text`, which is what an embedder reads.
    """

    id: str
    filepath: str
    symbol_name: str
    symbol_type: str
    language: str
    line_start: int
    line_end: int
    header: str
    code: str
    signature: str = ""
    parent: str = ""
    docstring: str = ""
    imports: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    namespace: str = ""
    visibility: Visibility = "private"
    indexed_at: int = 0

    @property
    def text(self) -> str:
        """What is embedded."""
        return f"{self.header}\n{self.code}" if self.header else self.code

    @property
    def checksum(self) -> str:
        """`sha256:` and the digest of the text: equal checksums share an embedding."""
        return checksum(self.text.encode("utf-8", "surrogateescape"))


def checksum(data: bytes) -> str:
    """The one form in which clew writes checksums."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def chunk_ids(filepath: str, spans: Iterable[tuple[str, int]]) -> list[str]:
    """Ids for a file's chunks, given each (symbol name, first line) in order.

    The first 16 hex digits of the SHA-256 of `filepath:symbol_name:line_start`; where that repeats in the file,
    `:2`, `:3`… is appended before hashing.
    """
    seen: Counter[str] = Counter()
    ids = []
    for name, line in spans:
        base = f"{filepath}:{name}:{line}"
        seen[base] += 1
        key = base if seen[base] == 1 else f"{base}:{seen[base]}"
        ids.append(hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:16])
    return ids
