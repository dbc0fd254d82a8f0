"""What can be asked of a place or a name that is known? One kind each, with what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from clew.core.document import Definition
from clew.core.graph import Connections, Impact, Importers, ProjectMap, Related

Kind = Literal["symbol", "callers", "callees", "importers", "impact", "related", "map", "outline", "outlines", "read"]
KINDS: tuple[Kind, ...] = ("symbol", "callers", "callees", "importers", "impact", "related", "map", "outline", "outlines", "read")
OF_FILES: tuple[Kind, ...] = ("importers", "related", "outline", "read")
"""Those whose target is a file; that of a map and of outlines is a folder, of the others a name."""


@dataclass(frozen=True, slots=True)
class Look:
    """A look at one namespace. `target` is a name, a file or a folder, as the kind wants; `depth` is of callers, `line_start` is the line of
    `related` and the first one of `read`, `line_end` the last one (0: to the end). No `namespace` means the one that the caller may read, if it is one."""

    what: Kind
    target: str = ""
    namespace: str = ""
    depth: int = 1
    line_start: int = 1
    line_end: int = 0


@dataclass(frozen=True, slots=True)
class Outlined:
    """The definitions of a file, in order of lines."""

    filepath: str
    definitions: tuple[Definition, ...] = ()


@dataclass(frozen=True, slots=True)
class Outlines:
    """The definitions of each file of a folder and below, by path in order."""

    folder: str
    files: Mapping[str, tuple[Definition, ...]]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a file, `line_start` to `line_end`, 1-based and inclusive, `text` without a line end behind the last. `from_index`: as they were indexed."""

    filepath: str
    line_start: int
    line_end: int
    text: str
    from_index: bool = False


Looked = Connections | Importers | Impact | Related | ProjectMap | Outlined | Outlines | Lines
