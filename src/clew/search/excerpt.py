"""Which lines of a chunk matter for a question? The signature, what it says of itself, and the lines that hold the question's words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from clew.core.chunk import Chunk
from clew.core.words import terms

HEAD_LINES = 60
"""Lines in which the line that names a chunk is looked for: comments and decorators stand before it."""
MOST_READ = 2_000
"""Characters of a line that are searched for words: a longer one is data."""


def excerpt(chunk: Chunk, gist: frozenset[str], most: int, wanted: Sequence[int] = ()) -> tuple[int, ...]:
    """The numbers of at most `most` lines, in order: all of a short chunk; of a longer one those that are `wanted`, the line that names it, the first of its
    documentation, those that hold the most words of the question that no other shown line holds, and then its beginning."""
    lines = tuple(chunk.code.split("\n"))
    if len(lines) <= most:
        return tuple(range(chunk.line_start, chunk.line_start + len(lines)))
    if most <= 0:
        return ()
    wanted = [number - chunk.line_start for number in wanted if 0 <= number - chunk.line_start < len(lines)]
    ahead = [*wanted, _naming(chunk, lines), *_documenting(chunk, lines)]
    chosen = dict.fromkeys([*ahead[:most], *_telling(lines, gist, ahead, most - len(ahead))])
    for number in range(ahead[len(wanted)], len(lines)):
        if len(chosen) >= most:
            break
        if lines[number].strip():
            chosen.setdefault(number)
    return tuple(sorted(chunk.line_start + number for number in chosen))


def lines_of(chunk: Chunk) -> int:
    """How many lines the chunk has."""
    return chunk.line_end - chunk.line_start + 1


def _naming(chunk: Chunk, lines: Sequence[str]) -> int:
    """The line with the chunk's name, which a block has not."""
    name = chunk.symbol_name.replace("::", ".").replace("#", ".").rpartition(".")[2]
    head = chunk.signature.partition("(")[0].strip()
    for wanted in (head, name):
        for number, line in enumerate(lines[:HEAD_LINES]):
            if wanted and chunk.symbol_type != "block" and wanted in line[:MOST_READ]:
                return number
    return 0


def _documenting(chunk: Chunk, lines: Sequence[str]) -> Sequence[int]:
    """The line where the documentation begins, where it stands in the chunk."""
    first = chunk.docstring.partition("\n")[0].strip("… ")
    return next(([number] for number, line in enumerate(lines) if first in line), ()) if first else ()


@lru_cache(maxsize=64)
def _held(lines: tuple[str, ...], gist: frozenset[str]) -> tuple[frozenset[str], ...]:
    """The words of the question in each line, kept while a budget is filled with more or less of them."""
    return tuple(gist.intersection(terms(line[:MOST_READ])) for line in lines)


def _telling(lines: tuple[str, ...], gist: frozenset[str], shown: Sequence[int], most: int) -> Sequence[int]:
    """Lines by how many words of the question each adds to what is shown, as long as one adds any."""
    held = _held(lines, gist)
    seen = frozenset[str]().union(*(held[number] for number in shown))
    found: list[int] = []
    while len(found) < most:
        adds, best = max((len(words - seen), -number) for number, words in enumerate(held))
        if not adds:
            break
        found.append(-best)
        seen |= held[-best]
    return found
