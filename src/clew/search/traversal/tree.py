"""What stands where in a project? Folders, files and chunks with titles that name what is inside, those that matter to a question first."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from clew.core.chunk import Chunk
from clew.core.protocols import Store
from clew.core.query import Filters, Hit, Scope
from clew.core.visible import visible
from clew.search.choosing import chunks_of
from clew.search.fusion import Scored
from clew.search.searcher import Shortlist

LOOSE = frozenset(["block"])
"""Kinds of chunks that have no name of their own."""
ROOT = "."
"""How the project's own folder is called."""
_NAMED_FILES = 4
"""Files that a folder's title names."""
_FIRST, _NAMED_OF_FIRST, _NAMED = 12, 6, 3
"""Definitions that a file's title names: more of the first files, so that many others fit."""
_LONGEST_NAME = 40
"""Characters of a name in a title."""
_AT_ONCE = 40
"""Files whose outlines are read at a time: about as many fit a prompt."""
_MOST_DEFINITIONS = 60
"""Definitions of a file that are offered beside those that were found."""
_LONGEST_TITLE = 600
_OF_CHOSEN, _OF_RIVALS = 6, 3
"""Chunks of a file that was chosen, and of one that is offered for comparison: who draws by chance should not meet the chosen ones."""
_LONGEST = 110
"""Characters of a signature or sentence in a title."""


@dataclass(frozen=True, slots=True)
class Node:
    """One child of a level: `path` of a folder or file; of a chunk also its `hit` or its `id`. `title` is one line that says what is inside."""

    path: str
    title: str
    hit: Hit | None = None
    id: str = ""


