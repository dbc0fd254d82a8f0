"""How is text from files shown without letting it act? Control characters become visible, undecodable bytes `\\xNN`."""

from __future__ import annotations

import json
import re

_LAYOUT = r"\u0085\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069"
"""Characters that break lines or turn the direction of text around (the last kind can make code read as other code)."""
_HIDDEN = r"\u200b\u2060\ufeff\U000e0000-\U000e007f"
"""Characters that have no width and no use in text; the last ones spell ASCII that only a model reads."""
_ACTING = re.compile(rf"[\x00-\x1f\x7f-\x9f{_LAYOUT}{_HIDDEN}\ud800-\udfff]")
_ACTING_IN_CODE = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_LAYOUT}{_HIDDEN}\ud800-\udfff]")
_UNSAFE_IN_JSON = re.compile(rf"[\x7f-\x9f{_LAYOUT}{_HIDDEN}\ud800-\udfff]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    """One line that cannot move the cursor, colour the terminal or hide anything: for names, paths and messages."""
    return _ACTING.sub(_spelled, text)


def visible_code(text: str) -> str:
    """The same for several lines: `\\n` and tabs stay."""
    return _ACTING_IN_CODE.sub(_spelled, text)


def to_json(value: object) -> str:
    """One line of JSON that is valid UTF-8 and splits at `\\n` only; NaN and infinity are refused with ValueError."""
    return _UNSAFE_IN_JSON.sub(_escaped, json.dumps(value, ensure_ascii=False, allow_nan=False))


def _spelled(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    return (
        _SHORT.get(character)
        or _byte(character)
        or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    )


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if "\ud800" <= character <= "\udfff":  # no character at all: it can only be shown as text, so the backslash is a character
        return "\\" + (_byte(character) or f"\\u{ord(character):04x}")
    return json.dumps(character)[1:-1]


def _byte(character: str) -> str:
    """The byte that an undecodable file name held at this place; empty for every other character."""
    return f"\\x{ord(character) - 0xDC00:02x}" if "\udc80" <= character <= "\udcff" else ""
