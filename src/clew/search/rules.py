"""What makes one file a better answer than another? Named, pure rules, applied in order; each one moved the benchmark (bench/results/ranking.md)."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from clew.core.query import Hit
from clew.core.words import terms
from clew.search.fusion import Candidate, Scored
from clew.search.paths import Role, beginnings, mentioned
from clew.search.question import Query

ROLE_SHARE: Mapping[Role, float] = {"test": 0.5, "vendored": 0.4, "generated": 0.3, "prose": 0.5}
"""What is left of the score of files that repeat, use or describe the real code, unless the question asks for them."""
DEFINITION_BOOST = 0.6
"""For the file that alone defines the name that is asked for; shared by the root of the number of such files."""
WHOLE_NAME_BOOST = 1.0
"""`AppContext.push` is all that is asked, and defined here, or what is quoted stands here word by word: more than the best words are worth."""
FILE_NAME_BOOST, BESIDE_VECTORS = 0.45, 0.35
"""Times the share of the file name's words that the question holds; the other way round ranks worse (.826 against .847). A vector has a share of the
path in it: beside vectors the name counts less."""
ABBREVIATION_BOOST = 0.4
"""Times the share of the file name's words that begin, or are begun by, a word of the question (auth, impl); nearly a whole word's worth."""
FOLDER_BOOST = 0.2
"""Times the share of a folder's words that the question holds: of two files of one name, the one in the folder that is asked about."""
NEIGHBOUR_BOOST, SECOND_NEIGHBOUR = 0.1, 0.5
"""Times what speaks for the best other file of its folder, words and meaning together, and half the second's: a subsystem is a folder.
Beside vectors .05 to .15 gain the same; with words alone it moved nothing."""
NEAREST_BOOST, MEANING_BOOST = 0.75, 0.2
"""For the file's nearest chunk, and for the mean of all of its chunks."""
NAME_ALONE_SHARE = 0.3
"""What meaning counts where a name is all that is asked: what is near to a name are other names."""
PATH_BOOST = 1.0
"""For a file that the question names by its path: nothing is clearer."""
OLDER_SHARE = 0.6
"""What is left of the score of a file of an older version that is kept beside a newer one (`v3` beside `v4`), unless the question names it."""
NAMES_BOOST, SOON_ENOUGH = 0.4, 0.25
"""Times the share of the question, by rarity, in the names of what the file defines; one name with a word gives 4/5 of the word's share."""
VISIBLE = 0.05
"""A rule that moved a score by less is not given as a reason."""

FolderKey = tuple[str, str]


class Asked(NamedTuple):
    """The question as rules see it. `rarity` is each term's weight as evidence, `definers` in how many files each name is defined;
    `terms` are what it is about, `beginnings` their first letters, and `evidence` what they weigh together; `has_meaning` says whether vectors
    were found; `folders` has what speaks for the three best files of each folder, best first; `asks_how` whether it is how something works;
    `newest` is the highest version among the folders of a folder."""

    query: Query
    rarity: Mapping[str, float]
    definers: Mapping[str, int]
    terms: frozenset[str]
    beginnings: frozenset[str]
    has_meaning: bool = False
    folders: Mapping[FolderKey, Sequence[float]] = MappingProxyType({})
    evidence: float = 0.0
    asks_how: bool = False
    newest: Mapping[str, int] = MappingProxyType({})

    @classmethod
    def of(cls, query: Query, rarity: Mapping[str, float], definers: Mapping[str, int], has_meaning: bool = False) -> Asked:
        """What the rules need of a question, worked out once."""
        evidence = math.fsum(rarity[term] for term in query.gist if "_" not in term)
        return cls(query, rarity, definers, query.gist, beginnings(query.gist), has_meaning, evidence=evidence, asks_how=query.asks_how)

    def among(self, files: Sequence[Candidate]) -> Asked:
        """The same question, asked of these files; what speaks for folders is told for a question with vectors, where it moves something."""
        if self.query.shape == "report":
            return self
        if not self.has_meaning:
            return self._replace(newest=_newest(files))
        folders: dict[FolderKey, list[float]] = defaultdict(list)
        for file in files:
            folders[file.key[0], file.path.folder].append(file.text + file.nearest)
        best = {folder: sorted(values, reverse=True)[:3] for folder, values in folders.items()}
        return self._replace(folders=best, newest=_newest(files))

    def met(self, text: str) -> int:
        """How many of the terms a text holds."""
        return len(self.terms & _words_in(text))


@lru_cache(maxsize=2_048)
def _words_in(text: str) -> frozenset[str]:
    """The distinct terms of a chunk's text, kept for the next questions: many share their best chunks."""
    return frozenset(terms(text))


def _newest(files: Sequence[Candidate]) -> Mapping[str, int]:
    """The highest version among the folders of each folder that has such."""
    newest: dict[str, int] = {}
    for file in files:
        if file.path.version:
            where, version = file.path.version
            newest[where] = max(newest.get(where, version), version)
    return newest


def named_after(hit: Hit) -> frozenset[str]:
    """The words of what a chunk defines, without what encloses it."""
    return frozenset() if hit.symbol_type == "block" else name_words(hit.symbol_name)


@lru_cache(maxsize=65_536)
def name_words(symbol_name: str) -> frozenset[str]:
    """The words of the last part of a qualified name."""
    last = re.split(r"[.:/]+", symbol_name)[-1]
    return frozenset(word for word in terms(last) if "_" not in word)


