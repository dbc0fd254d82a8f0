"""What does a note in a file of instructions say, and where? A marked block, so that it is found again."""

from __future__ import annotations

import re

BEGIN, END = "<!-- clew: written by `clew install` -->", "<!-- /clew -->"
NOTE = """\
To find code in this project, use clew's tools before grep or reading whole files: `search` with a question in words, a name, an error message or
a stack trace; `navigate` for a definition by name (symbol), what a file holds (outline) and exact lines (read path:10-40)."""

_BLOCK = re.compile(rf"{re.escape(BEGIN)}.*?{re.escape(END)}\r?\n?", re.DOTALL)


def put_note(text: str) -> str:
    """The text with the note at its end, or where an earlier one stands."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = f"{BEGIN}\n{NOTE}\n{END}\n".replace("\n", newline)
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: block, text)
    return f"{text}{newline}{block}" if text else block


def drop_note(text: str) -> str:
    """The text without the note, and without the line end before it."""
    found = _BLOCK.search(text)
    if found is None:
        return text
    before = text[: found.start()].removesuffix("\n").removesuffix("\r")
    return before + text[found.end() :]
