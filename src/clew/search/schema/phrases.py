"""Which phrases of a question say how to sort, limit or date an answer? Their words name nothing: `last year` asks for no last name.

What they leave behind is a question without them, and whether it asks for a time: columns of dates answer that.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twenty|fifty|hundred|few|several|couple of)"
_UNIT = r"(?:second|minute|hour|day|night|week|weekend|fortnight|month|quarter|year|decade|century|centurie)s?"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_SORTED = r"(?:ascending|descending|alphabetic(?:al)?|lexicographic(?:al)?|chronological|numerical|reverse|increasing|decreasing|sorted)"
_PERIOD = re.compile(
    rf"\b(?:last|past|previous|prior|preceding|this|current|next|coming|upcoming|following)\s+(?:{_NUMBER}\s+)?(?:{_UNIT}|{_DAY}|{_MONTH})\b"
    rf"|\b(?:{_NUMBER}|a|an)\s+{_UNIT}\s+ago\b|\b(?:year|quarter|month|week)[ -](?:to[ -]date|over[ -](?:year|quarter|month|week))\b"
    r"|\b(?:today|yesterday|tomorrow|nowadays|ytd|mtd|qtd)\b",
    re.IGNORECASE,
)
"""Names a stretch of time by where it lies from now."""
_RHYTHM = re.compile(
    rf"\b(?:per|each|every|by)\s+(?={_UNIT}\b)|\b(?=(?:hourly|daily|weekly|monthly|quarterly|yearly|annually)\b)", re.IGNORECASE
)
"""Says in which steps of time; the unit itself may be a column's name."""
_COUNTED = re.compile(
    rf"\b(?:top|bottom|first|last|latest)\s+(?={_NUMBER}\b)|\bat (?:least|most|minimum|maximum)\b|\bin total\b"
    r"|\b(?:no |not )?(?:more|less|fewer|greater) than\b(?: or equal to)?",
    re.IGNORECASE,
)
_ORDERED = re.compile(
    rf"\b(?:in|by)\s+(?:(?:the|an?)\s+)?(?:{_SORTED}\s+)+(?:\w+\s+){{0,2}}?orders?\b|(?<!who )(?<!that )\border(?:ed|ing)?\s+by\b|\bsort(?:ed|ing)?\s+(?:\w+\s+){{0,2}}?(?:by|in|from)\b",
    re.IGNORECASE,
)


class Plain(NamedTuple):
    """A question without such phrases; `is_dated` when one of them asks for a time."""

    text: str
    is_dated: bool


def plain(question: str) -> Plain:
    """The question without the phrases that name nothing."""
    text, periods = _PERIOD.subn(" ", question)
    text, rhythms = _RHYTHM.subn(" ", text)
    return Plain(_ORDERED.sub(" ", _COUNTED.sub(" ", text)), bool(periods or rhythms))
