"""Which questions does the documentation in the code ask? The first sentence of a definition, with its words cut out of the code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.core.document import Definition, Document
from clew.evaluation.asked import DOCSTRING, Asked
from clew.search.paths import path_words

FEWEST_WORDS, MOST_WORDS = 5, 30
"""Shorter sentences say nothing that a name does not, longer ones are no questions."""
PER_FILE = 4
"""Questions from one file, so that no file decides alone."""
LONGEST_SEARCH = 80
"""Lines of a definition in which its documentation is looked for."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*(?:[:@\\]|-{3}|[A-Z]\w+:\s*\n|\w+\s*\n-{3}))")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NO_WORDS = re.compile(r"(?:<[^<>]{0,80}+>|\W)*+")
"""A line between two of the documentation that holds none of it: blank, marks or tags alone."""
_LONGEST_MARKS = 200
"""Characters of such a line."""


def questions_of(document: Document) -> list[tuple[Asked, Definition]]:
    """The questions that a file's definitions ask, in order; none for files that test, describe or repeat the real code."""
    if path_words(document.filepath).role is not None:
        return []
    found = []
    for definition in document.outline.definitions:
        sentence = question_of(definition)
        if sentence and cut(document.lines, definition) is not None:
            found.append((Asked(sentence, (document.filepath,), DOCSTRING, definition.qualified_name), definition))
    return found


def question_of(definition: Definition) -> str:
    """The first sentence of its documentation without its own name, where that is a question of usual length; else empty."""
    if not definition.docstring or definition.docstring.endswith("…") or definition.kind == "section":
        return ""
    sentence = " ".join(_SENTENCE.split(definition.docstring, maxsplit=1)[0].split()).rstrip(".:")
    without_name = " ".join(re.sub(rf"(?<!\w){re.escape(definition.name)}(?!\w)(\(\))?", " ", sentence).split()).lstrip(",;:-– ")
    return without_name if FEWEST_WORDS <= len(_WORD.findall(without_name)) <= MOST_WORDS else ""


def cut(lines: Sequence[str], definition: Definition) -> dict[int, str] | None:
    """Lines, by their index, as they are without the definition's documentation, its marks left; None where it cannot be found whole."""
    wanted = [line for line in (line.strip() for line in definition.docstring.split("\n")) if line]
    first, last = definition.line_start - 1, min(definition.line_end, len(lines))
    for start in range(first, min(last, first + LONGEST_SEARCH)):
        if wanted and wanted[0] in lines[start]:
            found = _cut_from(lines, range(start, last), wanted)
            if found is not None:
                return found
    return None


def _cut_from(lines: Sequence[str], numbers: range, wanted: Sequence[str]) -> dict[int, str] | None:
    """The documentation's lines as they follow each other from the first number on, taken out."""
    changed: dict[int, str] = {}
    left = list(wanted)
    for number in numbers:
        line = lines[number]
        if left and left[0] in line:
            changed[number] = line.replace(left.pop(0), "", 1)
        elif not left or len(line) > _LONGEST_MARKS or not _NO_WORDS.fullmatch(line):
            break
    return None if left else changed


def telling_line(definition: Definition) -> str:
    """The first line of the documentation: where it stands elsewhere too, cutting it out here hides nothing."""
    return next((line.strip() for line in definition.docstring.split("\n") if line.strip()), "")


def without(lines: Sequence[str], cuts: Iterator[dict[int, str]]) -> list[str]:
    """The lines with all of these cut out."""
    changed: dict[int, str] = {}
    for one in cuts:
        changed |= one
    return [changed.get(number, line) for number, line in enumerate(lines)]
