"""How does a definition read? Its signature on one line, its documentation without comment marks."""

from __future__ import annotations

import re

MAX_SIGNATURE = 200
MAX_DOCSTRING = 600
_SCANNED = 4_000
"""Bytes of a header or comment that are looked at: what is shown comes from the front."""
_SCANNED_WORDS = 1_500
"""Characters of documentation that are looked at: what is shown, and as much again for marks and blanks."""
_MAX_HEADER_LINES = 30
"""A parameter list longer than this is not read to its end."""
_ANNOTATIONS = re.compile(r"^(?:(?:@(?!interface|implementation|protocol)[\w.]+(?:\([^()]*\))?|\[[^\]]*\]|#\[[^\]]*\])\s+)+(?=\w)")
_OPENING = re.compile(
    r"^\s*(?:/\*+!?|<#|\(\*+|\{-+\s*\|?|<!--|--\[=*\[|=\w+\b|[rRuUbB]{0,2}(?:\"\"\"|''')|@(?:module|type)?doc\b\s*(?:~[sS])?(?:\"\"\"|\")?)\s?"
)
_CLOSING = re.compile(r"\s*(?:\*+/|\*+\)|-\}|-->|\]=*\]|#>|\"\"\"|'''|=end|=cut)\s*$")
_MARK = re.compile(r"^\s*(?://[/!]*|\#+:?!?|---*\s?\|?\^?|;+|%+|\*+(?!\*))(?:\s|$)")
_BARE_MARK = re.compile(r"^\s*(?://[/!]*|\#+|--+(?:\s*[|^])?|;+|\*(?!\*))\s?")
_COMMENT = re.compile(r"\s*(?://|/\*|#(?!\[)|--)")
_PLAIN = re.compile(r"\s*+[A-Za-z0-9][^\"'=/)\]}>]*+")
"""A line of words alone: no mark opens or closes in it."""
_XML_TAG = re.compile(
    r"</?(?:summary|remarks|returns|param|para|value|inheritdoc|typeparam|exception|see|seealso|c|code|p|b|i|pre|ul|li|br)\b[^>]*>"
)
_END_OF_HEADER = re.compile(r"\s*(?:\{|=>|=|:|\bdo|\bbegin|\bwhere|\bthen|\()\s*$")


def signature(source: bytes) -> str:
    """The header of a definition, collapsed to one line, without what opens the body."""
    lines = source[:_SCANNED].decode("utf-8", "replace").split("\n")
    end = next((number for number, line in enumerate(lines) if number and _COMMENT.match(line)), len(lines)) if len(lines) > 1 else 1
    text = _ANNOTATIONS.sub("", " ".join(" ".join(lines[:end]).split()))
    if len(text) > MAX_SIGNATURE:
        return text[: MAX_SIGNATURE - 1].rstrip() + "…"
    bare = text[:-1].rstrip() if text.endswith(":") else _END_OF_HEADER.sub("", text)
    return bare or text


def first_sentence(source: bytes) -> bytes:
    """The first line, and the next ones while a bracket is open."""
    end = source.find(b"\n")
    for _ in range(_MAX_HEADER_LINES):
        if end < 0 or source.count(b"(", 0, end) <= source.count(b")", 0, end):
            break
        end = source.find(b"\n", end + 1)
    return source if end < 0 else source[:end]


def documentation(text: str) -> str:
    """The words of a comment block or a documentation string."""
    text = text[:_SCANNED_WORDS]
    opened = _OPENING.sub("", text, count=1)
    in_block = opened != text
    kept = []
    for line in _CLOSING.sub("", opened).split("\n"):
        if _PLAIN.fullmatch(line):
            kept.append(line.strip())
            continue
        bare = _BARE_MARK.sub("", line) if not in_block else _MARK.sub("", line)
        kept.append(_CLOSING.sub("", _OPENING.sub("", bare)).strip())
    joined = "\n".join(kept)
    words = (_XML_TAG.sub("", joined) if "<" in joined else joined).strip().strip("\"'").strip()
    words = re.sub(r"\n{2,}", "\n", words)
    return words if len(words) <= MAX_DOCSTRING else words[: MAX_DOCSTRING - 1].rstrip() + "…"
