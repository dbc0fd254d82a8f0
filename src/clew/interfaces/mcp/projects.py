"""Which projects may be asked about, and how is each of them kept open? By the folders of the command line, or those that the client names."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from clew.assembly import discard_index, has_databases, has_language_model, open_databases, open_engine
from clew.core.answer import Answer, Question
from clew.core.query import Filters, PathFilter
from clew.engine import Engine
from clew.errors import IndexUnusable, UsageError
from clew.index.upkeep import UNFINISHED
from clew.interfaces.cli.questions import question
from clew.interfaces.mcp.keeping import Keeper, Run
from clew.search.tiers import TIERS
from clew.sources.paths import parse_path_filter
from clew.sources.project import project_root

if TYPE_CHECKING:
    from clew.core.language import LanguageModel
    from clew.databases import Databases

AGAIN_S = 0.3
"""A pause before a question is asked again that met the watcher at work on an edit."""
TIMES = 4


class Project:
    """One project: an engine for questions, opened when first asked, and a keeper that writes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.keeper = Keeper(lambda anew: _opened(root, anew=anew))
        self._turn = RLock()
        self._databases: Databases | None = None
        self._databases_turn = RLock()

    @cached_property
    def _engine(self) -> Engine:
        return open_engine(self.root)

    @property
    def engine(self) -> Engine:
        """The engine that answers questions."""
        with self._turn:
            return self._engine

    def has_databases(self) -> bool:
        """Whether databases are registered."""
        return has_databases(self.root)

    @contextmanager
    def databases(self) -> Iterator[Databases]:
        """The project's databases, one call at a time."""
        with self._databases_turn:
            if self._databases is None:
                self._databases = open_databases(self.root)
            yield self._databases

    def prepare(self) -> tuple[Run | None, bool]:
        """Have an index made where there is none, or finished, or kept current. Returns the run that goes on, if one does, and whether
        it is new. Raises NoIndex where none may be made unasked."""
        if self.keeper.running is not None:
            return self.keeper.running, False
        if self.engine.is_complete():
            self.keeper.follow()
            return None, False
        self.engine.refuse_unasked()
        return self.keeper.begin()

    def search(self, asked: Question, language: LanguageModel | None = None) -> Answer:
        """Answer from what is committed; while a run goes on, by words and names. An edit that the keeper is just taking in is waited for, unless a `language`
        model would be asked twice."""
        if self.keeper.running is not None:
            answer = self.engine.search(replace(asked, mode="fast") if asked.mode == "auto" else asked, language=language)
            return replace(answer, warnings=self.warnings(answer.warnings), hint="")
        answer = self.engine.search(asked, language=language)
        for _ in range(TIMES):
            if not answer.stale or asked.mode in TIERS or not self.engine.is_complete():
                break
            time.sleep(AGAIN_S)
            answer = self.engine.search(asked)
        return answer

    def warnings(self, said: Sequence[str]) -> tuple[str, ...]:
        """Warnings without those that say nothing but that the keeper is at work: that is told otherwise."""
        return tuple(one for one in said if self.keeper.running is None or not _is_of_run(one))

    def close(self) -> None:
        """End its threads and give back its files."""
        self.keeper.close()
        with self._turn:
            if "_engine" in self.__dict__:
                self._engine.close()
        with self._databases_turn:
            if self._databases is not None:
                self._databases.close()


