"""Which lines of a document belong together? Runs of lines with one owner, before anything long is cut."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from clew.core.document import Definition, Document

# A line that only closes something. Possessive, so that hostile lines stay linear.
_CLOSING = re.compile(r"\W*+(?:end|fi|done|esac|endif|endfor|endwhile|endfunction|endmodule|go)?+\W*+\Z", re.IGNORECASE)

UNOWNED = -1


class Unit(NamedTuple):
    """Lines `start` to `end` (1-based, inclusive, no blank line at either end) that belong to one definition, or to none.

    `owner` is the definition's place in the outline, or `UNOWNED`. `first` marks the definition's main unit, which holds its
    signature. `repeated` marks one whose line another definition claims: several definitions on one line.
    """

    start: int
    end: int
    owner: int
    first: bool = False
    repeated: bool = False


def units(document: Document, long_line: int) -> list[Unit]:
    """A document's units in order of lines. Each non-blank line is in exactly one that is not `repeated`, and each definition has at
    least one. A line of more than `long_line` characters on which several definitions start belongs to none of them.
    """
    lines = document.lines
    definitions = document.outline.definitions
    found = _owned(lines, definitions, _runs(_owners(lines, definitions, long_line), definitions))
    owners = {unit.owner for unit in found}
    homeless = [_repetition(lines, definition, index) for index, definition in enumerate(definitions) if index not in owners]
    if homeless:
        found = sorted((*found, *(unit for unit in homeless if unit)), key=lambda unit: (unit.start, not unit.repeated, unit.owner))
    return found


def is_blank(line: str) -> bool:
    """Whether nothing can be seen on the line."""
    return not line or line.isspace()


def _owners(lines: Sequence[str], definitions: Sequence[Definition], long_line: int) -> list[int]:
    """Each line's innermost definition: a later one starts inside an earlier one, or after it."""
    owners = [UNOWNED] * len(lines)
    crowded = Counter(definition.line_start for definition in definitions)
    for index, definition in enumerate(definitions):
        start, end = _span(definition, len(lines))
        if start == end - 1 and crowded[definition.line_start] > 1 and len(lines[start]) > long_line:
            continue
        owners[start:end] = [index] * (end - start)
    return owners


def _span(definition: Definition, size: int) -> tuple[int, int]:
    """0-based, half open, inside the document and never empty (unless the document is)."""
    start = min(max(definition.line_start, 1), size) - 1
    return start, min(max(definition.line_end, start + 1), size)


def _runs(owners: Sequence[int], definitions: Sequence[Definition]) -> list[tuple[int, int, int]]:
    """Maximal runs of equal owners as (start, end, owner), 0-based and half open."""
    size = len(owners)
    borders = sorted({0, size, *(border for definition in definitions for border in _span(definition, size))})
    runs: list[tuple[int, int, int]] = []
    for start, end in pairwise(borders):
        owner = owners[start]
        if runs and runs[-1][2] == owner:
            runs[-1] = (runs[-1][0], end, owner)
        else:
            runs.append((start, end, owner))
    return runs


def _owned(lines: Sequence[str], definitions: Sequence[Definition], runs: Sequence[tuple[int, int, int]]) -> list[Unit]:
    """Runs as units: blank ones dropped, and those that only close something joined to the unit before (or after) them."""
    found: list[Unit] = []
    begun: set[int] = set()
    opening = -1
    for run_start, run_end, owner in runs:
        start, end = _trimmed(lines, run_start, run_end)
        if start == end:
            continue
        is_head = owner != UNOWNED and run_start == _span(definitions[owner], len(lines))[0]
        if not is_head and all(map(_CLOSING.match, lines[start:end])):
            if found:
                found[-1] = found[-1]._replace(end=end)
            elif opening < 0:
                opening = start
            last = end
            continue
        if opening >= 0:
            start, opening = opening, -1
        found.append(Unit(start + 1, end, owner, first=owner not in begun))
        begun.add(owner)
    if opening >= 0:
        found.append(Unit(opening + 1, last, UNOWNED))
    return found


def _trimmed(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    while start < end and is_blank(lines[start]):
        start += 1
    while start < end and is_blank(lines[end - 1]):
        end -= 1
    return start, end


def _repetition(lines: Sequence[str], definition: Definition, index: int) -> Unit | None:
    """The first line of a definition that has none to itself."""
    start, end = _trimmed(lines, *_span(definition, len(lines)))
    return Unit(start + 1, start + 1, index, first=True, repeated=True) if start < end else None
