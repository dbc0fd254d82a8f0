"""What do all packages give? Each one mined into a file of its own, and all of them read back without repetitions."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from training.fetching import paths
from training.mining import Pair, pairs
from training.packages import Package
from training.questions import words_of
from training.reading import files
from training.unpacking import sampled, sources

MOST_BYTES = {"pypi": 250_000, "npm": 250_000, "debian": 500_000}
"""Source of one package that is mined: breadth teaches more than depth. Debian's are the only ones of most languages."""
MOST_PAIRS = 6_000
"""Of one package, so that none dominates."""
SYMBOLS, PLACES = 6, 8
"""Of so many texts one is asked for by its name as it is written, and one by its file's name in words: half of the world asks like that."""
_KEY = 300
"""Characters by which two texts are the same."""


@dataclass(frozen=True, slots=True)
class Mined:
    """The pairs of one package."""

    package: Package
    pairs: tuple[Pair, ...]


def mine(packages: Iterable[Package], archives: Path, folder: Path) -> None:
    """Mine each package that has not been mined yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in packages:
        target = folder / f"{package.key}.jsonl"
        if package.role == "tool" or target.is_file():
            continue
        own = sampled(sources(paths(package, archives)), MOST_BYTES[package.registry])
        found = pairs(files(own), package.key)
        lines = [json.dumps((pair.kind, pair.query, pair.text)) for pair in found]
        partial = target.with_suffix(".partial")
        partial.write_text("".join(line + "\n" for line in lines), "utf-8")
        partial.replace(target)


def mined(packages: Sequence[Package], folder: Path) -> Iterator[Mined]:
    """The pairs of each package; a question or a text that an earlier package had is left out, and so is what is over the limit."""
    seen: set[bytes] = set()
    for package in packages:
        path = folder / f"{package.key}.jsonl"
        if package.role == "tool" or not path.is_file():
            continue
        fresh = _fresh((Pair(*json.loads(line)) for line in path.read_text("utf-8").split("\n") if line), seen)
        kept = _limited(fresh)
        yield Mined(package, (*kept, *_named(kept)))


def _fresh(found: Iterable[Pair], seen: set[bytes]) -> list[Pair]:
    """Pairs whose question is new in this package, and whose code no earlier package had."""
    kept, asked, own = [], set(), set()
    for pair in found:
        text = _digest(pair.text.partition("\n")[2][:_KEY])
        question = _digest(pair.kind[:2] + pair.query.lower())
        if text not in seen and question not in asked:
            kept.append(pair)
            asked.add(question)
            own.add(text)
    seen |= own
    return kept


def _limited(found: list[Pair]) -> list[Pair]:
    """At most so many, the commonest kinds thinned out first, in the order in which they stand."""
    if len(found) <= MOST_PAIRS:
        return found
    by_kind: dict[str, list[int]] = defaultdict(list)
    for place, pair in enumerate(found):
        by_kind[pair.kind].append(place)
    room, kept = MOST_PAIRS, []
    for left, places in enumerate(sorted(by_kind.values(), key=len)):
        share = min(len(places), room // (len(by_kind) - left))
        kept += [places[step * len(places) // share] for step in range(share)]
        room -= share
    return [found[place] for place in sorted(kept)]


def _named(found: Sequence[Pair]) -> Iterator[Pair]:
    """Questions by name for some of the texts, told from the two lines that stand in front of a chunk."""
    for place, pair in enumerate(found):
        path, _, rest = pair.text.partition("\n")
        name = re.split(r"[.:/#]+", rest.partition("\n")[0].partition(" ")[2])[-1]
        stem = path.rpartition("/")[2].partition(".")[0]
        if place % SYMBOLS == 0 and len(name) > 3:
            yield Pair("symbol", name, pair.text)
        if place % PLACES == 1 and len(stem) > 3 and pair.kind != "stem":
            yield Pair("place", f"{words_of(stem)} {words_of(name)}" if place % (2 * PLACES) == 1 else words_of(stem), pair.text)


def _digest(text: str) -> bytes:
    return hashlib.blake2b("".join(text.split()).encode("utf-8", "replace"), digest_size=8).digest()
