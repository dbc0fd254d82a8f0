"""Which questions does a package answer itself? Pairs of a question and the chunk that answers it, out of docs, names, tests and READMEs."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from clew.core.chunk import Chunk
from training.questions import asked, clipped, committed, is_telling, prose, words_of
from training.reading import File
from training.undocumented import comments_of, without_docs

MASKED = 0.35
"""The share of documented chunks whose own name is masked: else the name in the question gives the answer away."""
ASKED, CHANGED = 0.2, 0.12
"""The shares of documented chunks that are also asked as a question, and as the subject of a commit."""
NAMED, NAMED_TOO = 0.6, 0.25
"""The shares of undocumented and documented definitions that are asked for by their names: there are more of these than of all others."""
_LONGEST = 2_400
"""Characters of a text that are kept: about the 512 tokens of a chunk."""
_FEWEST_LINES = 2
_MOST_A_FILE = 2
_MOST_DEFINERS = 2
_CALLABLE = frozenset(("function", "method", "constructor"))
_HOLDERS = frozenset(("class", "struct", "interface", "trait", "module", "enum", "object", "protocol", "type"))
_TEST_NAME = re.compile(r"^(?:test|should|it)_?(?=[A-Z_]|[a-z])", re.IGNORECASE)
_CODE_WORD = re.compile(r"`+([A-Za-z_][\w.:]*)(?:\(\))?`+|\b([A-Za-z_]\w*(?:[._]\w+)+|[a-z]+[A-Z]\w+)\b")


@dataclass(frozen=True, slots=True)
class Pair:
    """`text` answers `query`. `kind` is where they were found."""

    kind: str
    query: str
    text: str


def pairs(files: Sequence[File], seed: str) -> list[Pair]:
    """All pairs of a package, in a fixed order."""
    chance = random.Random(seed)
    own = [file for file in files if not file.is_test]
    found = [pair for file in files for pair in (*_of_docs(file, chance), *_of_names(file, chance), *_of_comments(file, chance))]
    found += [pair for file in own for pair in (*_of_holders(file, chance), *_of_files(file, chance))]
    definers = _definers(own)
    found += _of_tests(files, definers)
    found += _of_readmes(files, definers, chance)
    return [Pair(pair.kind, pair.query, pair.text[:_LONGEST]) for pair in found]


def masked(text: str, name: str) -> str:
    """The text without the name where it stands as a word."""
    parts = text.split(name) if name else [text]
    found = parts[0]
    for part in parts[1:]:
        is_word = not (found[-1:].isalnum() or part[:1].isalnum())
        found += ("_" if is_word else name) + part
    return found


def _of_docs(file: File, chance: random.Random) -> Iterator[Pair]:
    """Documentation and the code below it, which keeps the later sentences in half of the cases."""
    for chunk in file.chunks:
        sentences = _without_name(prose(chunk.docstring), _last(chunk.symbol_name)) if chunk.symbol_type != "section" else []
        if not sentences or not is_telling(sentences[0]):
            continue
        code = without_docs(chunk.code, chunk.docstring)
        if not code.strip():
            continue
        rest = sentences[1:] if chance.random() < 0.5 else []
        text = "\n".join((chunk.header, *rest, code))
        shown = masked(text, _last(chunk.symbol_name)) if chance.random() < MASKED else text
        yield Pair("docs", clipped(sentences[0] if rest or chance.random() < 0.5 else " ".join(sentences[:3])), shown)
        if chance.random() < ASKED:
            yield Pair("asked", asked(sentences[0], chance), text)
        if chance.random() < CHANGED:
            yield Pair("change", committed(sentences[0], chance), text)


def _of_names(file: File, chance: random.Random) -> Iterator[Pair]:
    """A name in words and the body without it; the words of what encloses it in half of the cases."""
    for chunk in file.chunks:
        name = _last(chunk.symbol_name)
        words = words_of(name)
        if chunk.symbol_type not in _CALLABLE | _HOLDERS or len(words.split()) < 2 or chunk.line_end - chunk.line_start < _FEWEST_LINES:
            continue
        if name.lower().startswith("test") or chance.random() >= (NAMED_TOO if chunk.docstring else NAMED):
            continue
        holder = words_of(_last(chunk.parent)) if chance.random() < 0.5 else ""
        yield Pair("name", f"{holder} {words}".strip(), masked(chunk.text, name))


def _of_comments(file: File, chance: random.Random) -> Iterator[Pair]:
    """A comment inside a definition and the lines after it."""
    for chunk in file.chunks:
        if chunk.symbol_type in ("section", "block"):
            continue
        found = [(words, code) for words, code in comments_of(chunk.code, chunk.docstring) if is_telling(words)]
        for words, code in chance.sample(found, min(len(found), 2)):
            yield Pair("comment", clipped(words), f"{chunk.header}\n{code}")


def _of_holders(file: File, chance: random.Random) -> Iterator[Pair]:
    """A class's documentation, or its name in words, and its members' signatures."""
    members: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in file.chunks:
        if chunk.parent and chunk.signature:
            members[chunk.parent].append(chunk)
    for chunk in file.chunks:
        inside = members.get(chunk.symbol_name, [])
        if chunk.symbol_type not in _HOLDERS or len(inside) < 2:
            continue
        name = _last(chunk.symbol_name)
        sentences = prose(chunk.docstring)
        signatures = masked("\n".join((chunk.header, *(one.signature for one in inside[:40]))), name)
        if sentences and is_telling(sentences[0]):
            yield Pair("holder", clipped(" ".join(sentences[:2])), signatures)
            member = chance.choice(inside)
            yield Pair("member", asked(sentences[0], chance), without_docs(member.text, member.docstring))
        elif len(words_of(name).split()) > 1:
            yield Pair("holder", words_of(name), signatures)


def _of_files(file: File, chance: random.Random) -> Iterator[Pair]:
    """What the head of a file says, and the file's outline or chunks of it; the file's name in words, and a chunk without the path."""
    named = [chunk for chunk in file.chunks if chunk.symbol_type not in ("block", "section", "constant")]
    if len(named) < 2:
        return
    sentences = prose(file.docs)
    if sentences and is_telling(sentences[0]):
        names = [f"{chunk.symbol_type} {chunk.symbol_name}" for chunk in named[:60]]
        yield Pair("file", clipped(" ".join(sentences[:2])), "\n".join((file.document.filepath, *names)))
        for chunk in chance.sample(named, _MOST_A_FILE):
            yield Pair("part", chance.choice((sentences[0], asked(sentences[0], chance))), without_docs(chunk.text, chunk.docstring))
    stem = words_of(file.document.filepath.rpartition("/")[2].rpartition(".")[0])
    if len(stem) > 3 and stem not in ("index", "main", "init", "utils", "mod", "lib"):
        chunk = chance.choice(named)
        other = words_of(_last(chance.choice(named).symbol_name))
        yield Pair("stem", f"{stem} {other}", chunk.text.partition("\n")[2])


def _without_name(sentences: list[str], name: str) -> list[str]:
    """Documentation in Go begins with the name: nobody who asks knows it."""
    first = sentences[0].removeprefix(name + " ") if sentences else ""
    return [first, *sentences[1:]] if first else sentences


def _definers(files: Iterable[File]) -> dict[str, Chunk]:
    """The chunk of each name that hardly anything else in the package has."""
    found: dict[str, list[Chunk]] = defaultdict(list)
    for file in files:
        for chunk in file.chunks:
            if chunk.symbol_type in _CALLABLE | _HOLDERS:
                found[_last(chunk.symbol_name)].append(chunk)
    return {name: chunks[0] for name, chunks in found.items() if len({chunk.id for chunk in chunks}) <= _MOST_DEFINERS}


def _of_tests(files: Iterable[File], definers: dict[str, Chunk]) -> Iterator[Pair]:
    """A test's name in words and the function under test: of those called the one with most words in common, then the rarest."""
    tests = [chunk for file in files for chunk in file.chunks if file.is_test and chunk.symbol_type in _CALLABLE]
    callers = Counter(name for chunk in tests for name in set(chunk.calls))
    for chunk in tests:
        words = words_of(_TEST_NAME.sub("", _last(chunk.symbol_name)))
        called = [_last(name) for name in chunk.calls if _last(name) in definers]
        shared = {name: len(set(words_of(name).split()) & set(words.split())) for name in called}
        if len(words.split()) > 2 and any(shared.values()):
            target = definers[min(shared, key=lambda name: (-shared[name], callers[name], name))]
            docs = prose(chunk.docstring)
            yield Pair("test", docs[0] if docs and is_telling(docs[0]) else words, without_docs(target.text, target.docstring))


def _of_readmes(files: Iterable[File], definers: dict[str, Chunk], chance: random.Random) -> Iterator[Pair]:
    """A section of prose and the definition that it names, the heading before its first sentences."""
    for file in files:
        if file.document.language != "markdown":
            continue
        for chunk in file.chunks:
            names = [_last((found[1] or found[2]).replace("::", ".")) for found in _CODE_WORD.finditer(chunk.code)]
            known = [name for name in dict.fromkeys(names) if name in definers and len(name) > 3]
            sentences = prose(chunk.code.partition("\n")[2])
            if chunk.symbol_type != "section" or not known or not sentences or not is_telling(sentences[0]):
                continue
            for name in known[:2]:
                query = f"{words_of(_last(chunk.symbol_name))} {' '.join(sentences[:2])}"
                yield Pair("readme", clipped(masked(query, name) if chance.random() < 0.5 else query), definers[name].text)


def _last(name: str) -> str:
    parts = re.split(r"[.:/#]+", name)
    return parts[-1] or name
