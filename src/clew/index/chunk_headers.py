"""What stands in front of a chunk's code? Where it is, what it is called and what it is inside."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from clew.core.document import Definition

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_FILE_ENDINGS = (".h", ".hpp", ".hh", ".js", ".mjs", ".rb", ".php", ".sh", ".lua", ".css")
_LONGEST_LINE = 160
"""Characters of a signature in a header: enough to tell what it is; the whole of it is in the chunk of its own."""
_MOST_ENCLOSING = 4
"""Enclosing signatures in a header, the innermost ones."""
_MOST_IMPORTS = 8
"""Imports in a header; code rarely mentions more of them, and lists of them say little."""


def path_line(filepath: str, fits: Callable[[str], bool]) -> str:
    """The path, without its outermost folders where it is too long, or nothing."""
    path = _CONTROL.sub(" ", filepath)
    while not fits(path):
        _, slash, path = path.partition("/")
        if not slash:
            return ""
    return path


def header_lines(definition: Definition, enclosing: Sequence[Definition], first: bool) -> list[str]:
    """Kind and name; in front of a later piece also the signatures around the code, its own definition's among them.

    The class's signature in front of a whole method makes it harder to find (right docstring among 759, MRR@10 .607 without, .595 with).
    """
    name = _line(f"{definition.kind} {definition.qualified_name}")
    around = () if first else (*enclosing, definition)[-_MOST_ENCLOSING:]
    return [name, *(_line(outer.signature) for outer in around if outer.signature)]


def import_line(imports: Mapping[str, str]) -> str:
    """Those imports, by last part, that say more than the code does, which has their last part already."""
    longer = [name for last, name in imports.items() if name != last]
    return _line("imports " + " ".join(longer[:_MOST_IMPORTS])) if longer else ""


def mentioned(imports: Mapping[str, str], code: str) -> dict[str, str]:
    """Those imports, by last part, that the code mentions as a word."""
    near = [last for last in imports if last in code]
    return {last: imports[last] for last in near if _mentions(code, last)}


def _mentions(code: str, word: str) -> bool:
    """Whether the word stands in the code, not as a part of another."""
    place = code.find(word)
    while place >= 0:
        end = place + len(word)
        if not (_is_word(code[place - 1 : place]) or _is_word(code[end : end + 1])):
            return True
        place = code.find(word, end)
    return False


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def imports_by_last_part(names: Sequence[str]) -> dict[str, str]:
    """A file's import names, each under the part by which code mentions it."""
    return {last: name for name in names if (last := _last_part(name))}


def enclosing_definitions(definitions: Sequence[Definition]) -> list[tuple[Definition, ...]]:
    """For each definition those that hold it, outermost first."""
    found: list[tuple[Definition, ...]] = []
    open_: list[Definition] = []
    for definition in definitions:
        while open_ and open_[-1].qualified_name != definition.parent:
            open_.pop()
        found.append(tuple(open_))
        open_.append(definition)
    return found


def _last_part(name: str) -> str:
    """`Path` of `pathlib.Path`, `gin` of `github.com/gin-gonic/gin`, `stdio` of `stdio.h`."""
    parts: list[str] = re.findall(r"\w+", name.rpartition("/")[2])
    if not parts:
        return ""
    return parts[0] if "/" in name or name.endswith(_FILE_ENDINGS) else parts[-1]


def _line(text: str) -> str:
    if len(text) <= _LONGEST_LINE and text.isprintable():
        return text
    return " ".join(_CONTROL.sub(" ", text[: _LONGEST_LINE * 4]).split())[:_LONGEST_LINE]
