"""What is left of code without its documentation? And which of its comments say what the next lines do?"""

from __future__ import annotations

import re
from collections.abc import Iterator

_COMMENT = re.compile(r"\s*(?://+|#(?!include|if|el|end|define|pragma|!?\[)|--|%|;+)\s?(.*)")
_OPENS = re.compile(r"\s*(?:/\*|\"\"\"|'''|[rRuUbB]\"\"\"|\{-|--\[\[|@\w*doc\b|<!--|=begin)")
_CLOSES = re.compile(r"\*/|\"\"\"|'''|-\}|\]\]|-->|=end")
_WORDS = re.compile(r"[^\W_]+")
_AFTER = 12
"""Lines below a comment that it may be about, up to a blank line or the next comment."""


def without_docs(code: str, docstring: str) -> str:
    """The code without the lines of its documentation."""
    if not docstring:
        return code
    said = {_key(line) for line in docstring.removesuffix("…").split("\n")} - {""}
    lines = code.split("\n")
    places = [place for place, line in enumerate(lines) if _key(line) in said]
    if not places:
        return code
    start, end = places[0], _run(lines, places)
    if _OPENS.match(lines[start]) or (start and _OPENS.match(lines[start - 1])):
        start -= not _OPENS.match(lines[start])
        end = _block_end(lines, start, end)
    else:
        while end + 1 < len(lines) and _COMMENT.match(lines[end + 1]):
            end += 1
    return "\n".join((*lines[:start], *lines[end + 1 :]))


def _run(lines: list[str], places: list[int]) -> int:
    """The last line of the first group of documented lines."""
    last = places[0]
    for place in places[1:]:
        if place - last > 2:
            break
        last = place
    return last


def _block_end(lines: list[str], start: int, end: int) -> int:
    opening = _OPENS.match(lines[start])
    rest = lines[start][opening.end() :] if opening else ""
    if end == start and _CLOSES.search(rest):
        return start
    for place in range(max(start + 1, end), len(lines)):
        if _CLOSES.search(lines[place]):
            return place
    return end


def _key(line: str) -> str:
    words = _WORDS.findall(line.lower())
    return " ".join(words) if len(words) > 1 else ""


def comments_of(code: str, docstring: str) -> Iterator[tuple[str, str]]:
    """Each comment inside of the code with the lines below it, as (words, lines)."""
    lines = without_docs(code, docstring).split("\n")
    place = 0
    while place < len(lines):
        words = []
        while place < len(lines) and (found := _COMMENT.match(lines[place])):
            words.append(found[1].strip())
            place += 1
        below = []
        while place < len(lines) and len(below) < _AFTER and not _COMMENT.match(lines[place]) and (lines[place].strip() or not below):
            below.append(lines[place])
            place += 1
        if words and sum(len(line.strip()) > 3 for line in below):
            yield " ".join(words), "\n".join(below)
        if not below and not words:
            place += 1
