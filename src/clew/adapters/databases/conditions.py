"""How is a condition written down? As SQL without the brackets that databases put around all of it, so that a dump and its database agree."""

from __future__ import annotations


def bare(expression: str) -> str:
    """An expression without the brackets around all of it."""
    text = expression.strip()
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for place, character in enumerate(text):
            depth += (character == "(") - (character == ")")
            if depth == 0 and place < len(text) - 1:
                return text
        text = text[1:-1].strip()
    return text
