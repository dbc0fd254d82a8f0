"""How does an answer read as text? A line with the place of each result, then the lines that matter with their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from clew.core.answer import Neighbour, Result
from clew.core.visible import visible, visible_code
from clew.search.excerpt import excerpt
from clew.search.showing import CHANGED, GONE

BODY_LINES = 12
"""Lines of a result that is shown with its text: 8 to 16 cost 30 tokens apart; a definition of this size is read at a glance."""
BODIES = 3
"""Results shown with their text; the right file is one of them nine times in ten (bench/results/economy.md)."""
BODY_SHARE = 0.75
"""A result that scores at least this share of the best is shown with its text in any case."""
LINE_CHARACTERS = 200
"""A longer line is cut: it is data, or it has a place to be read at."""
SIGNATURE_CHARACTERS = 100
GAP = "…"
HEADS = {
    "definition": "{} is defined:",
    "also": "also, for {}:",
    "perhaps": "perhaps, for {}:",
    "around": "{} stands in:",
    "callee": "{} calls:",
    "type": "{} takes or gives:",
    "caller": "{} is called by:",
}
"""What stands over the neighbours of each relation."""


def with_lines(results: Sequence[Result], gist: frozenset[str]) -> Iterator[Result]:
    """The results with the lines to show: those that they are there for; else those that matter of the first and of any that are nearly as good,
    none of the others."""
    for rank, result in enumerate(results):
        if result.shown is None and result.lines:
            yield replace(result, shown=result.lines[:BODY_LINES])
        elif result.shown is None:
            is_body = rank < BODIES or result.score >= BODY_SHARE * results[0].score
            yield replace(result, shown=excerpt(result.chunk, gist, BODY_LINES, result.wanted) if is_body else ())
        else:
            yield result


def listing(result: Result) -> list[str]:
    """The result as it is printed. A result without lines is a pointer: its place, its name and its signature on one line."""
    if not result.shown:
        return [" ".join(filter(None, (heading(result), _signature(result))))]
    return [heading(result), *numbered(result)]


def beside(neighbours: Sequence[Neighbour]) -> Iterator[str]:
    """The neighbours under a head for each relation: where each stands, and its signature."""
    for (relation, of), group in groupby(neighbours, key=lambda one: (one.relation, one.of)):
        yield HEADS[relation].format(visible(of))
        yield from (f"  {visible(one.filepath)}:{one.line_start}  {_declared(one)}" for one in group)


def _declared(one: Neighbour) -> str:
    """The signature, or the kind and name; a member's name with what it is a member of."""
    text = visible(one.signature) or f"{one.symbol_type} {visible(one.symbol_name)}"
    around = one.symbol_name.replace("::", ".").rpartition(".")[0]
    text = f"{visible(around)}: {text}" if around and one.signature else text
    return text if len(text) <= SIGNATURE_CHARACTERS else text[:SIGNATURE_CHARACTERS].rstrip() + GAP


def heading(result: Result) -> str:
    """`path:first-last  name`, and why the lines may not be those on disk."""
    remark = next((f"  ({reason})" for reason in result.reasons if result.from_index and reason in (GONE, CHANGED)), "")
    return f"{place(result)}  {symbol(result)}{remark}".rstrip()


def place(result: Result) -> str:
    """`path:first-last`; of what is mounted, with the namespace before it, and the whole path where it is on this disk."""
    chunk = result.chunk
    path = f"{chunk.namespace}  {result.absolute_path or chunk.filepath}" if result.mounted else chunk.filepath
    return f"{visible(path)}:{chunk.line_start}-{chunk.line_end}"


def symbol(result: Result) -> str:
    """The symbol's name; empty for a block, which has none of its own."""
    return "" if result.chunk.symbol_type == "block" else visible(result.chunk.symbol_name)


def numbered(result: Result) -> Iterator[str]:
    """The shown lines behind their numbers; a mark stands for those between, unless they are blank."""
    width = len(str(result.chunk.line_end))
    for first, lines in runs(result):
        if not lines:
            yield f"{GAP:>{width}}"
        for number, line in enumerate(lines, first):
            yield f"{number:>{width}}  {line}".rstrip()


def runs(result: Result) -> Iterator[tuple[int, list[str]]]:
    """The shown lines in unbroken runs, each with the number of its first; an empty run stands for lines that are not shown and not blank, and
    none for those around lines for which alone the result is there."""
    start = result.chunk.line_start
    lines = result.chunk.code.split("\n")
    before = 0 if not result.lines else (result.shown or (start,))[0] - start
    for _, run in groupby(enumerate(result.shown or ()), key=lambda pair: pair[1] - pair[0]):
        numbers = [number - start for _, number in run]
        yield from _gap(lines, before, numbers[0], start)
        yield numbers[0] + start, [_short(lines[number]) for number in numbers]
        before = numbers[-1] + 1
    if not result.lines:
        yield from _gap(lines, before, len(lines), start)


def _gap(lines: Sequence[str], first: int, end: int, start: int) -> Iterator[tuple[int, list[str]]]:
    if any(line.strip() for line in lines[first:end]):
        yield first + start, []


def _short(line: str) -> str:
    text = visible_code(line[: LINE_CHARACTERS + 1])
    return text if len(line) <= LINE_CHARACTERS else text[:LINE_CHARACTERS] + GAP


def _signature(result: Result) -> str:
    """What the name does not tell yet."""
    signature = visible(result.chunk.signature or _first_line(result.chunk.code))
    if len(signature) > SIGNATURE_CHARACTERS:
        signature = signature[:SIGNATURE_CHARACTERS].rstrip() + GAP
    return f" {signature}" if signature else ""


def _first_line(code: str) -> str:
    return next((line.strip() for line in code.split("\n") if line.strip()), "")
