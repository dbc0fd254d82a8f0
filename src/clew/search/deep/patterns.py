"""Which patterns of a model's may be run? Those that take time in proportion to a line, whatever stands there; any other is looked for letter by letter."""

from __future__ import annotations

import re
import warnings

MOST_REPEATS = 2
"""Repeats without an end: each multiplies the steps by the length of a line."""
LONGEST = 200
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?:|\(\?|[()|]|[*+?]|\{\d*,?\d*\}|.", re.S)


def pattern_of(text: str) -> re.Pattern[str]:
    """A pattern that ends soon on any line, case aside where the text is all in lower case. Nested repeats, references back and look-around make it
    a text that is looked for as it stands, as does what is no pattern."""
    flags = re.I if text == text.lower() else 0
    if len(text) <= LONGEST and _is_tame(text):
        try:
            with warnings.catch_warnings(action="ignore"):  # of what other versions of Python may read into it
                return re.compile(text, flags)
        except (re.error, RecursionError, OverflowError):
            pass
    return re.compile(re.escape(text), flags)


def _is_tame(text: str) -> bool:
    """Whether repeats stand behind single characters alone, and few of them have no end."""
    repeats, before = 0, ""
    for token in _TOKEN.findall(text):
        if token == "(?" or (len(token) == 2 and token[0] == "\\" and token[1].isdigit()):
            return False
        if token in ("*", "+") or token.startswith("{"):
            if before == ")":
                return False
            repeats += 1
        before = token
    return repeats <= MOST_REPEATS