@lru_cache(maxsize=65_536)
def enclosing_words(symbol_name: str) -> frozenset[str]:
    """The words of a qualified name without its last part: what encloses a definition."""
    return frozenset(word for part in re.split(r"[.:/#]+", symbol_name)[:-1] for word in terms(part) if "_" not in word)


class Rule(NamedTuple):
    """`score` gives a file's new score from the one so far; `reason` is what is said of a file that it lifts or lowers
    (`{role}` stands for the file's role)."""

    name: str
    reason: str
    score: Callable[[float, Candidate, Asked], float]


def _role(score: float, file: Candidate, asked: Asked) -> float:
    role = file.path.role
    return score if role is None or role in asked.query.asks else score * ROLE_SHARE[role]


def _definition(score: float, file: Candidate, asked: Asked) -> float:
    if not file.definitions:
        return score
    best: dict[str, float] = {}
    for definition in file.definitions:
        best[definition.name] = max(best.get(definition.name, 0.0), definition.share)
    is_whole = any(definition.whole and (asked.query.is_bare or definition.is_verbatim) for definition in file.definitions)
    whole = WHOLE_NAME_BOOST if is_whole else 0.0
    return score + whole + DEFINITION_BOOST * sum(share / math.sqrt(asked.definers[name]) for name, share in best.items())


def _file_name(score: float, file: Candidate, asked: Asked) -> float:
    name = file.path.name
    boost = BESIDE_VECTORS if asked.has_meaning else FILE_NAME_BOOST
    return score if name.isdisjoint(asked.terms) else score + boost * len(name & asked.terms) / len(name)


def _folder(score: float, file: Candidate, asked: Asked) -> float:
    path = file.path
    if path.above.isdisjoint(asked.terms):
        return score
    return score + FOLDER_BOOST * max(len(words & asked.terms) / len(words) for words in path.folders)


def _abbreviation(score: float, file: Candidate, asked: Asked) -> float:
    path = file.path
    if path.name.isdisjoint(asked.beginnings) and asked.terms.isdisjoint(path.beginnings):
        return score
    begun = sum(word in asked.beginnings or not asked.terms.isdisjoint(beginnings([word])) for word in path.name - asked.terms)
    return score + ABBREVIATION_BOOST * begun / len(path.name)


def _names(score: float, file: Candidate, asked: Asked) -> float:
    """Vectors tell of the same better: beside them it loses .003, without them it gains .005."""
    if asked.has_meaning or not file.words or asked.query.is_bare:
        return score
    held = Counter(term for words in (file.path.name, *map(named_after, file.words)) for term in words & asked.terms)
    met = sum(asked.rarity[term] * count / (count + SOON_ENOUGH) for term, count in held.items())
    return score + NAMES_BOOST * met / asked.evidence if asked.evidence else score


def _neighbours(score: float, file: Candidate, asked: Asked) -> float:
    if not asked.folders:
        return score
    best = asked.folders.get((file.key[0], file.path.folder), ())
    if len(best) < 2:
        return score
    own = file.text + file.nearest
    first = best[1] if own >= best[0] else best[0]
    rest = best[2:] if own >= best[1] else best[1:]
    return score + NEIGHBOUR_BOOST * (first + SECOND_NEIGHBOUR * (rest[0] if rest else 0.0))


def _meaning(score: float, file: Candidate, asked: Asked) -> float:
    share = NAME_ALONE_SHARE if asked.query.shape == "name" else 1.0
    return score + share * (NEAREST_BOOST * file.nearest + MEANING_BOOST * file.meaning)


def _older(score: float, file: Candidate, asked: Asked) -> float:
    if not file.path.version:
        return score
    where, version = file.path.version
    is_older = version < asked.newest.get(where, version) and f"v{version}" not in asked.query.text.lower()
    return score * OLDER_SHARE if is_older else score


def _path(score: float, file: Candidate, asked: Asked) -> float:
    if not asked.query.paths:
        return score
    return score + PATH_BOOST * max((mentioned(file.path.parts, path) for path in asked.query.paths), default=0.0)


RULES: tuple[Rule, ...] = (
    Rule("definition", "defines the name", _definition),
    Rule("file name", "file name", _file_name),
    Rule("folder", "folder name", _folder),
    Rule("neighbours", "other files of its folder", _neighbours),
    Rule("abbreviation", "file name abbreviates the question", _abbreviation),
    Rule("names", "names of definitions", _names),
    Rule("meaning", "meaning", _meaning),
    Rule("path", "path in the question", _path),
    Rule("older", "held back: an older version", _older),
    Rule("role", "held back: {role}", _role),
)


def ruled(file: Candidate, asked: Asked, rules: Sequence[Rule]) -> float:
    """The file's score after all rules, from its text score on."""
    score = file.text
    for rule in rules:
        score = rule.score(score, file, asked)
    return score


def reasons(file: Scored, asked: Asked, rules: Sequence[Rule]) -> tuple[str, ...]:
    """Why the file stands where it does, in the order of the rules."""
    said = ["words"] if file.candidate.text >= VISIBLE else []
    score = file.candidate.text
    for rule in rules:
        before, score = score, rule.score(score, file.candidate, asked)
        if abs(score - before) >= VISIBLE:
            said.append(rule.reason.format(role=file.candidate.path.role))
    return tuple(said)
