"""What can be asked about a place or a name that is known? One table of kinds; the list on the wire and the calls are made from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.core.tokens import count_tokens
from clew.core.visible import visible, visible_code
from clew.errors import UsageError
from clew.interfaces.mcp.texts import listed, root_line, spoken
from clew.interfaces.rendering.connections import choices, edge_lines, impact_lines, importer_lines, related_lines
from clew.interfaces.rendering.overview import fitted, map_lines
from clew.interfaces.rendering.plain import outline_lines

if TYPE_CHECKING:
    from clew.core.document import Definition
    from clew.core.graph import Connections, Edge, Impact, Importers, ProjectMap, Related, Symbol
    from clew.interfaces.mcp.places import Place

LINES = 60
"""Lines from the one that was asked for, where no last one is given; of several definitions together."""
FEWEST_LINES = 4
"""Lines of each, however many there are."""
LINE_CHARACTERS = 400
"""A longer line is cut: it is data."""

_LINES = re.compile(r"(?P<path>.+?):(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of looking: at which `target`, what that tells where the name does not say it, and who answers within a budget of tokens. One
    `of_everything` needs no target."""

    name: str
    target: str
    meaning: str
    answer: Callable[[Place, str, int], str]
    of_everything: bool = False

    def __str__(self) -> str:
        return f"{self.name} {self.target}{f' ({self.meaning})' if self.meaning else ''}"


