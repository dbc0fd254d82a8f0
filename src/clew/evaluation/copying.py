"""On what is a question asked? On a copy of the project in which the documentation that questions were made from is cut out."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clew.core.document import Definition, Document
from clew.evaluation.asked import DOCSTRING, Asked, shuffled
from clew.evaluation.docstrings import PER_FILE, cut, questions_of, telling_line, without
from clew.sources.outliner import outline
from clew.sources.reading import read
from clew.sources.rules import Rules
from clew.sources.walking import walk

MOST_BYTES = 20_000_000
"""Of sources: half a million lines, which are indexed in a minute. Of a larger project files are drawn."""
SPARE = 3
"""Questions that are made for each that is asked: some fall away."""
_IGNORE_FILES = (".gitignore", ".clewignore")
"""What these left out is not copied; what git tracks all the same is."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Source:
    """A project's files of text by path, as lines; `left_out` counts those beyond what an evaluation reads."""

    root: Path
    documents: Mapping[str, Document]
    left_out: int


def read_source(root: Path, rules: Rules, seed: int, progress: Progress) -> Source:
    """Read the files, all of a project of usual size."""
    found = walk(root, rules).files
    drawn, size = [], 0
    for path in sorted(found, key=lambda path: shuffled(path, seed)):
        if size + found[path].size <= MOST_BYTES:
            drawn.append(path)
            size += found[path].size
    documents = {}
    for number, path in enumerate(sorted(drawn), 1):
        document = read(root, path, rules).document
        if document is not None:
            documents[path] = document
        progress("reading", number, len(drawn))
    return Source(root, documents, len(found) - len(drawn))


def documented(source: Source, count: int, seed: int, progress: Progress) -> list[Asked]:
    """Questions from the documentation in files drawn by the seed, some more than so many; one that two definitions ask is none."""
    found: list[Asked] = []
    order = sorted(source.documents, key=lambda path: shuffled(path, seed))
    for path in order:
        if len(found) >= count * SPARE:
            break
        questions = [asked for asked, _ in questions_of(_outlined(source.documents[path]))]
        found += sorted(questions, key=lambda one: shuffled(one.query, seed))[:PER_FILE]
        progress("choosing", min(len(found), count * SPARE), count * SPARE)
    by_query: dict[str, list[Asked]] = defaultdict(list)
    for asked in found:
        by_query[asked.query.lower()].append(asked)
    return [same[0] for same in by_query.values() if len(same) == 1]


def write_copy(source: Source, asked: Sequence[Asked], folder: Path) -> tuple[list[Asked], dict[str, list[str]]]:
    """Write the project's files into a folder, without what the questions were made from; returns the questions that can be asked of
    it, and the lines of each file as they are there.

    A question whose definition is not found is dropped, and so is one whose documentation stands somewhere else as well.
    """
    texts = {path: list(document.lines) for path, document in source.documents.items()}
    of_file: dict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        if one.kind == DOCSTRING:
            of_file[one.files[0]].append(one)
    telling: dict[Asked, str] = {}
    for path, questions in of_file.items():
        if path in source.documents:
            telling |= dict(_cut_out(source.documents[path], questions, texts))
    whole = "\n".join(line for lines in texts.values() for line in lines)
    kept = [one for one in asked if one.kind != DOCSTRING or (one in telling and telling[one] not in whole)]
    for path, lines in texts.items():
        _write(source, folder / path, path, lines)
    there = [replace(one, files=files) for one in kept if (files := tuple(path for path in one.files if path in texts))]
    return there, texts


def _cut_out(document: Document, questions: Iterable[Asked], texts: dict[str, list[str]]) -> Iterator[tuple[Asked, str]]:
    """Cut what these questions were made from out of the file's text; gives each whose documentation was found, with its first line."""
    outlined = _outlined(document)
    definitions: dict[str, Definition] = {}
    for definition in outlined.outline.definitions:
        definitions.setdefault(definition.qualified_name, definition)
    cuts = []
    for one in questions:
        asked_of = definitions.get(one.symbol)
        changed = cut(document.lines, asked_of) if asked_of else None
        if asked_of and changed is not None:
            cuts.append(changed)
            yield one, telling_line(asked_of)
    texts[document.filepath] = without(document.lines, iter(cuts))


def _outlined(document: Document) -> Document:
    return replace(document, outline=outline(document.lines, document.language))


def _write(source: Source, target: Path, path: str, lines: Sequence[str]) -> None:
    if target.name in _IGNORE_FILES:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if tuple(lines) == source.documents[path].lines:
        shutil.copyfile(source.root / path, target)
    else:
        target.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))
