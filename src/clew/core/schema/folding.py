"""When do a value of a column and words of a question say the same? When their words are the same but for case, accents and signs."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 6
"""Words of the longest value that is looked for as a whole."""
_WORD = re.compile(r"[^\W_]+")


def folded(text: str) -> tuple[str, ...]:
    """The words of a text, by which values are found: `San-José` and `san jose` are one."""
    if text.isascii():
        return tuple(_WORD.findall(text.lower()))
    apart = unicodedata.normalize("NFKD", text)
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return tuple(_WORD.findall(bare.casefold()))