def symbol(place: Place, target: str, max_tokens: int) -> str:
    """Where a name is defined, with its first lines. A qualified name (`Class.method`, `path:name`) means that one alone."""
    found = place.engine.symbol(target)
    symbols = [one for one in found.symbols if place.holds(one.filepath)]
    each = max(FEWEST_LINES, LINES // max(1, len(symbols)))
    lines = [line for one in symbols for line in _definition(place, one, each)]
    return _connected(place, found, lines or [_unknown(target, found)], max_tokens)


def callers(place: Place, target: str, max_tokens: int) -> str:
    """The places that call what a name means."""
    return _edges(place, target, place.engine.callers(target), "callers", max_tokens)


def callees(place: Place, target: str, max_tokens: int) -> str:
    """What the definitions of a name call, as far as it belongs to the project."""
    return _edges(place, target, place.engine.callees(target), "callees", max_tokens)


def importers(place: Place, target: str, max_tokens: int) -> str:
    """The files that import a file."""
    found = place.engine.importers(place.path(target))
    shown = replace(found, importers=tuple(one for one in found.importers if place.holds(one.filepath)))
    return _connected(place, shown, list(importer_lines(shown)) or [f"nothing imports {visible(found.filepath)}"], max_tokens)


def _edges(place: Place, target: str, found: Connections, what: str, max_tokens: int) -> str:
    symbols = tuple(one for one in found.symbols if place.holds(one.filepath))
    shown = replace(found, symbols=symbols, edges=_held(place, found.edges))
    lines = list(edge_lines(shown, what))
    if not lines:
        lines = [f"no {what} of {visible(target)} are known" if found.symbols else _unknown(target, found)]
    return _connected(place, shown, [*choices(target, shown.symbols), *lines], max_tokens)


def _connected(place: Place, found: Connections | Importers | Impact | Related | ProjectMap, lines: Sequence[str], max_tokens: int) -> str:
    """The lines under the root, and what they may lack."""
    warnings = [f"warning: {spoken(one)}" for one in place.project.warnings(found.warnings)]
    return listed(
        (root_line(str(place.root)), *warnings), lines, max_tokens, "… the first {} lines: raise max_tokens, or ask with path:name"
    )


def _unknown(target: str, found: Connections | Impact) -> str:
    near = ", ".join(map(visible, found.near))
    return f"no definition is named {visible(target)}" + (f"; the nearest: {near}" if near else "; search finds it in words")


def _definition(place: Place, one: Symbol, most: int) -> Iterator[str]:
    yield f"{visible(one.filepath)}:{one.line_start}-{one.line_end}  {one.kind} {visible(one.name)}"
    last = min(one.line_end, one.line_start + most - 1)
    yield from _numbered(place.engine.read(one.filepath, one.line_start, last).split("\n"), one.line_start)
    if last < one.line_end:
        yield f"… {one.line_end - last} more lines: read {visible(one.filepath)}:{last + 1}-{one.line_end}"


def outline(place: Place, target: str, max_tokens: int) -> str:
    """The definitions of a file with their lines; of a folder, its files with the names of their outermost definitions."""
    path = place.path(target)
    files = place.files()
    if path in files:
        lines = list(outline_lines(place.engine.outline(path))) or ["no definitions"]
        return listed((root_line(str(place.root)), visible(path)), lines, max_tokens, "… the first {} definitions: raise max_tokens")
    below = [file for file in files if not path or file.startswith(f"{path}/")]
    if not below:
        raise UsageError(f"{target} is no file or folder in the index", "status says what was left out; paths are relative to the root")
    lines = list(_enough((_outermost(file, place.engine.outline(file)) for file in below), max_tokens))
    return listed(
        (root_line(str(place.root)),), lines, max_tokens, f"… {{}} of {len(below)} files: outline a folder below, or raise max_tokens"
    )


def read(place: Place, target: str, max_tokens: int) -> str:
    """Lines of a file as they stand on disk, behind their numbers."""
    spelled, first, last = _range(place, target)
    path = place.path(spelled)
    if not place.engine.belongs(path):
        raise UsageError(f"{spelled} is not a file of the project", "ignored files, and those that may hold secrets, are not read")
    text = place.engine.read(path, first, last or first + LINES - 1)
    lines = text.split("\n") if text else []
    if not lines:
        raise UsageError(f"{path} has no line {first}", "outline lists what it holds")
    more = f"… the first {{}} lines of {first}-{first + len(lines) - 1}: read on from there, or raise max_tokens"
    return listed((root_line(str(place.root)), visible(path)), list(_numbered(lines, first)), max_tokens, more)


def impact(place: Place, target: str, max_tokens: int) -> str:
    """What to look at before what a name means is changed."""
    found = place.engine.impact(target)
    shown = replace(
        found,
        symbols=tuple(one for one in found.symbols if place.holds(one.filepath)),
        callers=_held(place, found.callers),
        tests=_held(place, found.tests),
        overriders=tuple(one for one in found.overriders if place.holds(one.filepath)),
        importers=tuple(one for one in found.importers if place.holds(one.filepath)),
    )
    return _connected(place, shown, list(impact_lines(shown)) if shown.symbols else [_unknown(target, found)], max_tokens)


def related(place: Place, target: str, max_tokens: int) -> str:
    """What belongs to a line of a file."""
    spelled, line, _ = _range(place, target)
    found = place.engine.related(place.path(spelled), line)
    shown = replace(found, callees=_held(place, found.callees), callers=_held(place, found.callers), tests=_held(place, found.tests))
    nothing = f"line {line} of {visible(found.filepath)} is in no definition: read it, or outline the file"
    return _connected(place, shown, list(related_lines(shown)) or [nothing], max_tokens)


def overview(place: Place, target: str, max_tokens: int) -> str:
    """The project, or a folder of it, on one page."""
    path = place.path(target) or place.below
    found = place.engine.map(path)
    if not found.files:
        raise UsageError(f"{target} is no folder with files in the index", "status says what was left out; paths are relative to the root")
    head = count_tokens(f"{root_line(str(place.root))}\n")
    page = fitted(found, max_tokens - head)
    return _connected(place, page, list(map_lines(page)), max_tokens)


def _held(place: Place, edges: Sequence[Edge]) -> tuple[Edge, ...]:
    return tuple(edge for edge in edges if place.holds(edge.filepath) and place.holds(edge.target.filepath))


KINDS = (
    Kind("symbol", "NAME", "its definition", symbol),
    Kind("callers", "NAME", "", callers),
    Kind("callees", "NAME", "what it calls", callees),
    Kind("importers", "FILE", "", importers),
    Kind("impact", "NAME", "what a change touches", impact),
    Kind("related", "FILE:12", "what belongs to a line", related),
    Kind("map", "[FOLDER]", "the project on a page", overview, of_everything=True),
    Kind("outline", "FILE or FOLDER", "", outline, of_everything=True),
    Kind("read", "FILE:10-40", "", read),
)


def navigate(place: Place, what: str, target: str, max_tokens: int) -> str:
    """The answer of one kind. Raises UsageError for a kind that needs a target and has none."""
    kind = next(kind for kind in KINDS if kind.name == what)
    if not target.strip() and not kind.of_everything:
        raise UsageError(f"navigate {what} needs a target", f"give it {kind.target}")
    return kind.answer(place, (target.strip() and target) or ".", max_tokens)


def _numbered(lines: Sequence[str], first: int) -> Iterator[str]:
    width = len(str(first + len(lines) - 1))
    return (f"{number:>{width}}  {_shown(line)}".rstrip() for number, line in enumerate(lines, first))


def _range(place: Place, target: str) -> tuple[str, int, int]:
    """The path, the first line and the last (0 where none is given). A file whose name ends like a range is that file."""
    found = _LINES.fullmatch(target)
    if found is None or place.engine.belongs(target):
        return target, 1, 0
    first, last = int(found["first"]), int(found["last"] or 0)
    if first < 1 or (last and last < first):
        raise UsageError(f"{target} names no lines", "the first line is 1: path:10-40")
    return found["path"], first, last


def _shown(line: str) -> str:
    text = visible_code(line[:LINE_CHARACTERS])
    return text if len(line) <= LINE_CHARACTERS else f"{text}…"


def _outermost(file: str, definitions: Sequence[Definition]) -> str:
    names = ", ".join(visible(definition.name) for definition in definitions if not definition.parent)
    return f"{visible(file)}  {names}".rstrip()


def _enough(lines: Iterator[str], max_tokens: int) -> Iterator[str]:
    """As many lines as could fit, and one more: the others need not be looked up."""
    for number, line in enumerate(lines):
        if number > max_tokens:  # a line costs a token at least
            return
        yield line
