"""How does an answer read that an agent pays for by the token? Places and numbered lines, in a frame that counts too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from clew.core.answer import Answer, Result
from clew.core.tokens import count_tokens
from clew.core.visible import visible
from clew.interfaces.rendering.plain import answer_lines
from clew.search.packing import pack

NOTHING = "nothing found"
TOO_SMALL = "no result fits: raise max_tokens"
NOTES_SHARE = 0.25
"""Share of a budget that remarks may take: they are worth less than code."""


class Found(NamedTuple):
    """What the project at `root` answered."""

    root: str
    answer: Answer


def answer_text(found: Sequence[Found], limit: int, max_tokens: int, notes: Sequence[str] = ()) -> str:
    """The best `limit` results of all projects under the folder of each, as many lines as fit; never more than `max_tokens`, all counted.

    Scores of several projects are comparable: a result's is the chance that it is right. `notes` are remarks beside those of the answers.
    """
    best = _best(found, limit)
    remarks = _within([*notes, *_remarks(best)], int(max_tokens * NOTES_SHARE))
    if not any(one.answer.results for one in best):
        return cut(_framed(best, [NOTHING, *remarks]), max_tokens)
    budget = max_tokens - count_tokens(_framed(_emptied(best), remarks))
    while budget > 0:
        text = _framed(_packed(best, budget), remarks)
        excess = count_tokens(text) - max_tokens
        if excess <= 0:
            return text
        budget -= excess
    return cut(_framed(_emptied(best), [TOO_SMALL, *remarks]), max_tokens)


def listed(head: Sequence[str], lines: Sequence[str], max_tokens: int, more: str) -> str:
    """Lines behind a head, as many as fit; `more` says how to get the rest, {} standing for the number of lines shown."""
    whole = "\n".join((*head, *lines))
    if count_tokens(whole) <= max_tokens:
        return whole
    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        text = "\n".join((*head, *lines[:middle], more.format(middle)))
        low, high = (middle, high) if count_tokens(text) <= max_tokens else (low, middle - 1)
    return cut("\n".join((*head, *lines[:low], more.format(low))), max_tokens)


def cut(text: str, max_tokens: int) -> str:
    """The longest beginning of a text that costs no more than a budget."""
    if count_tokens(text) <= max_tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_tokens(text[:middle] + "…") <= max_tokens else (low, middle - 1)
    return text[:low] + "…"


def _best(found: Sequence[Found], limit: int) -> list[Found]:
    """The answers with their share in the best results of all, the one with the best first; all of one answer where there is only one."""
    ranked = sorted((result for one in found for result in one.answer.results), key=lambda result: -result.score)
    kept = {id(result) for result in ranked[:limit]}
    shares = [
        Found(one.root, replace(one.answer, results=tuple(result for result in one.answer.results if id(result) in kept))) for one in found
    ]
    with_results = [one for one in shares if one.answer.results]
    return sorted(with_results or shares, key=lambda one: -max((result.score for result in one.answer.results), default=0.0))


def _packed(found: Sequence[Found], budget: int) -> list[Found]:
    gist = frozenset[str]().union(*(one.answer.gist for one in found))
    beside = [neighbour for one in found for neighbour in one.answer.neighbours]
    packed = pack([result for one in found for result in one.answer.results], budget, gist, neighbours=beside)
    left = list(packed.neighbours)
    shown = []
    for one in found:
        own, left = left[: len(one.answer.neighbours)], left[len(one.answer.neighbours) :]
        shown.append(Found(one.root, replace(one.answer, results=_of(one, packed.results), neighbours=tuple(own))))
    return shown


def _of(one: Found, results: Sequence[Result]) -> tuple[Result, ...]:
    keys = {(result.chunk.namespace, result.chunk.id) for result in one.answer.results}
    return tuple(result for result in results if (result.chunk.namespace, result.chunk.id) in keys)


def _emptied(found: Sequence[Found]) -> list[Found]:
    return [Found(one.root, replace(one.answer, results=(), neighbours=())) for one in found]


def _framed(found: Sequence[Found], remarks: Sequence[str]) -> str:
    parts = ["\n".join((root_line(one.root), *(answer_lines(one.answer)))) for one in found]
    return "\n\n".join((*parts, *(["\n".join(remarks)] if remarks else [])))


def root_line(root: str) -> str:
    """The folder that the paths below it are relative to."""
    return f"root {visible(root)}"


def _remarks(found: Sequence[Found]) -> Iterator[str]:
    """Warnings first, then what to do next; each once."""
    yield from dict.fromkeys(f"warning: {spoken(warning)}" for one in found for warning in one.answer.warnings)
    yield from dict.fromkeys(spoken(one.answer.hint) for one in found if one.answer.hint)


_SPOKEN = {
    "rebuild it with `clew index --rebuild`": "call index with rebuild true",
    "run `clew index`": "call index",
    "`clew index`": "index",
    "`clew status`": "status",
    "`clew callers ": "`navigate callers ",
    "`clew callees ": "`navigate callees ",
    "`clew impact ": "`navigate impact ",
    "`clew importers ": "`navigate importers ",
    "`clew outline ": "`navigate outline ",
    "--max-tokens": "max_tokens",
    "--limit": "limit",
    "--language": "language",
    "--symbol-type": "symbol_type",
    "--mode": "mode",
    "--in": "in",
}
"""How the command line's words are said to who calls tools."""


def spoken(remark: str) -> str:
    """A remark made for the command line, in the words of the tools, on one line."""
    for said, instead in _SPOKEN.items():
        remark = remark.replace(said, instead)
    return visible(remark)


def _within(remarks: Sequence[str], max_tokens: int) -> list[str]:
    """The remarks that fit, in order; the first one cut where not even it does."""
    kept: list[str] = []
    for remark in remarks:
        if count_tokens("\n".join((*kept, remark))) > max_tokens:
            return kept or [cut(remark, max_tokens)]
        kept.append(remark)
    return kept
