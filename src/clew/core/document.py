"""What is a source made of? Documents, and the outline of named spans inside each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Definition:
    """A named span of lines: a class, a function, a section, a table.

    `line_start` and `line_end` are 1-based and inclusive and take in the decorators, attributes and the comment
    block directly above. `qualified_name` is the dotted path inside the document (`Class.method`);
    `parent` is the qualified name of the enclosing definition, or empty. `body_start` is the first line after the signature.
    """

    name: str
    qualified_name: str
    kind: str
    line_start: int
    line_end: int
    parent: str = ""
    signature: str = ""
    docstring: str = ""
    body_start: int = 0


class Reference(NamedTuple):
    """A name that one line of a document mentions: `kind` is call, import or base. A tuple, since there are many of them."""

    kind: str
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Outline:
    """What an outliner found in a document.

    `definitions` stand in order of their first line, an enclosing one before what it holds; spans nest or are disjoint.
    `cuts` are the lines at which a long definition may be split, as (line, depth): a statement starts there, depth 1
    being the outermost level of its definition. `parsed` is false where no grammar served and the text is cut in blocks.
    `errors` counts syntax errors that the parser stepped over.
    """

    definitions: tuple[Definition, ...] = ()
    references: tuple[Reference, ...] = ()
    cuts: tuple[tuple[int, int], ...] = ()
    parsed: bool = False
    errors: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """One indexable text. `lines` are split on `\\n` alone and keep no line end, nor a `\\r` before it."""

    filepath: str
    language: str
    lines: tuple[str, ...]
    outline: Outline = field(default_factory=Outline)
