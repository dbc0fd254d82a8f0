"""How many tokens is a text? One count for every budget, never below what cl100k_base counts.

cl100k_base cuts a text into pieces (a word with the one character before it, up to three digits, a run of punctuation, a run of blanks)
and merges the bytes of each piece until no two neighbours together are a token. So a tokenization in which two neighbours are known
to make a token together is impossible, and the longest possible one is a bound that holds for every text, not an estimate.
Pieces that are known to be one token count one. Measured on 20 MB of source code
in 17 languages: 1.31 times the true count (1.13 Elixir, 1.34 Python, 1.45 Haskell); random letters 1.5 to 1.9, any other script its bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from itertools import accumulate

from clew.core.token_pieces import OTHERS, STAND_INS, WORDS, WORDS_AFTER_BLANK

# cl100k_base's own pattern, for ASCII.
_PIECE = re.compile(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\nA-Za-z0-9]?+[A-Za-z]++|[0-9]{1,3}+| ?[^\sA-Za-z0-9]++[\r\n]*+|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s", re.ASCII
)
# A word (in the sense of white space) that holds anything beyond ASCII.
_FOREIGN = re.compile(r"(?<!\S)[^\s\x80-\U0010ffff]*+[^\x00-\x7f]\S*", re.ASCII)
_LONGEST_BOUNDED = 256
"""Longer pieces count their characters: they are data, and the bound costs microseconds a character."""
_MOST_COSTS = 200_000
"""Pieces remembered; a million lines of Python hold about as many."""
_IMPOSSIBLE = -1_000_000


def count_tokens(text: str) -> int:
    """An upper bound of the tokens in `text`, close for code; a text of n bytes never has more than n tokens."""
    if text.isascii():
        return sum(map(_costs.__getitem__, _PIECE.findall(text)))
    total = 0
    position = 0
    for word in _FOREIGN.finditer(text):
        total += sum(map(_costs.__getitem__, _PIECE.findall(text[position : word.start()]))) + _foreign_cost(word.group())
        position = word.end()
    total += sum(map(_costs.__getitem__, _PIECE.findall(text[position:])))
    return min(total, len(text.encode("utf-8", "surrogatepass")))


class Counted:
    """A text of ASCII alone that is counted once, with any run of its lines."""

    def __init__(self, text: str) -> None:
        self._size = len(text)
        self._pieces = _PIECE.findall(text)
        self._ends: list[int] = []
        self._sums: list[int] = []

    def within(self, start: int, end: int) -> int | None:
        """What `count_tokens` gives for the characters from `start` to `end`, the last of which must not be blank unless it is the text's;
        None where a piece of the whole stands across the start, as none does at the first character of a line that is not blank.
        """
        if start == 0 and end == self._size:
            return sum(map(_costs.__getitem__, self._pieces))
        if not self._ends:
            self._ends = [0, *accumulate(map(len, self._pieces))]
            self._sums = [0, *accumulate(map(_costs.__getitem__, self._pieces))]
        first, last = bisect_left(self._ends, start), bisect_left(self._ends, end)
        if self._ends[first] != start:
            return None
        # A piece across the end is a run of punctuation with the line ends behind it: the run alone is a piece too.
        cut = 0 if self._ends[last] == end else _costs[self._pieces[last - 1][: end - self._ends[last]]] - _costs[self._pieces[last - 1]]
        return self._sums[last] - self._sums[first] + cut


def _foreign_cost(word: str) -> int:
    """Its bytes, and one for the blank before it, which belongs to the same piece."""
    return 1 + len(word.encode("utf-8", "surrogatepass"))


class _Costs(dict[str, int]):
    """The cost of each piece seen so far."""

    def __missing__(self, piece: str) -> int:
        if len(self) > _MOST_COSTS:
            self.clear()
        cost = self[piece] = _cost(piece)
        return cost


_costs = _Costs()


def _cost(piece: str) -> int:
    known = _pieces()
    if piece in known or piece.isdigit():
        return 1
    return _longest_split(piece, known) if len(piece) <= _LONGEST_BOUNDED else len(piece)


@cache
def _pieces() -> frozenset[str]:
    return frozenset(
        (*WORDS.split(), *(" " + word for word in WORDS_AFTER_BLANK.split()), *(other.translate(STAND_INS) for other in OTHERS.split()))
    )


def _longest_split(piece: str, known: frozenset[str]) -> int:
    """The most tokens that `piece` can be, given that no two neighbours make a known one, by the length of the last token: 1, 2 or more."""
    ones = twos = ones_before = twos_before = longs_before = best_2 = best_3 = _IMPOSSIBLE
    longs = best = 0
    for end in range(1, len(piece) + 1):
        is_known = piece[end - 3 : end] in known
        one = longs
        if twos > one and not is_known:
            one = twos
        if ones > one and piece[end - 2 : end] not in known:
            one = ones
        two = longs_before if longs_before > twos_before else twos_before
        if ones_before > two and not is_known:
            two = ones_before
        long = best_3 + 1
        if longs > long and end > 1:
            long = longs
        best_3, best_2 = best_2, best
        ones_before, twos_before, longs_before = ones, twos, longs
        ones, twos, longs = one + 1, two + 1, long
        best = ones if ones > twos else twos
        best = longs if longs > best else best
    return best
