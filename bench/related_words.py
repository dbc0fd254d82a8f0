"""Which words mean nearly the same? Writes the list that schema search reads, out of WordNet 3.0's own files.

    python bench/related_words.py DICT_FOLDER src/clew/search/schema/related_words.txt

DICT_FOLDER holds `data.noun`, `data.verb`, `data.adj`, `data.adv` (a distribution may have cut them in parts: all `data.<part of speech>*`
are read one after the other) and `index.sense`. Kept are single words of letters, stemmed as clew stems, and of each pair only what a
counted text used: WordNet's rare senses relate everything to everything.
"""

from __future__ import annotations

import argparse
import collections
import re
from pathlib import Path

from clew.core.words import terms

PARTS = ("noun", "verb", "adj", "adv")
SENSES = 4
"""Senses of a word that are followed, the most used first."""
MOST = 16
"""Words kept of each word, the nearest first."""
_WORD = re.compile(r"[a-z]{3,}\Z")
LETTERS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
HYPERNYM, SIMILAR, DERIVED = "@", "&", "+"


class Synset:
    """A meaning: its words, and where it points to."""

    def __init__(self, line: str, part: str) -> None:
        fields = line.split(" | ", maxsplit=1)[0].split()
        count = int(fields[3], 16)
        self.key = (part, fields[0])
        self.words = [re.sub(r"\(.*\)", "", fields[4 + 2 * i]) for i in range(count)]
        at = 4 + 2 * count
        pointers = int(fields[at])
        self.pointers = [fields[at + 1 + 4 * i : at + 5 + 4 * i] for i in range(pointers)]


def stem(word: str) -> str:
    found = terms(word)
    return found[0] if len(found) == 1 else ""


def read_synsets(folder: Path) -> dict[tuple[str, str], Synset]:
    """Every synset by part of speech and offset; a file that was cut in parts counts from the first part's start."""
    found = {}
    for part in PARTS:
        for file in sorted(folder.glob(f"data.{part}*")):
            for line in file.read_text(encoding="latin-1").splitlines():
                if line[:8].isdigit():
                    one = Synset(line, part)
                    found[one.key] = one
    return found


def read_senses(folder: Path) -> dict[tuple[str, str, str], tuple[int, int]]:
    """(word, part, offset) -> (number of the sense, how often a counted text used it)."""
    parts = {"1": "noun", "2": "verb", "3": "adj", "4": "adv", "5": "adj"}
    found = {}
    for line in (folder / "index.sense").read_text(encoding="latin-1").splitlines():
        key, offset, number, count = line.split()
        word, rest = key.split("%")
        found[word, parts[rest[0]], offset] = (int(number), int(count))
    return found


def pairs(synsets: dict[tuple[str, str], Synset], senses: dict[tuple[str, str, str], tuple[int, int]]) -> dict[tuple[str, str], int]:
    """(word, word) -> 1 one meaning often used, 2 one meaning, or one made of the other, 3 a kind of the other."""
    found: dict[tuple[str, str], int] = {}
    for one in synsets.values():
        words = usual(one, senses)
        _add_equals(words, found)
        for symbol, offset, letter, ends in one.pointers:
            other = synsets.get((LETTERS[letter], offset))
            if other is None:
                continue
            if symbol == DERIVED and ends != "0000":
                add(one.words[int(ends[:2], 16) - 1], other.words[int(ends[2:], 16) - 1], 2, found)
            elif symbol in (HYPERNYM, "@i", SIMILAR):
                _add_kinds(words, usual(other, senses), found)
    return found


def add(left: str, right: str, level: int, found: dict[tuple[str, str], int]) -> None:
    """Both ways, at the nearest level."""
    a, b = (stem(word) if _WORD.match(word) else "" for word in (left, right))
    if a and b and a != b:
        for pair in ((a, b), (b, a)):
            found[pair] = min(level, found.get(pair, 9))


def usual(one: Synset, senses: dict[tuple[str, str, str], tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Its words of which this is one of the first senses, with the sense's number and count."""
    return {word: sense for word in one.words if _WORD.match(word) and (sense := senses.get((word, *one.key))) and sense[0] <= SENSES}


def _add_equals(words: dict[str, tuple[int, int]], found: dict[tuple[str, str], int]) -> None:
    for left, (number, count) in words.items():
        for right, (its, often) in words.items():
            if left < right and (count or often):
                add(left, right, 1 if min(number, its) == 1 and max(number, its) <= 2 else 2, found)


def _add_kinds(words: dict[str, tuple[int, int]], above: dict[str, tuple[int, int]], found: dict[tuple[str, str], int]) -> None:
    for left, (number, count) in words.items():
        for right, (its, often) in above.items():
            if number <= 2 and its <= 2 and count and often:
                add(left, right, 3, found)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("out", type=Path)
    given = options.parse_args()
    found = pairs(read_synsets(given.folder), read_senses(given.folder))
    near: dict[str, list[tuple[int, str]]] = collections.defaultdict(list)
    for (left, right), level in found.items():
        near[left].append((level, right))
    lines = []
    for word, others in sorted(near.items()):
        best = sorted(others)[:MOST]
        groups = [" ".join(other for level, other in best if level == wanted) for wanted in (1, 2, 3)]
        lines.append(f"{word}\t" + "\t".join(groups))
    given.out.write_text("\n".join(lines) + "\n", encoding="ascii")
    print(len(lines), "words,", given.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
