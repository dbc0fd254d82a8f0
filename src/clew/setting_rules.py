"""Which values may a setting have? Each rule says what is allowed instead, and nothing where the value is right."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

STORES = ("embedded", "chroma")
"""Where vectors of an index in a folder may live."""
MONGODB = ("mongodb://", "mongodb+srv://")
"""How an address begins under which the whole index lives."""
_NAMESPACE = re.compile(r"[a-z][a-z0-9-]{2,62}")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}")
_LONGEST_NAME, _LONGEST_PATH = 255, 3_500


def one_of(*allowed: str) -> Callable[[Any], str]:
    """One of these."""
    return lambda value: "" if value in allowed else f"one of {', '.join(allowed)}"


def between(low: int, high: int) -> Callable[[Any], str]:
    """A whole number in a range."""
    return lambda value: "" if low <= value <= high else f"a whole number from {low} to {high}"


def path_rule(value: str) -> str:
    """A path that every system takes."""
    raw = value.encode("utf-8", "surrogatepass")
    fits = b"\0" not in raw and len(raw) <= _LONGEST_PATH and all(len(name) <= _LONGEST_NAME for name in raw.split(b"/"))
    return "" if fits else f"a path that the system takes: no NUL in it, and no name longer than {_LONGEST_NAME} bytes"


def namespace_rule(value: str) -> str:
    """A namespace's name, or nothing."""
    return "" if not value or is_namespace(value) else "3 to 63 of a-z, 0-9 and -, starting with a letter"


def store_rule(value: str) -> str:
    """Where an index or its vectors live."""
    name, _, where = value.partition(":")
    if value.startswith(MONGODB):
        return "" if len(value) <= _LONGEST_PATH and "\0" not in value else "an address without NUL, of a usual length"
    fits = name in STORES and (not where or (name == "chroma" and not path_rule(where)))
    return (
        "" if fits else "embedded, chroma, chroma:FOLDER, chroma:http://HOST:PORT, mongodb://HOST/DATABASE or mongodb+srv://HOST/DATABASE"
    )


def dollars_rule(value: str) -> str:
    """An amount, or nothing."""
    return "" if not value or re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,4})?", value) else "dollars, such as 2.50"


def identifier_rule(value: str) -> str:
    """A name for a database's own things."""
    return "" if _IDENTIFIER.fullmatch(value) else "letters, digits, - and _, a letter first, 63 at most"


def is_namespace(name: str) -> bool:
    """Whether a name may be a namespace's: 3 to 63 of `a-z 0-9 -`, the first a letter."""
    return _NAMESPACE.fullmatch(name) is not None
