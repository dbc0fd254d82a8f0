"""Which rows of a static table does a text call for? Words split at camelCase, snake_case and digits, and looked up."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+", re.ASCII)
WORD = re.compile(r"\w+", re.ASCII)
"""A word is split into parts; training does it by the same two expressions."""
_BLANKED = "".join(chr(code) if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128))
"""Of ASCII, what belongs to no word as a blank: replacing and splitting gives what `WORD` finds in half the time."""
_SHORTEST_PIECE = 3
"""Letters of the shortest known piece that may stand for a part of an unknown word; shorter ones mean nothing (the model's recipe)."""
_LONGEST_WORD = 64
"""Longer runs are data; their head is looked up."""
_MOST_CACHED = 300_000
_LONGEST_KEPT = 128
"""Longer words are data, never seen twice."""
_ROW = "i"
_ROW_BYTES = array(_ROW).itemsize


class WordParts:
    """Turns text into row numbers. An unknown word is covered by its longest known pieces."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._rows = {part: row for row, part in enumerate(vocabulary)}
        self._cache = _Cache(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, text: str) -> list[int]:
        """The rows of a text's parts, repeated as often as they occur."""
        return array(_ROW, self._packed(text)).tolist()

    def rows_of_each(self, texts: Sequence[str]) -> tuple[NDArray[np.int32], list[int]]:
        """`rows` of all texts, one after the other, and how many each has."""
        import numpy as np

        packed = [self._packed(text) for text in texts]
        return np.frombuffer(b"".join(packed), np.int32), [len(rows) // _ROW_BYTES for rows in packed]

    def _packed(self, text: str) -> bytes:
        return b"".join(map(self._cache.__getitem__, text.translate(_BLANKED).split() if text.isascii() else WORD.findall(text)))


class _Cache(dict[str, bytes]):
    """The rows of every word seen so far, by its spelling, as the bytes of an array: joining those is faster than lists of numbers."""

    def __init__(self, rows: dict[str, int]) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, word: str) -> bytes:
        if len(self) > _MOST_CACHED:
            self.clear()
        found = array(_ROW, [row for part in PART.findall(word) for row in self._cover(part[:_LONGEST_WORD].lower())]).tobytes()
        if len(word) <= _LONGEST_KEPT:
            self[word] = found
        return found

    def _cover(self, word: str) -> tuple[int, ...]:
        row = self._rows.get(word)
        if row is not None:
            return (row,)
        found = []
        start = 0
        while start <= len(word) - _SHORTEST_PIECE:
            for end in range(len(word), start + _SHORTEST_PIECE - 1, -1):
                row = self._rows.get(word[start:end])
                if row is not None:
                    found.append(row)
                    start = end
                    break
            else:
                start += 1
        return tuple(found)
