"""How does clew see a package? Its files as documents with outlines, cut into the chunks that an index would hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from clew.core.chunk import Chunk
from clew.core.document import Document
from clew.index.chunker import chunk
from clew.sources.languages import language_of
from clew.sources.minified import minified
from clew.sources.outline_text import documentation
from clew.sources.outliner import outline
from clew.sources.reading import split_lines
from training.unpacking import Source

_HEAD = 4_000
_HEAD_COMMENT = re.compile(
    r"(?:#!.*\n|\s*\n|//go:build.*\n|// \+build.*\n|<\?php\s*|declare\(.*\);|(?:'use strict'|\"use strict\");?)*"
    r"((?:[ \t]*(?://|\#(?!include|if|define|pragma|!\[)|--|%).*\n)+|/\*(?s:.*?)\*/|\{-(?!#)(?s:.*?)-\}|--\[\[(?s:.*?)\]\]|[rRuU]?\"\"\"(?s:.*?)\"\"\"|[rRuU]?'''(?s:.*?)''')"
)
_LEGAL = re.compile(
    r"copyright|licen[cs]e|spdx|\(c\)|all rights reserved|generated|created by|-\*- coding|vim:|eslint|@flow|@ts-|@fileoverview\s*$",
    re.IGNORECASE,
)
_TEST = re.compile(r"(?:^|[/_.-])(?:tests?|specs?|__tests__|testing)(?:[/_.-]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class File:
    """A document and its chunks; `docs` is what the head of the file says about all of it."""

    document: Document
    chunks: tuple[Chunk, ...]
    docs: str
    is_test: bool


def files(sources: Iterable[Source]) -> list[File]:
    """Each source as clew would index it; what it would leave out is left out."""
    found = []
    for source in sources:
        lines = split_lines(source.text)
        if minified(source.path, lines):
            continue
        bare = Document(source.path, language_of(source.path, source.text[:_HEAD]), tuple(lines))
        document = replace(bare, outline=outline(lines, bare.language))
        found.append(File(document, tuple(chunk(document)), head_docs(source.text), bool(_TEST.search(source.path))))
    return found


def head_docs(text: str) -> str:
    """The first comment or documentation string of a file that is no licence."""
    position = 0
    for _ in range(2):
        match = _HEAD_COMMENT.match(text[position : position + _HEAD])
        if not match:
            return ""
        words = documentation(match[1])
        if not _LEGAL.search(words):
            return words
        position += match.end()
    return ""
