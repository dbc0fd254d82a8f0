"""Which of the chunks in an array pass a scope and filters? The columns that filters need, as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.stores.embedded.encoding import unpacked
from clew.stores.filtering import labels_pass

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    from clew.core.query import Filters, Scope

_Name = TypeVar("_Name")
Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]

_AT_ONCE = 20_000
"""Rows held as Python's own numbers at a time: 5 MB; a million of them would take 250."""

_COLUMNS = "SELECT c.chunk, c.file, c.namespace, c.visibility, c.language, c.symbol_type FROM chunks c"


class Docs(NamedTuple):
    """Chunks in order of their number. `realms`, `languages` and `types` are places in the lists of names."""

    numbers: Numbers
    files: Numbers
    realms: NDArray[np.int16]
    languages: NDArray[np.int16]
    types: NDArray[np.int16]
    realm_names: tuple[tuple[str, str], ...] = ()
    language_names: tuple[str, ...] = ()
    type_names: tuple[str, ...] = ()

    def places(self, numbers: Numbers) -> Numbers:
        """Where these chunks stand; -1 for those that are not here."""
        if not len(self.numbers):
            return np.full(len(numbers), -1, np.int64)
        found = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        return np.where(self.numbers[found] == numbers, found, -1)


def load(connection: sqlite3.Connection, condition: str = "1", values: tuple[object, ...] = ()) -> Docs:
    """The living chunks that meet a condition over `c`."""
    realms: dict[tuple[str, str], int] = {}
    languages: dict[str, int] = {}
    types: dict[str, int] = {}
    cursor = connection.execute(f"{_COLUMNS} WHERE {condition} ORDER BY c.chunk", values)
    blocks = [np.zeros((0, 5), np.int64)]
    while found := cursor.fetchmany(_AT_ONCE):
        rows = [
            (
                number,
                file,
                realms.setdefault((namespace, visibility), len(realms)),
                languages.setdefault(unpacked(language), len(languages)),
                types.setdefault(unpacked(symbol_type), len(types)),
            )
            for number, file, namespace, visibility, language, symbol_type in found
        ]
        blocks.append(np.array(rows, np.int64))
    columns = np.concatenate(blocks).T
    labels = [column.astype(np.int16) for column in columns[2:]]
    return Docs(columns[0].copy(), columns[1].copy(), labels[0], labels[1], labels[2], tuple(realms), tuple(languages), tuple(types))


def seen(docs: Docs, scope: Scope) -> Flags | None:
    """Which chunks the scope shows; None when all."""
    return _flags(docs.realms, docs.realm_names, lambda realm: realm[0] in scope.namespaces and realm[1] in scope.visibilities)


def passing(docs: Docs, filters: Filters, files: Iterable[int] | None) -> Flags | None:
    """Which chunks pass the filters, `files` being those that the path filters let through; None when all."""
    flags = [
        _flags(docs.languages, docs.language_names, labels_pass(filters.languages)),
        _flags(docs.types, docs.type_names, labels_pass(filters.symbol_types)),
        None if files is None else _in_files(docs.files, files),
    ]
    return both(*flags)


def both(*flags: Flags | None) -> Flags | None:
    """All of the flags that restrict anything."""
    given = [one for one in flags if one is not None]
    return np.logical_and.reduce(given) if given else None


def _flags(places: NDArray[np.int16], names: tuple[_Name, ...], allowed: Callable[[_Name], bool]) -> Flags | None:
    lookup = np.array([allowed(name) for name in names], np.bool_)
    return None if lookup.all() else lookup[places]


def _in_files(files: Numbers, allowed: Iterable[int]) -> Flags:
    lookup = np.zeros(int(files.max(initial=0)) + 1, np.bool_)
    wanted = np.fromiter(allowed, np.int64)
    lookup[wanted[wanted < len(lookup)]] = True
    return lookup[files]
