"""How do hits become files in order? Chunk scores make file scores, named rules add to them, and each file's best chunk (`choosing`) comes first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from clew.core.query import Hit, Leg
from clew.search.legs.names import Definition
from clew.search.paths import PathWords, path_words
from clew.search.question import Query

FILE_DEPTH = 8
"""Chunks of a file that count, with weights 1, 1/2, 1/4…: +.016 over the best chunk alone, .002 over the five best."""
FILE_DISCOUNT, DISCOUNT_BESIDE_VECTORS = 0.5, 0.65
"""What each further chunk's words count for its file. Where vectors already speak for the one best chunk, the words speak for the file as a whole."""
DEFINITION_SHARE = 0.6
"""What defining an asked name weighs against the best keyword hit where chunks of one file are compared."""
BARE_DEFINITION_SHARE = 2.0
"""What it weighs when the name is all that is asked: more than any mention."""
MIN_SPREAD = 0.08
"""Cosine above the baseline that the best hit needs to count in full; below it every chunk is about as unrelated as any other."""
WEAKEST = 0.15
"""Share of the best score below which a line only costs tokens: up to .3 no question of the benchmark loses anything."""

EARLY_SHARE, MOST_EARLY = 0.6, 2
"""What further chunks of the first file count among the other files, and how many do: a file is found more often than its lines are. Of ten
places the last ones pay, .001 of the order of files; nobody who asks for thirty does."""

FileKey = tuple[str, str]


class Candidate(NamedTuple):
    """A file that may be the answer. `text` is 1 for the file with the best words; `nearest` and `meaning` run from 0 (a chunk like
    any other) to 1 (the best hit there is): its nearest chunk, and the mean over all of its chunks."""

    key: FileKey
    path: PathWords
    text: float
    nearest: float
    meaning: float
    words: Sequence[Hit]
    near: Sequence[Hit]
    definitions: Sequence[Definition]


class Evidence(NamedTuple):
    """What the legs found."""

    words: Leg
    meanings: Leg
    definitions: tuple[Definition, ...]


class Scale(NamedTuple):
    """What makes the scores of the legs comparable."""

    word: float
    baseline: float
    spread: float
    definition: float
    average: float = 0.0
    average_spread: float = 1.0

    @classmethod
    def of(cls, evidence: Evidence, is_bare: bool) -> Scale:
        """Scales on which the best hit of a leg is 1 and an unrelated chunk 0; a definition of all that is asked outweighs any other."""
        best = evidence.meanings.hits[0].score if evidence.meanings.hits else 0.0
        word = evidence.words.hits[0].score if evidence.words.hits else 0.0
        spread = max(best - evidence.meanings.baseline, MIN_SPREAD)
        average = evidence.meanings.average
        wide = max(max(evidence.meanings.averages.values(), default=0.0) - average, MIN_SPREAD)
        definition = BARE_DEFINITION_SHARE if is_bare else DEFINITION_SHARE
        return cls(word or 1.0, evidence.meanings.baseline, spread, definition, average, wide)

    def meaning(self, cosine: float) -> float:
        """0 for an unrelated chunk, 1 for the best one."""
        return max(cosine - self.baseline, 0.0) / self.spread

    def kinship(self, file: FileKey, near: Sequence[Hit], averages: Mapping[FileKey, float]) -> float:
        """0 for a file that is about as near as the median file, 1 for the nearest as a whole; of a store that knows no file as
        a whole, what its hits are worth on average."""
        if not averages:
            return self.meaning(sum(hit.score for hit in near) / len(near))
        return max(averages.get(file, 0.0) - self.average, 0.0) / self.average_spread


