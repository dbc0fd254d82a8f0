"""What may an expression be? Values, and whether they are all that it may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

Key = tuple[str, str]
"""A definition's file and qualified name."""


class Value(NamedTuple):
    """What a name may stand for: a module (`filepath` alone), a type, an object of it, the bases of a type (super), a function with the type of
    its `receiver`, or something from elsewhere."""

    kind: str
    filepath: str = ""
    name: str = ""
    receiver: Key | None = None

    @property
    def key(self) -> Key:
        return (self.filepath, self.name)


class Known(NamedTuple):
    """What an expression may be; `whole` where there is nothing else that it may be."""

    values: tuple[Value, ...] = ()
    whole: bool = True


NOTHING_KNOWN = Known((), whole=False)
ELSEWHERE = Known((Value("elsewhere"),))


def union(found: Iterable[Known], *, whole: bool = True) -> Known:
    """Everything that any of them may be."""
    parts = list(found)
    return Known(tuple(dict.fromkeys(value for part in parts for value in part.values)), whole and all(part.whole for part in parts))


def module_at(place: str) -> Known:
    """The module of a file or folder; empty is one of elsewhere."""
    return Known((Value("module", place),)) if place else ELSEWHERE
