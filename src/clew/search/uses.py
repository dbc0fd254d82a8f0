"""Which code uses a table? Its models, migrations, the queries that name it, and what mentions a model: read off the files that hold its name."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from clew.core.protocols import ChunkStore
from clew.core.query import Scope
from clew.core.uses import Use
from clew.graph.table_uses import HOWS, MODEL, Mention, classes_of_table, mentions
from clew.sources.reading import read
from clew.sources.rules import Rules

KEPT_FILES = 500
"""Files whose mentions a process keeps, some kilobytes each."""
MOST_FILES = 120
"""Files that are read for the uses of one table. A project of 214 files whose tables are called `collections` and `embeddings` loses a tenth of its uses
at 60, none at 120 (bench/results/schema.md)."""
MOST_USES = 8
"""Uses of a table that are named: a model, its migrations, and where to read on."""
_OF_DATABASES = ("select", "insert", "update", "tablename", "create_table", "Entity", "models")
"""Words of which one stands in nearly every file that uses a table."""


class _File(NamedTuple):
    """A file's lines, at which character each begins, and what it names."""

    stamp: tuple[int, int]
    lines: tuple[str, ...]
    starts: tuple[int, ...]
    mentions: tuple[Mention, ...]


class Uses:
    """The code of a project, asked for the uses of tables."""

    def __init__(self, code: ChunkStore, scope: Scope, root: Path, rules: Rules) -> None:
        self._code = code
        self._scope = scope
        self._root = root
        self._rules = rules
        self._known: dict[str, _File] = {}

    def of(self, table: str) -> tuple[Use, ...]:
        """The places of the code that use a table by its bare name: its models, migrations, queries, and what mentions a model; each definition once."""
        words = (table, *classes_of_table(table))
        found = {use for filepath in self._holding(words, MOST_FILES) for use in self._uses_in(filepath, table.lower())}
        models = tuple(sorted({use.symbol_name for use in found if use.how == MODEL and use.symbol_name}))
        seen = {(use.filepath, use.symbol_name) for use in found}
        for filepath in self._holding(models, MOST_FILES // 2):
            found |= {use for use in self._mentions_in(filepath, models) if (use.filepath, use.symbol_name) not in seen}
        ordered = sorted(found, key=lambda use: (HOWS.index(use.how) if use.how in HOWS else len(HOWS), use.filepath, use.line))
        return tuple(ordered[:MOST_USES])

    def _holding(self, words: Sequence[str], most: int) -> list[str]:
        """The files that hold one of the words; of more than can be read, those first that hold most words of databases."""
        found = list(dict.fromkeys(path for word in words for path in self._code.holding(self._scope, word)))
        if len(found) > most:
            likely = Counter(path for word in _OF_DATABASES for path in self._code.holding(self._scope, word))
            found.sort(key=lambda path: -likely[path])
        return found[:most]

    def _mentions_in(self, filepath: str, models: Sequence[str]) -> Iterator[Use]:
        """Where definitions of a file mention a model, each once; not where it is imported."""
        pattern = re.compile(rf"\b({'|'.join(map(re.escape, models))})\b")
        seen: set[str] = set()
        for number, line in enumerate(self._file(filepath).lines, start=1):
            named = pattern.search(line)
            symbol = self._symbol_at(filepath, number) if named else ""
            if named and symbol and symbol not in seen and symbol != named[1]:
                seen.add(symbol)
                yield Use(filepath, number, symbol, f"through {named[1]}")

    def _uses_in(self, filepath: str, table: str) -> Iterator[Use]:
        file = self._file(filepath)
        seen: set[tuple[str, str]] = set()
        for one in file.mentions:
            if one.name != table:
                continue
            line = bisect_right(file.starts, one.place)
            symbol = one.by or self._symbol_at(filepath, line)
            if (symbol, one.how) not in seen:
                seen.add((symbol, one.how))
                yield Use(filepath, line, symbol, one.how)

    def _file(self, filepath: str) -> _File:
        """A file as it is on disk, read again only where it changed."""
        stamp = _stamp(self._root / filepath)
        known = self._known.get(filepath)
        if known is None or known.stamp != stamp:
            document = read(self._root, filepath, self._rules).document
            lines = document.lines if document is not None else ()
            named = sorted(mentions("\n".join(lines), filepath), key=lambda one: one.place)
            starts = tuple(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
            known = _File(stamp, lines, starts, tuple(named))
            if len(self._known) >= KEPT_FILES:
                self._known.clear()
            self._known[filepath] = known
        return known

    def _symbol_at(self, filepath: str, line: int) -> str:
        inside = [one for one in self._code.outline(self._scope, filepath) if one.line_start <= line <= one.line_end]
        return max(inside, key=lambda one: one.line_start).qualified_name if inside else ""


def _stamp(path: Path) -> tuple[int, int]:
    try:
        seen = path.stat()
    except OSError:
        return (0, 0)
    return (seen.st_size, seen.st_mtime_ns)
