"""What would a search with grep have shown? The baseline: lines that hold the rare words of a question, with context, file after file.

As `rg -n -i -C 3 -e WORD -e WORD …` over the same files, the files with most of the words first. The words are the question's rarest
that occur at all, which is more than somebody knows who has not counted them.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain

from clew.core.words import STOP_WORDS

WORDS = 3
"""Words that are searched; with one alone or with five fewer right files come first (bench/results/economy.md)."""
CONTEXT = 3
SHORTEST = 3
"""Letters of a word that is worth searching: shorter ones stand everywhere."""
LINE_CHARACTERS = 200
"""A longer line is cut, as `rg -M 200 --max-columns-preview` does."""
_WORD = re.compile(r"[^\W_]\w*")


class Grep:
    """The lines of a project's files, ready to be searched. Lines are numbered through all files, to keep the index of their words small."""

    def __init__(self, files: Mapping[str, Sequence[str]], context: int = CONTEXT) -> None:
        self._files = files
        self._context = context
        self._paths = list(files)
        self._starts = [0, *accumulate(len(lines) for lines in files.values())]
        places: dict[str, array[int]] = {}
        number = 0
        for lines in files.values():
            for line in lines:
                for word in set(_WORD.findall(line.lower())):
                    if word not in places:
                        places[word] = array("L")
                    places[word].append(number)
                number += 1
        self._places = places
        self._known = list(places)
        self._text = "\n".join(self._known)
        self._offsets = [0, *accumulate(len(word) + 1 for word in self._known)]

    def answer(self, question: str) -> Iterator[tuple[str, list[str]]]:
        """Each group of lines as it would be read, with the file that it stands in: files with more of the words first, then by lines."""
        hits: dict[str, set[int]] = defaultdict(set)
        words: Counter[str] = Counter()
        for word in self._words(question):
            found: dict[str, set[int]] = defaultdict(set)
            for line in chain.from_iterable(self._places[one] for one in self._holding(word)):
                number = bisect_right(self._starts, line) - 1
                found[self._paths[number]].add(line - self._starts[number])
            for path, lines in found.items():
                words[path] += 1
                hits[path] |= lines
        for path in sorted(hits, key=lambda path: (-words[path], -len(hits[path]), path)):
            for group in self._groups(path, hits[path]):
                yield path, group

    def _words(self, question: str) -> list[str]:
        """The rarest words of the question that stand in some file, by how often they do."""
        asked = dict.fromkeys(word for word in _WORD.findall(question.lower()) if len(word) >= SHORTEST and word not in STOP_WORDS)
        counts = {word: sum(len(self._places[one]) for one in self._holding(word)) for word in asked}
        return sorted((word for word in asked if counts[word]), key=lambda word: (counts[word], word))[:WORDS]

    def _holding(self, word: str) -> Iterator[str]:
        """The words of the project that this one is, or is a part of."""
        position = self._text.find(word)
        while position >= 0:
            number = bisect_right(self._offsets, position) - 1
            yield self._known[number]
            position = self._text.find(word, self._offsets[number + 1])

    def _groups(self, path: str, matching: set[int]) -> Iterator[list[str]]:
        """Matching lines with their context as grep prints them; groups that touch are one."""
        lines = self._files[path]
        shown = sorted(
            {near for number in matching for near in range(max(number - self._context, 0), min(number + self._context + 1, len(lines)))}
        )
        group: list[str] = [path]
        for number, following in zip(shown, [*shown[1:], -1], strict=True):
            group.append(f"{number + 1}{':' if number in matching else '-'}{lines[number][:LINE_CHARACTERS]}")
            if following != number + 1:
                yield group
                group = ["--"]
