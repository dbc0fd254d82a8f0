"""What does a move show? The index and the files behind it, read only, never outside of the project, a page at a time."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from typing import TYPE_CHECKING

from clew.core.query import Filters
from clew.core.tokens import count_tokens
from clew.core.visible import visible
from clew.errors import ClewError
from clew.search.deep.patterns import pattern_of
from clew.sources.reading import read

if TYPE_CHECKING:
    from clew.core.catalog import FileRecord
    from clew.search.deep.moves import Move
    from clew.search.tiers import Ground

PAGE_LINES, PAGE_TOKENS = 80, 1_200
"""Of one look: more of it would push out what was seen before."""
MATCHES = 30
"""Lines that a grep shows in full; of more, the first of each file and how many there are."""
MOST_MATCHES = 10_000
LONGEST_TARGET = 1_000
GREP_BYTES = 20_000_000
"""Bytes of files that one grep reads: a project of 3,000 files; a plain word is looked up in the index first."""
LINE_CHARACTERS = 200
GREPPED_CHARACTERS = 400
"""Characters of a line that a pattern is tried on: with two endless repeats, 160,000 steps at most."""
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")


class Desk:
    """One question's view of a project. `folder` is where relative paths begin; paths are those of the index, and nothing else is opened."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self.folder = ""
        with ground.store.moment():
            self._files: dict[str, FileRecord] = {
                path: record
                for namespace in ground.scope.namespaces
                for path, record in ground.store.files(namespace).items()
                if not record.skipped
            }
        self._paths = sorted(self._files)
        self._read: dict[str, tuple[str, ...]] = {}

    def look(self, move: Move) -> str:
        """What the move shows, or why it shows nothing; never raises for what a model asks."""
        looks = {
            "ls": self._ls, "cd": self._cd, "cat": self._cat, "find": self._find, "grep": self._grep, "outline": self._outline, "callers": self._callers,
        }  # fmt: skip
        if len(move.target) > LONGEST_TARGET:
            return f"that is too long: {LONGEST_TARGET} characters at most"
        try:
            return looks[move.action](move)
        except ClewError as fault:
            return fault.message

    def path(self, spelled: str) -> str:
        """The path from the root that a spelling means; one that leaves the project means nothing in it."""
        text = spelled.strip().replace("\\", "/")
        start = "" if text.startswith("/") else self.folder
        joined = posixpath.normpath(posixpath.join(start, text.lstrip("/"))).strip("/")
        whole = posixpath.normpath(text.lstrip("/")).strip("/")
        if joined not in self._files and whole in self._files:
            return whole
        return "" if joined == "." else joined

    def lines(self, path: str) -> tuple[str, ...]:
        """The lines of an indexed file as they stand on disk; none of any other."""
        if path not in self._files:
            return ()
        if path not in self._read:
            document = read(self._ground.root, path, self._ground.rules).document
            self._read[path] = document.lines if document else ()
        return self._read[path]

    def _ls(self, move: Move) -> str:
        return listed(self._entries(self.path(move.target)), move.line_start)

    def _entries(self, folder: str) -> list[str]:
        inside = f"{folder}/" if folder else ""
        names: dict[str, int] = {}
        for path in self._paths:
            if path.startswith(inside):
                head, slash, _ = path[len(inside) :].partition("/")
                names[head + slash] = names.get(head + slash, 0) + 1
        if not names:
            return [self._no_such(folder)]
        return [f"{visible(name)} ({count} files)" if name.endswith("/") else visible(name) for name, count in names.items()]

    def _cd(self, move: Move) -> str:
        folder = self.path(move.target)
        if folder and not any(path.startswith(f"{folder}/") for path in self._paths):
            return self._no_such(folder)
        self.folder = folder
        return f"now in {visible(folder) or 'the root'}\n{listed(self._entries(folder), again='ls')}"

    def _cat(self, move: Move) -> str:
        path = self.path(move.target)
        lines = self.lines(path)
        if not lines:
            return self._no_such(path)
        first = min(max(move.line_start, 1), len(lines))
        last = min(max(move.line_end, first), len(lines)) if move.line_end else len(lines)
        shown, is_whole = _fitting(_numbered(number, lines[number - 1]) for number in range(first, last + 1))
        more = [] if is_whole else [f"… goes on with line_start {first + len(shown)}"]
        return "\n".join([f"{visible(path)} ({len(lines)} lines)", *shown, *more])

    def _find(self, move: Move) -> str:
        wanted = move.target.strip()
        low = wanted.lower()
        if not low:
            return "nothing to find was named"
        is_glob = any(mark in low for mark in "*?[")
        paths = [
            path
            for path in self._paths
            if (fnmatchcase(path.lower(), low) or fnmatchcase(posixpath.basename(path).lower(), low) if is_glob else low in path.lower())
        ]
        with self._ground.store.moment():
            hits = self._ground.store.named(self._ground.scope, [wanted], Filters(), MATCHES) if not is_glob else ()
        defined = [f"{visible(hit.filepath)}:{hit.line_start}-{hit.line_end} {hit.symbol_type} {visible(hit.symbol_name)}" for hit in hits]
        found = [*defined, *map(visible, paths)]
        return listed(found, move.line_start) if found else f"nothing is named like {visible(wanted)}"

    def _grep(self, move: Move) -> str:
        if not move.target.strip():
            return "no pattern was given"
        pattern = pattern_of(move.target)
        found = list(islice(self._matches(pattern, self._worth_reading(move.target)), MOST_MATCHES))
        if not found:
            where = f" in {visible(self.folder)}" if self.folder else ""
            return f"no line matches {visible(move.target)}{where}"
        if len(found) <= MATCHES:
            return listed([line for _, line in found], move.line_start)
        lines = dict(reversed(found))
        counts = Counter(path for path, _ in found)
        return listed(
            [f"{lines[path]}{f' (+{times - 1} in this file)' if times > 1 else ''}" for path, times in counts.items()], move.line_start
        )

    def _worth_reading(self, text: str) -> Sequence[str]:
        """The files below the current folder; of a plain word those that hold it."""
        inside = f"{self.folder}/" if self.folder else ""
        paths = self._paths
        if _WORD.fullmatch(text):
            with self._ground.store.moment():
                held = set(self._ground.store.holding(self._ground.scope, text))
            paths = [path for path in paths if path in held] or paths
        return [path for path in paths if path.startswith(inside)]

    def _matches(self, pattern: re.Pattern[str], paths: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The file and the line, of each."""
        left = GREP_BYTES
        for path in paths:
            left -= self._files[path].size
            if left < 0:
                yield "", "… not all files were read: go into a folder first"
                return
            for number, line in enumerate(self.lines(path), 1):
                if pattern.search(line[:GREPPED_CHARACTERS]):
                    yield path, f"{visible(path)}:{_numbered(number, line.strip())}"

    def _outline(self, move: Move) -> str:
        path = self.path(move.target)
        if path not in self._files:
            return self._no_such(path)
        with self._ground.store.moment():
            found = [one for one in self._ground.store.outline(self._ground.scope, path) if one.line_start >= move.line_start]
        shown, is_whole = _fitting(f"{one.line_start}-{one.line_end} {one.kind} {visible(one.qualified_name)}" for one in found)
        more = [] if is_whole else [f"… {len(found) - len(shown)} more: the same again with line_start {found[len(shown)].line_start}"]
        return "\n".join([*shown, *more]) or "no definitions"

    def _callers(self, move: Move) -> str:
        told = self._ground.navigator().callers(move.target.strip(), 1)
        edges = [
            f"{visible(edge.filepath)}:{edge.line} {visible(edge.source.name)}{'' if edge.certain else ' (possibly)'}"
            for edge in told.edges
        ]
        if not told.symbols:
            return f"nothing is called {visible(move.target)}"
        return listed(edges, move.line_start) if edges else f"nothing in the project calls {visible(move.target)}"

    def _no_such(self, path: str) -> str:
        return f"there is no {visible(path) or 'such place'} in the index"


def listed(entries: Sequence[str], first: int = 0, again: str = "the same again") -> str:
    """A list as far as it fits a page, from an entry on that is counted from 1; and how it goes on. Nothing of a long list is out of reach."""
    if not entries:
        return "nothing"
    start = min(max(first, 1), len(entries)) - 1
    shown, is_whole = _fitting(entries[start:])
    head = [f"… from {start + 1} of {len(entries)}"] if start else []
    more = [] if is_whole else [f"… {len(entries) - start - len(shown)} more: {again} with line_start {start + len(shown) + 1}"]
    return "\n".join([*head, *shown, *more])


def _fitting(lines: Iterable[str]) -> tuple[list[str], bool]:
    """The first lines that fit a page, one at least, and whether these are all."""
    shown: list[str] = []
    spent = 0
    for line in lines:
        spent += count_tokens(line) + 1
        if shown and (spent > PAGE_TOKENS or len(shown) == PAGE_LINES):
            return shown, False
        shown.append(line)
    return shown, True


def _numbered(number: int, line: str) -> str:
    return f"{number} {visible(line[:LINE_CHARACTERS])}"
