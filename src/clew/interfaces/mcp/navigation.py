"""What can be asked about a place or a name that is known? One table of kinds; the list on the wire and the calls are made from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.core.answer import Question
from clew.core.visible import visible, visible_code
from clew.errors import UsageError
from clew.interfaces.mcp.texts import Found, answer_text, listed, root_line
from clew.interfaces.rendering.plain import outline_lines

if TYPE_CHECKING:
    from clew.core.document import Definition
    from clew.interfaces.mcp.projects import Place

MOST_DEFINITIONS = 20
"""Definitions of one name that are looked for: overloads, and the same name in several classes."""
LINES = 60
"""Lines from the one that was asked for, where no last one is given."""
LINE_CHARACTERS = 400
"""A longer line is cut: it is data."""

_LINES = re.compile(r"(?P<path>.+?):(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of looking: what it `meaning`s, in the list of tools, and who answers a target within a budget of tokens."""

    name: str
    meaning: str
    answer: Callable[[Place, str, int], str]


def symbol(place: Place, target: str, max_tokens: int) -> str:
    """Where a name is defined, with its code. A qualified name (`Class.method`) means that one alone."""
    answer = place.search(Question(text=target, mode="fast", limit=MOST_DEFINITIONS))
    wanted = _parts(target)
    exact = tuple(result for result in answer.results if wanted and _parts(result.chunk.symbol_name)[-len(wanted) :] == wanted)
    if exact:
        answer = replace(answer, results=exact, hint="")
    else:
        near = ", ".join(dict.fromkeys(visible(result.chunk.symbol_name) for result in answer.results[:3]))
        answer = replace(answer, results=(), hint=f"no definition is named {target}" + (f"; the nearest: {near}" if near else ""))
    return answer_text([Found(str(place.root), answer)], MOST_DEFINITIONS, max_tokens)


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
        raise UsageError(f"{spelled} is not a file of the project", "ignored files and those that may hold secrets are not read")
    text = place.engine.read(path, first, last or first + LINES - 1)
    lines = text.split("\n") if text else []
    if not lines:
        raise UsageError(f"{path} has no line {first}", "outline lists what it holds")
    width = len(str(first + len(lines) - 1))
    numbered = [f"{number:>{width}}  {_shown(line)}".rstrip() for number, line in enumerate(lines, first)]
    more = f"… the first {{}} lines of {first}-{first + len(lines) - 1}: read on from there, or raise max_tokens"
    return listed((root_line(str(place.root)), visible(path)), numbered, max_tokens, more)


KINDS = (
    Kind("symbol", "where a NAME is defined", symbol),
    Kind("outline", "definitions in a FILE, files of a FOLDER", outline),
    Kind("read", "lines of FILE:10-40", read),
)


def navigate(place: Place, what: str, target: str, max_tokens: int) -> str:
    """The answer of one kind."""
    return next(kind for kind in KINDS if kind.name == what).answer(place, target, max_tokens)


def _parts(name: str) -> list[str]:
    return [part for part in re.split(r"\.|::|#|/", name.strip().removesuffix("()")) if part]


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