def candidates(evidence: Evidence, scale: Scale, discount: float = FILE_DISCOUNT) -> list[Candidate]:
    """Every file that a leg found, in no particular order; a file's second chunk counts `discount` times, the third its square…"""
    words = _by_file(evidence.words.hits)
    near = _by_file(evidence.meanings.hits)
    defined: dict[FileKey, list[Definition]] = {}
    for definition in evidence.definitions:
        defined.setdefault(_file(definition.hit), []).append(definition)
    texts = {key: discounted_sum(hits, discount) for key, hits in words.items()}
    best_text = max(texts.values(), default=0.0) or 1.0
    averages, baseline, spread = evidence.meanings.averages, scale.baseline, scale.spread
    found = []
    for key in dict.fromkeys((*words, *near, *defined)):
        close = near.get(key, ())
        found.append(
            Candidate(
                key,
                path_words(key[1]),
                texts.get(key, 0.0) / best_text,
                max(close[0][-1] - baseline, 0.0) / spread if close else 0.0,
                scale.kinship(key, close, averages) if close else 0.0,
                words.get(key, ()),
                close,
                defined.get(key, ()),
            )
        )
    return found


def discounted_sum(hits: Sequence[Hit], discount: float) -> float:
    """The best score, `discount` times the second, its square times the third…; hits come best first."""
    weight, total = 1.0, 0.0
    for hit in hits[:FILE_DEPTH]:
        total += weight * hit[-1]
        weight *= discount
    return total


def only_what_is_named(files: Sequence[Candidate], query: Query) -> Sequence[Candidate]:
    """The files that a path names, where that is all that is asked; else, and where there is none, every file."""
    if query.shape != "path":
        return files
    return [file for file in files if any(definition.kind == "place" for definition in file.definitions)] or files


def _by_file(hits: Iterable[Hit]) -> dict[FileKey, list[Hit]]:
    files: dict[FileKey, list[Hit]] = defaultdict(list)
    for hit in hits:
        files[hit[0], hit[2]].append(hit)
    return files


def _file(hit: Hit) -> FileKey:
    return (hit.namespace, hit.filepath)


class Scored(NamedTuple):
    """A file with its score; `chunks`, best first, are there for the files that may be shown."""

    candidate: Candidate
    score: float
    chunks: tuple[tuple[float, Hit], ...] = ()

    @property
    def best(self) -> Hit:
        """The chunk that stands for the file."""
        return self.chunks[0][1]


class Line(NamedTuple):
    """One line of an answer: a chunk of a file."""

    hit: Hit
    score: float
    file: Scored
    remarks: tuple[str, ...] = ()


def in_order(files: Iterable[Scored]) -> list[Scored]:
    """Best first; equal scores in order of key."""
    return sorted(files, key=lambda file: (-file.score, file.candidate.key))


def lines_of_answer(files: Sequence[Scored], limit: int, most_early: int = MOST_EARLY) -> list[Line]:
    """A line for each file, its best chunk, and among them by score a few more of the first file; then, while there is room, further chunks
    of the files, none scored above a line before it. None has nearly nothing to do with the question."""
    least = WEAKEST * files[0].score if files else 0.0
    lines = [Line(file.best, file.score, file) for file in files[:limit]]
    lines += [line._replace(score=line.score * EARLY_SHARE) for file in files[:1] for line in islice(_further(file), most_early)]
    lines = sorted((line for line in lines if line.score > least), key=lambda line: -line.score)[:limit]
    if not lines or len(lines) == limit:
        return lines
    floor, there = lines[-1].score, {line.hit.key for line in lines}
    rest = [line for file in files for line in _further(file) if line.score > least and line.hit.key not in there]
    rest.sort(key=lambda line: (-line.score, line.hit.key))
    return lines + [line._replace(score=min(line.score, floor)) for line in rest[: limit - len(lines)]]


def _further(file: Scored) -> Iterator[Line]:
    """The file's chunks after its best, best first."""
    return (Line(hit, _share(file, score), file, ("more of the file",)) for score, hit in file.chunks[1:])


def _share(file: Scored, chunk_score: float) -> float:
    return file.score * chunk_score / (file.chunks[0][0] or 1.0)


def definers(definitions: Iterable[Definition]) -> dict[str, int]:
    """In how many files each asked name is defined."""
    files: dict[str, set[FileKey]] = {}
    for definition in definitions:
        files.setdefault(definition.name, set()).add(_file(definition.hit))
    return {name: len(where) for name, where in files.items()}
