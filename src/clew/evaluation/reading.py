"""What would somebody read of an answer, and what would it cost? Pieces of text from the top, each of one file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from clew.core.answer import Answer
from clew.core.tokens import count_tokens
from clew.evaluation.grep import Grep
from clew.search.listing import listing, with_lines

BUDGET = 2_000
"""Tokens after which nobody reads on: what has not come by then is missed, and costs as much."""
RANKS = 10
"""Files among which a right one has a rank."""

Piece = tuple[str, str]
"""The file that a piece of an answer is from, and its text."""


class Read(NamedTuple):
    """What reading an answer gave: the rank of the first right file (0: none), tokens until it was met, the share of the right files met."""

    rank: int
    tokens: int
    recall: float


def printed(answer: Answer) -> Iterator[Piece]:
    """The results as `clew search` prints them."""
    for result in with_lines(answer.results, answer.gist):
        yield result.chunk.filepath, "\n".join(listing(result)) + "\n\n"


def grepped(grep: Grep, question: str) -> Iterator[Piece]:
    """Matching lines with context, group after group."""
    for path, lines in grep.answer(question):
        yield path, "\n".join(lines) + "\n"


def read_through(pieces: Iterable[Piece], right: Collection[str]) -> Read:
    """Read an answer from its top. Ranks are of files, ten at most; the other two count what has been read whole within the budget."""
    files: dict[str, None] = {}
    met: set[str] = set()
    tokens, until, rank = 0, BUDGET, 0
    for path, text in pieces:
        if path not in files and len(files) == RANKS:
            break
        files.setdefault(path)
        if tokens <= BUDGET:
            tokens += count_tokens(text)
        if path in right:
            rank = rank or len(files)
            if tokens <= BUDGET:
                until = min(until, tokens)
                met.add(path)
    return Read(rank, until, len(met) / len(right))
