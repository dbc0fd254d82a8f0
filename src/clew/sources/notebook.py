"""Which lines of a notebook are source? Cells, without outputs and metadata, at the line numbers of the file."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]', re.DOTALL)
_MARKER = re.compile(r"# %% cell (\d+) \[([\w+#-]+)\]")
_BLOB = re.compile(r"[A-Za-z0-9+/=]{200,}")
"""Longer runs without a blank are pictures in base64: no word of prose or code is that long."""
_PROSE = ("markdown", "raw")
_CELL_LISTS = {("cells", ""), ("worksheets", "", "cells", "")}
"""Where cells stand, as the members on the way to one; the second is how notebooks of version 3 had it."""


class Cell(NamedTuple):
    """A cell: `language` is markdown, raw or the kernel's; its source stands on `line_start` + 1 to `line_end`."""

    number: int
    language: str
    line_start: int
    line_end: int

    @property
    def is_code(self) -> bool:
        """Whether it runs."""
        return self.language not in _PROSE


class _Source(NamedTuple):
    cell: int
    position: int
    text: str


def notebook_lines(text: str) -> tuple[list[str], list[Cell]]:
    """The lines of a notebook's file, of which only cells' sources are left, and the cells found in them.

    One entry a physical line: it holds the decoded source line that stands there, `# %% cell 3 [python]` where a cell's source begins,
    and is empty elsewhere. A file that is not laid out so (all on one line, or a cell in one string) gives the cells one after
    another, numbered as if it were. What is no notebook at all comes back as it is, without long blobs.
    """
    notebook = _parsed(text)
    if notebook is None:
        return [_BLOB.sub("", line) for line in _split(text)], []
    languages = _cell_languages(notebook)
    sources = list(_sources(text))
    lines = _in_place(text, languages, sources)
    if lines is None:
        lines = _one_after_another(languages, sources)
    return lines, cells_of(lines)


def cells_of(lines: list[str] | tuple[str, ...]) -> list[Cell]:
    """The cells that `notebook_lines` marked."""
    marks = [(row, match) for row, line in enumerate(lines, 1) if line.startswith("# %%") and (match := _MARKER.fullmatch(line))]
    ends = [*(row - 1 for row, _ in marks[1:]), len(lines)][: len(marks)]
    found = []
    for (row, match), limit in zip(marks, ends, strict=True):
        end = limit
        while end > row and not lines[end - 1].strip():
            end -= 1
        found.append(Cell(int(match[1]), match[2], row, end))
    return found


def _split(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.split("\n")]


def _parsed(text: str) -> dict[str, object] | None:
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return notebook if isinstance(notebook, dict) and ("cells" in notebook or "worksheets" in notebook) else None


def _cell_languages(notebook: dict[str, object]) -> list[str]:
    """What each cell is written in, in order."""
    kernel = _kernel_language(notebook)
    found: list[str] = []
    for cell in _cells(notebook):
        kind = cell.get("cell_type")
        if kind == "code":
            own = cell.get("language")
            found.append(_plain(own) if isinstance(own, str) else kernel)
        else:
            found.append("raw" if kind == "raw" else "markdown")
    return found


def _cells(notebook: dict[str, object]) -> Iterator[dict[str, object]]:
    sheets = notebook.get("worksheets")
    for holder in [notebook, *(sheets if isinstance(sheets, list) else [])]:
        cells = holder.get("cells") if isinstance(holder, dict) else None
        for cell in cells if isinstance(cells, list) else []:
            if isinstance(cell, dict):
                yield cell


def _kernel_language(notebook: dict[str, object]) -> str:
    metadata = notebook.get("metadata")
    if isinstance(metadata, dict):
        for place, key in (("language_info", "name"), ("kernelspec", "language")):
            entry = metadata.get(place)
            if isinstance(entry, dict) and isinstance(entry.get(key), str):
                return _plain(entry[key])
    return "python"


def _plain(name: str) -> str:
    return re.sub(r"[^\w+#-]", "", name).lower() or "python"


def _sources(text: str) -> Iterator[_Source]:
    """The strings that cells' sources consist of, in order of the file."""
    opened: list[str] = []
    members: list[str] = []
    names_member = False
    cell = -1
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in ("{", "["):
            cell += token == "{" and tuple(members) in _CELL_LISTS
            opened.append(token)
            members.append("")
            names_member = token == "{"
        elif token in ("}", "]"):
            opened.pop()
            members.pop()
            names_member = False
        elif token == ",":
            names_member = bool(opened) and opened[-1] == "{"
        elif token == ":":
            names_member = False
        elif names_member:
            members[-1] = token[1:-1]
        elif _is_source(members):
            yield _Source(cell, match.start(), json.loads(token, strict=False))


def _is_source(members: list[str]) -> bool:
    depth = len(members) - (1 if members and members[-1] == "" else 0)
    return depth > 0 and members[depth - 1] in ("source", "input") and tuple(members[: depth - 1]) in _CELL_LISTS


def _in_place(text: str, languages: list[str], sources: list[_Source]) -> list[str] | None:
    """Each source line where it stands, or None when the file's lines are not the source's lines."""
    breaks = [match.start() for match in re.finditer("\n", text)]
    lines = [""] * (len(breaks) + 1)
    seen, last = -1, -1
    for source in sources:
        row = bisect_right(breaks, source.position)
        line = source.text.removesuffix("\n").removesuffix("\r")
        if "\n" in line or row <= last or source.cell >= len(languages):
            return None
        if source.cell != seen:
            if row - 1 <= last:
                return None
            lines[row - 1] = _mark(source.cell, languages)
        lines[row] = line
        seen, last = source.cell, row
    return lines


def _one_after_another(languages: list[str], sources: list[_Source]) -> list[str]:
    texts: dict[int, list[str]] = {}
    for source in sources:
        texts.setdefault(source.cell, []).append(source.text)
    lines: list[str] = []
    for cell, parts in texts.items():
        lines += [_mark(cell, languages), *_split("".join(parts)), ""]
    return lines[:-1] or [""]


def _mark(cell: int, languages: list[str]) -> str:
    return f"# %% cell {cell + 1} [{languages[cell] if cell < len(languages) else 'raw'}]"
