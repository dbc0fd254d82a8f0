"""Which types does a type's text name? `Optional[a.B] | "C"` names a.B and C."""

from __future__ import annotations

import re
from typing import NamedTuple

_TRANSPARENT = frozenset(
    "Optional Union Annotated Final ClassVar Result Option Required NotRequired Awaitable Coroutine Promise Box Rc Arc Readonly Task ValueTask".split()
)
"""Generic types through which a value is used as what is inside (awaiting and following are not told apart from it)."""
_META = frozenset(("type", "Type"))
_NOTHING = frozenset(("None", "null", "undefined", "void", "nil", "NoReturn", "Never"))
_HEAD = re.compile(r"[\w.$]+")
_LEADING = re.compile(r"^(?:&(?:'\w+\s)?|\*|mut\s|ref\s|out\s|in\s|params\s|dyn\s|impl\s|const\s|final\s|readonly\s|:\s*|\s)+")
_MOST_DEPTH = 8


class Named(NamedTuple):
    """A type by the chain of its name; `is_meta` where the type itself is meant and not an object of it."""

    chain: str
    is_meta: bool = False


def named_types(text: str, depth: int = 0) -> list[Named]:
    """The types that a value of this type may have, what stands for no value left out."""
    found: list[Named] = []
    for part in _split(_LEADING.sub("", text.strip().strip("\"'")), "|"):
        bare = _LEADING.sub("", part.strip().strip("\"'")).rstrip("?!").strip()
        head = _HEAD.match(bare.replace("::", "."))
        if head is None:
            found.append(Named(""))
            continue
        name, rest = head[0], bare.replace("::", ".")[head.end() :].strip()
        last = name.rsplit(".", 1)[-1]
        inner = rest[1:-1] if rest[:1] in "[<" and rest[-1:] in "]>" else ""
        if name in _NOTHING:
            continue
        if rest.endswith("[]"):
            found.append(Named(""))
        elif inner and last in _META:
            found += [Named(one.chain, True) for one in named_types(inner, depth + 1)] if depth < _MOST_DEPTH else []
        elif inner and last in _TRANSPARENT:
            parts = _split(inner, ",")
            chosen = parts if last == "Union" else parts[-1:] if last == "Coroutine" else parts[:1]
            found += [one for part in chosen for one in named_types(part, depth + 1)] if depth < _MOST_DEPTH else [Named("")]
        else:
            found.append(Named(name))
    return found


def _split(text: str, mark: str) -> list[str]:
    """A text cut at a mark, outside of brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        if letter in "[<({":
            depth += 1
        elif letter in "]>)}":
            depth -= 1
        elif letter == mark and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]