@dataclass(frozen=True, slots=True)
class Place:
    """A project, or the folder `below` of one, that may be asked about: nothing outside of it is answered or read."""

    project: Project
    below: str = ""

    @property
    def root(self) -> Path:
        """The folder that paths are relative to."""
        return self.project.root

    @property
    def folder(self) -> Path:
        """The folder that was named."""
        return self.project.root / self.below

    @property
    def engine(self) -> Engine:
        """The engine that answers questions."""
        return self.project.engine

    def question(self, options: Mapping[str, Any]) -> Question:
        """The question that options ask, kept inside. Raises UsageError."""
        return self._kept_inside(question(self.engine, options))

    def search(self, asked: Question, language: LanguageModel | None = None) -> Answer:
        """Answer a question, kept inside."""
        answer = self.project.search(replace(self._kept_inside(asked), around=True), language)
        return replace(answer, neighbours=tuple(one for one in answer.neighbours if self.holds(one.filepath)))

    def path(self, spelled: str) -> str:
        """The path, relative to the root, that a spelling means. Raises UsageError for one outside."""
        path = parse_path_filter(self.root, spelled).path
        if path != self.below and not self.holds(path):
            raise UsageError(f"{spelled} is outside of {self.folder}", f"paths are relative to {self.root}")
        return path

    def files(self) -> tuple[str, ...]:
        """The indexed files."""
        return tuple(filter(self.holds, self.engine.files()))

    def holds(self, path: str) -> bool:
        """Whether a path lies inside."""
        return not self.below or path.startswith(f"{self.below}/")

    def _kept_inside(self, asked: Question) -> Question:
        if not self.below:
            return asked
        paths = tuple(map(self._inside, asked.filters.paths)) or (PathFilter(self.below),)
        return replace(asked, filters=Filters(asked.filters.languages, asked.filters.symbol_types, paths))

    def _inside(self, asked: PathFilter) -> PathFilter:
        """The filter, seen from the folder where it does not name it already."""
        if asked.path == self.below or asked.path.startswith(f"{self.below}/"):
            return asked
        if not asked.is_glob:
            return PathFilter(f"{self.below}/{asked.path}".rstrip("/"))
        return PathFilter(f"{self.below}/{asked.path}" if "/" in asked.path else f"{self.below}/**/{asked.path}", is_glob=True)


class Projects:
    """The projects of one server. What the command line names counts; else what the client names; else the current folder."""

    def __init__(self, given: Sequence[str]) -> None:
        self.given = tuple(dict.fromkeys(_project_of(path) for path in given))
        self._open: dict[Path, Project] = {}
        self._turn = RLock()

    def places(self, uris: Iterable[str] | None) -> tuple[Place, ...]:
        """What may be asked about; `uris` are the client's roots, None where it names none."""
        named = tuple(dict.fromkeys(filter(None, map(_folder_of, uris or ())))) if not self.given else ()
        if named:
            return tuple(self._place(folder) for folder in named)
        return tuple(Place(self._project(root)) for root in self.given or (_project_of("."),))

    def have_model(self) -> bool:
        """Whether a language model is set up for one of the projects that are known before a client names its own."""
        return any(map(has_language_model, self.given or (_project_of("."),)))

    def close(self) -> None:
        """End all threads and give back all files and locks."""
        with self._turn:
            projects = list(self._open.values())
        for project in projects:
            project.close()

    def _place(self, folder: Path) -> Place:
        root = project_root(folder)
        return Place(self._project(root), "" if root == folder else folder.relative_to(root).as_posix())

    def _project(self, root: Path) -> Project:
        with self._turn:
            return self._open.setdefault(root, Project(root))


def _opened(root: Path, *, anew: bool) -> Engine:
    """The engine that writes; `anew` throws away an index that cannot be opened."""
    try:
        return open_engine(root)
    except IndexUnusable:
        if not anew:
            raise
        discard_index(root)
        return open_engine(root)


def _is_of_run(warning: str) -> bool:
    """Whether a warning says nothing but that this process is making the index."""
    return warning == UNFINISHED or f"process {os.getpid()} (" in warning


def chosen(places: Sequence[Place], root: str | None) -> tuple[Place, ...]:
    """The places that a call means: all, or the one whose folder, or its name, is `root`. Raises UsageError naming those there are."""
    if not root:
        return tuple(places)
    asked = os.path.realpath(Path(root).expanduser())
    matching = [place for place in places if root == place.folder.name] or list(_around(places, Path(asked)))
    if not matching:
        raise UsageError(f"{root} is none of the roots", f"there are {', '.join(str(place.folder) for place in places)}")
    return tuple(matching[:1])


def _around(places: Sequence[Place], folder: Path) -> Iterator[Place]:
    """The places that hold a folder, the innermost first."""
    yield from sorted((place for place in places if folder.is_relative_to(place.folder)), key=lambda place: -len(str(place.folder)))


def _project_of(path: str) -> Path:
    if not os.path.isdir(path):  # noqa: PTH112 - false, where Path.is_dir raises, for a name that is too long
        raise UsageError(f"there is no folder {path!r}", "give the folders of projects")
    return project_root(Path(path))


def _folder_of(uri: str) -> Path | None:
    """The folder that a client's root names; None for one that is no folder here."""
    with suppress(ValueError, OSError):
        parts = urlsplit(uri)
        path = unquote(parts.path)
        if os.name == "nt" and path[2:3] == ":":
            path = path[1:]
        folder = Path(os.path.realpath(path))
        if parts.scheme == "file" and folder.is_dir():
            return folder
    return None
