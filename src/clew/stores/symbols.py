"""By which names is a chunk found? Its qualified name, and the last part of it."""

from __future__ import annotations

import re

_SEPARATORS = re.compile(r"[.:/]+")


def bare_name(symbol_name: str) -> str:
    """`method` of `Class.method`; the whole name where it ends in a separator."""
    return _SEPARATORS.split(symbol_name)[-1] or symbol_name
