"""How is a document cut into chunks? A definition each, long ones in pieces, and what is left over in blocks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from clew.core.chunk import Chunk, Visibility, chunk_ids
from clew.core.document import Definition, Document
from clew.core.tokens import Counted, count_tokens
from clew.index import chunk_headers as headers
from clew.index.chunk_cutting import cut_lines, pieces, slices
from clew.index.chunk_units import UNOWNED, Unit, is_blank, units

DATA = "data"
"""The kind of a run of INSERT or COPY rows."""
_MOST_CALLS = 64
_MOST_IMPORTS = 32
"""Names kept with a chunk: a piece of 512 tokens that has more of them is a table, not code."""
_HEADER_SHARE = 4
"""A header may take this part of the budget (a quarter) and no more: the code is what was asked for."""
_LONG_LINE = 4
"""Characters a token above which a line certainly is longer than a chunk."""

_MOST_BYTES = 8
"""Bytes a token above which a text is taken to be over the budget without counting: code has about 3, more is nearly all blanks."""
_MOST_COUNTED = 200_000
"""Characters of a unit that are counted as a whole: its pieces wait in memory, some 15 bytes a character."""
_STARTS_VISIBLY = re.compile(r"[ \t\f\v]*+\S", re.ASCII)
_IMPORTS_COST = 100
"""Tokens that a line of imports may cost: code that is further over the budget with it does not fit without it either."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How large a chunk may be: `tokens` with its header; unnamed neighbours under `merge` tokens are merged;
    what no grammar parsed is cut into blocks of about `block_lines` lines; of a run of row data (INSERT, COPY) no more than
    `data_pieces` pieces are kept, the last one among them."""

    tokens: int = 512
    merge: int = 32
    block_lines: int = 50
    data_pieces: int = 32


class Belonging(NamedTuple):
    """Whose chunks they are: what a chunk carries that is not in its document. `indexed_at` is in seconds since 1970."""

    namespace: str = ""
    visibility: Visibility = "private"
    indexed_at: int = 0


class _Draft(NamedTuple):
    """A chunk before it has an id."""

    start: int
    end: int
    header: str
    code: str
    owner: int
    first: bool
    imports: tuple[str, ...]


def chunk(document: Document, budget: Budget = Budget(), belonging: Belonging | None = None) -> list[Chunk]:
    """The document's chunks in order of lines, a pure function of its arguments.

    Each non-blank line is in exactly one chunk (row data aside, see `left_out`), and each definition has a chunk of its own; where
    several definitions share a line, each of them shows it. `code` is lines `line_start` to `line_end` as they stand, except that a single
    line longer than the budget is cut into several chunks with the same line number. Lines that only close something go with the chunk
    before them.
    """
    return _Cutter(document, budget, belonging or Belonging()).chunks() if document.lines else []


def left_out(document: Document, chunks: Sequence[Chunk]) -> int:
    """How many lines of row data no chunk shows: beyond some pieces they are all alike, and there may be millions."""
    data = [definition for definition in document.outline.definitions if definition.kind == DATA]
    if not data:
        return 0
    shown = {line for one in chunks for line in range(one.line_start, one.line_end + 1)}
    rows = {line for definition in data for line in range(definition.line_start, definition.line_end + 1)}
    return sum(not is_blank(document.lines[line - 1]) for line in rows - shown)


class _Cutter:
    """One document being cut."""

    def __init__(self, document: Document, budget: Budget, belonging: Belonging) -> None:
        self._document = document
        self._belonging = belonging
        self._budget = budget
        self._definitions = document.outline.definitions
        self._enclosing = headers.enclosing_definitions(self._definitions)
        self._levels = cut_lines(document.outline.cuts)
        self._path_line = headers.path_line(document.filepath, self._fits_header)
        imports = [reference.name for reference in document.outline.references if reference.kind == "import"]
        self._imports = headers.imports_by_last_part(imports)
        calls = sorted((reference.line, reference.name) for reference in document.outline.references if reference.kind == "call")
        self._call_lines = [line for line, _ in calls]
        self._call_names = [name for _, name in calls]
        self._unit = Unit(1, 0, UNOWNED)
        self._counted: Counted | None = None
        self._offsets: list[int] = []
        self._header_costs: dict[str, int] = {}

    def chunks(self) -> list[Chunk]:
        drafts = [draft for unit in units(self._document, self._budget.tokens * _LONG_LINE) for draft in self._drafts(unit)]
        names = [self._name(draft) for draft in drafts]
        ids = chunk_ids(self._document.filepath, [(name, draft.start) for name, draft in zip(names, drafts, strict=True)])
        return [self._chunk(*parts) for parts in zip(drafts, names, ids, strict=True)]

    # -- from unit to drafts --

    def _drafts(self, unit: Unit) -> Iterator[_Draft]:
        self._unit, self._offsets, self._counted = unit, [], None
        is_long = self._is_block(unit) and unit.end - unit.start >= self._budget.block_lines
        whole = None if is_long else self._draft(unit.start, unit.end, unit.owner, unit.first)
        if whole:
            yield whole
        elif unit.repeated:
            yield self._window(unit.start, unit.owner)
        else:
            yield from self._pieces(unit)

    def _pieces(self, unit: Unit) -> Iterator[_Draft]:
        """A unit that is too long for one chunk."""
        drafts: dict[tuple[int, int], _Draft] = {}

        def fits(start: int, end: int) -> bool:
            draft = self._draft(start, end, unit.owner, unit.first and start == unit.start)
            if draft:
                drafts[start, end] = draft
            return draft is not None

        for start, end in self._spans(unit, fits):
            if (start, end) in drafts or fits(start, end):
                yield drafts[start, end]
            else:
                yield from self._slices(start, self._document.lines[start - 1], unit.owner, unit.first and start == unit.start)

    def _spans(self, unit: Unit, fits: Callable[[int, int], bool]) -> list[tuple[int, int]]:
        """The unit's pieces; small unnamed neighbours merged."""
        capacity = self._budget.tokens - count_tokens(self._header(unit.owner, first=False))
        most_lines = self._budget.block_lines if self._is_block(unit) else 0
        spans = list(pieces(self._document.lines, (unit.start, unit.end), self._levels, capacity, most_lines, fits))
        if unit.owner == UNOWNED:
            return self._merged(spans, most_lines, fits)
        if self._definitions[unit.owner].kind == DATA and len(spans) > self._budget.data_pieces:
            return [*spans[: max(self._budget.data_pieces - 1, 0)], spans[-1]]
        return spans

    def _merged(self, spans: Sequence[tuple[int, int]], most_lines: int, fits: Callable[[int, int], bool]) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for start, end in spans:
            small = found and (self._is_small(start, end) or self._is_small(*found[-1]))
            if small and not 0 < most_lines < end - found[-1][0] + 1 and fits(found[-1][0], end):
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        return found

    def _is_small(self, start: int, end: int) -> bool:
        """Each word is a token at least: counting is needed only where there are few."""
        code = self._code(start, end)
        return len(code.split(None, self._budget.merge)) <= self._budget.merge and count_tokens(code) < self._budget.merge

    def _is_block(self, unit: Unit) -> bool:
        return unit.owner == UNOWNED and not self._document.outline.parsed

    def _draft(self, start: int, end: int, owner: int, first: bool) -> _Draft | None:
        """The lines as one chunk, with as much of a header as there is room for, or None when they do not fit."""
        code = self._code(start, end)
        header = self._header(owner, first)
        mentioned = headers.mentioned(self._imports, code) if self._imports and owner != UNOWNED else {}
        imports = tuple(mentioned.values())[:_MOST_IMPORTS]
        line = headers.import_line(mentioned)
        if line:
            longer = _joined(header, line)
            cost = self._cost(longer, start, code)
            if cost <= self._budget.tokens:
                return _Draft(start, end, longer, code, owner, first, imports)
            if cost > self._budget.tokens + _IMPORTS_COST:
                return None
        fits = self._cost(header, start, code) <= self._budget.tokens
        return _Draft(start, end, header, code, owner, first, imports) if fits else None

    def _cost(self, header: str, start: int, code: str) -> int:
        """`_cost` of the header and the lines; those of one unit are counted once, whatever part of them is tried."""
        tokens = self._budget.tokens
        size = len(header) + 1 + len(code)
        if not header or not tokens < size <= tokens * _MOST_BYTES or not (code.isascii() and header.isascii()):
            return _cost(_joined(header, code), tokens)
        counted = self._tokens_of(start, code)
        if counted is None:
            return count_tokens(_joined(header, code))
        if header not in self._header_costs:
            self._header_costs[header] = count_tokens(header + "\n")
        return self._header_costs[header] + counted

    def _tokens_of(self, start: int, code: str) -> int | None:
        """The tokens of lines of this unit behind a line end, if they can be told from those of the whole unit."""
        if not _STARTS_VISIBLY.match(code) or code[-1].isspace():
            return None
        if not self._offsets:
            lines = self._document.lines[self._unit.start - 1 : self._unit.end]
            self._offsets = [0, *accumulate(len(line) + 1 for line in lines)]
            text = "\n".join(lines) if self._offsets[-1] <= _MOST_COUNTED else ""
            self._counted = Counted(text) if text.isascii() and text else None
        if self._counted is None:
            return None
        place = self._offsets[start - self._unit.start]
        return self._counted.within(place, place + len(code))

    def _slices(self, line: int, text: str, owner: int, first: bool) -> Iterator[_Draft]:
        """One giant line, or the rest of it, cut by size."""
        header = self._header(owner, first=False)
        room = self._budget.tokens - count_tokens(header)
        for part in slices(text, lambda code: self._fits(_joined(header, code)), room):
            if not is_blank(part):
                yield _Draft(line, line, header, part, owner, first, ())
                first = False

    def _window(self, line: int, owner: int) -> _Draft:
        """What of a giant line that others share tells about this definition."""
        text = self._document.lines[line - 1]
        definition = self._definitions[owner]
        place = text.find(definition.signature) if definition.signature else -1
        place = text.find(definition.name) if place < 0 else place
        return next(self._slices(line, text[max(place, 0) :], owner, first=True))

    # -- what a chunk holds --

    def _code(self, start: int, end: int) -> str:
        lines = self._document.lines
        return lines[start - 1] if start == end else "\n".join(lines[start - 1 : end])

    def _header(self, owner: int, first: bool) -> str:
        header = self._path_line
        if owner == UNOWNED:
            return header
        lines = headers.header_lines(self._definitions[owner], self._enclosing[owner], first)
        whole = _joined(header, "\n".join(lines))
        if self._fits_header(whole):
            return whole
        for line in lines:
            longer = _joined(header, line)
            if self._fits_header(longer):
                header = longer
        return header

    def _fits(self, text: str) -> bool:
        return _cost(text, self._budget.tokens) <= self._budget.tokens

    def _fits_header(self, text: str) -> bool:
        room = self._budget.tokens // _HEADER_SHARE
        return _cost(text, room) <= room

    def _name(self, draft: _Draft) -> str:
        if draft.owner == UNOWNED:
            return f"{self._document.filepath}:{draft.start}-{draft.end}"
        return self._definitions[draft.owner].qualified_name

    def _calls(self, start: int, end: int) -> tuple[str, ...]:
        names = self._call_names[bisect_left(self._call_lines, start) : bisect_right(self._call_lines, end)]
        return tuple(dict.fromkeys(names))[:_MOST_CALLS] if names else ()

    def _chunk(self, draft: _Draft, name: str, chunk_id: str) -> Chunk:
        definition = self._definitions[draft.owner] if draft.owner != UNOWNED else _BLOCK
        return Chunk(
            id=chunk_id,
            filepath=self._document.filepath,
            symbol_name=name,
            symbol_type=definition.kind,
            language=self._document.language,
            line_start=draft.start,
            line_end=draft.end,
            header=draft.header,
            code=draft.code,
            signature=definition.signature,
            parent=definition.parent,
            docstring=definition.docstring if draft.first else "",
            imports=draft.imports,
            calls=self._calls(draft.start, draft.end),
            namespace=self._belonging.namespace,
            visibility=self._belonging.visibility,
            indexed_at=self._belonging.indexed_at,
        )


_BLOCK = Definition(name="", qualified_name="", kind="block", line_start=0, line_end=0)


def _cost(text: str, tokens: int) -> int:
    """The tokens of a text, or another bound where that tells already that it fits, or that it does not."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return size if size <= tokens or size > tokens * _MOST_BYTES else count_tokens(text)


def _joined(header: str, code: str) -> str:
    return f"{header}\n{code}" if header else code