class Tree:
    """The tree of one project as one question sees it. Each method reads from the store in a moment of its own."""

    def __init__(self, store: Store, scope: Scope, shortlist: Shortlist, filters: Filters, summaries: Mapping[str, str]) -> None:
        self._store = store
        self._scope = scope
        self._shortlist = shortlist
        self._filters = filters
        self._summaries = summaries
        self._hits_of: dict[str, list[Hit]] = {}

    @cached_property
    def _found(self) -> dict[str, Scored]:
        """The files that the legs found, best first."""
        found: dict[str, Scored] = {}
        for file in self._shortlist.files:
            found.setdefault(file.candidate.key[1], file)
        return found

    @cached_property
    def ordered(self) -> tuple[str, ...]:
        """The files: those that were found, best first, then the others by name, where the question has no filters that they might not pass."""
        others = () if self._filters else self._store.files(self._scope.namespaces[0]).items()
        return tuple(dict.fromkeys((*self._found, *sorted(path for path, one in others if not one.skipped))))

    def folders(self) -> Iterator[Node]:
        """The folders with files in them, that of the best file first."""
        inside: dict[str, list[str]] = {}
        for path in self.ordered:
            inside.setdefault(folder_of(path), []).append(path)
        for folder, files in inside.items():
            said = self._summaries.get(f"{folder}/", "")
            named = "; ".join(self._file_in_folder(path) for path in files[:_NAMED_FILES])
            count = f"{len(files)} file{'s' if len(files) > 1 else ''}"
            yield Node(folder, _line(f"{folder}/ ({count}): {_cut(said) + ' ' if said else ''}{named}"))

    def files(self, folders: Sequence[str] | None = None, only: Sequence[str] = ()) -> Iterator[Node]:
        """The files in these folders and below (of all folders without any), those that were found first; or `only` these."""
        chosen = only or [path for path in self.ordered if folders is None or any(is_inside(path, folder) for folder in folders)]
        for start in range(0, len(chosen), _AT_ONCE):
            some = chosen[start : start + _AT_ONCE]
            with self._store.moment():
                outlined = {path: self._store.outline(self._scope, path) for path in some}
            for number, path in enumerate(some, start):
                names = [*self._hit_names(path), *(one.name for one in outlined[path] if not one.parent)]
                yield self._file(path, names, _NAMED_OF_FIRST if number < _FIRST else _NAMED)

    def chunks(self, files: Sequence[str], rivals: Sequence[str] = ()) -> Iterator[Node]:
        """The chunks of these files: those that were found, best first and file by file in turn, then the other definitions; of the `rivals` the
        best ones among them. Looked up a round at a time, as far as somebody reads on."""
        most = _OF_CHOSEN if rivals else None
        lists = [islice(self._hits(path), most) for path in files] + [islice(self._hits_found(path), _OF_RIVALS) for path in rivals]
        while True:
            with self._store.moment():
                hits = [hit for some in lists if (hit := next(some, None))]
                chunks = self._store.chunks(self._scope, [hit.key for hit in hits])
            if not hits:
                return
            yield from (Node(hit.filepath, chunk_title(chunk), hit) for hit in hits if (chunk := chunks.get(hit.key)))

    def best_chunk(self, path: str) -> Hit | None:
        """What stands for a file."""
        hits = self._hits_found(path)
        if hits:
            return hits[0]
        with self._store.moment():
            return next((hit for hit in self._store.at(self._scope, path, 1, self._filters) if hit.filepath == path), None)

    def _hits_found(self, path: str) -> list[Hit]:
        if path not in self._hits_of:
            file = self._found.get(path)
            shortlist = self._shortlist
            self._hits_of[path] = [hit for _, hit in chunks_of(file.candidate, shortlist.scale, shortlist.asked)] if file else []
        return self._hits_of[path]

    def _hits(self, path: str) -> Iterator[Hit]:
        """The chunks that were found in a file, then those that hold its other definitions, in order of lines."""
        known = {hit.id: (hit.line_start, hit.line_end) for hit in self._hits_found(path)}
        yield from self._hits_found(path)
        for one in self._store.outline(self._scope, path)[:_MOST_DEFINITIONS]:
            if any(start <= one.line_start <= end for start, end in known.values()):
                continue
            for hit in self._store.at(self._scope, path, one.line_start, self._filters):
                if hit.filepath == path and hit.id not in known:
                    known[hit.id] = (hit.line_start, hit.line_end)
                    yield hit
        if not known:
            yield from (hit for hit in self._store.at(self._scope, path, 1, self._filters) if hit.filepath == path)

    def _hit_names(self, path: str) -> list[str]:
        return [_last(hit.symbol_name) for hit in self._hits_found(path) if hit.symbol_type not in LOOSE]

    def _file_in_folder(self, path: str) -> str:
        names = _distinct(self._hit_names(path), 2)
        return posixpath.basename(path) + (f" ({', '.join(names)})" if names else "")

    def _file(self, path: str, names: Iterable[str], most: int) -> Node:
        said = self._summaries.get(path, "")
        about = " ".join(part for part in (_cut(said), ", ".join(_distinct(names, most))) if part)
        return Node(path, _line(f"{path}: {about}" if about else path))


def _distinct(names: Iterable[str], most: int) -> list[str]:
    return [name[:_LONGEST_NAME] for name in islice(dict.fromkeys(names), most)]


def _last(name: str) -> str:
    """A qualified name without what it is inside."""
    return name.rpartition("::")[2].rpartition(".")[2] or name


def folder_of(path: str) -> str:
    """The folder that a file is in."""
    return posixpath.dirname(path) or ROOT


def is_inside(path: str, folder: str) -> bool:
    """Whether a file is in a folder or below; the project's own folder has only what is in it."""
    return folder_of(path) == folder or (folder != ROOT and path.startswith(f"{folder}/"))


def chunk_title(chunk: Chunk) -> str:
    """What a chunk is, in one line."""
    name = f"{chunk.symbol_type} {chunk.symbol_name}" if chunk.symbol_type not in LOOSE else f"{chunk.symbol_type}"
    said = chunk.docstring.strip().partition("\n")[0] or next((line.strip() for line in chunk.code.split("\n") if line.strip()), "")
    about = chunk.signature.strip() if chunk.signature and chunk.signature.strip() not in said else ""
    rest = " — ".join(_cut(one) for one in (about, said) if one)
    return _line(f"{chunk.filepath}:{chunk.line_start}-{chunk.line_end} {name}: {rest}")


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"


def _line(text: str) -> str:
    """One line, whatever names and comments hold; a path of a thousand characters leaves room for others."""
    return visible(" ".join(text.split()))[:_LONGEST_TITLE]
