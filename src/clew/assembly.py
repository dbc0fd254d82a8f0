"""How are the parts put together? Settings in, an engine out; nowhere else are parts chosen."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from clew.access.records import SAID
from clew.adapters.access import access
from clew.assembly_models import asked_before, fallbacks, remembered, reranking
from clew.assembly_mounts import MountBook, elsewhere, this_user
from clew.assembly_stores import (
    forget_elsewhere,
    has_index_in,
    index_folder,
    is_begun,
    is_elsewhere,
    namespace_of,
    open_folder,
    open_store,
)
from clew.core.chunk import VISIBILITIES, Visibility
from clew.core.protocols import Embedder, Store
from clew.core.query import Scope
from clew.engine import Engine
from clew.errors import IndexUnusable, NoIndex, UsageError
from clew.index.updater import BATCH_FILES, Project
from clew.plugins import load_embedder
from clew.search.tiers import no_language
from clew.settings import PROJECT_FILE, Settings, is_trusted, language_model_key, limit_of, load_settings
from clew.sources.project import project_root
from clew.sources.rules import Rules
from clew.stores.embedded.discarding import discard
from clew.stores.question_vectors import QuestionVectors
from clew.stores.summaries import SavedSummaries

if TYPE_CHECKING:
    from clew.access.door import Audit
    from clew.core.language import LanguageModel
    from clew.databases import Databases
    from clew.namespaces import Namespaces
    from clew.search.tables import Tables
    from clew.search.uses import Uses
    from clew.serving.measures import Measures
    from clew.serving.service import Service
    from clew.serving.timing import Timing
    from clew.stores.copying import Portable
    from clew.stores.embedded import EmbeddedStore

SUMMARIES = "summaries.db"
DATABASES = "databases/datasources.json"
SCHEMA_CHUNKS = "databases/chunks"


def open_engine(start: Path | str = ".", overrides: Mapping[str, object] | None = None, *, create: bool = True) -> Engine:
    """The engine of the project around `start`: the nearest folder above with an index, else the git root, else `start` itself.

    `overrides` are settings by name and win over all others. With `create` false a project without an index raises NoIndex.
    Raises UsageError for a wrong setting or a path that is no folder, IndexUnusable for a damaged index.
    """
    if not os.path.exists(start):  # noqa: PTH110 - false, where Path.exists raises, for a name that is too long
        raise UsageError(f"there is no folder {os.fspath(start)!r}", "give a project's folder, or one inside it")
    root = project_root(Path(start))
    settings = load_settings(root, overrides)
    folder = index_folder(root, settings)
    if not create and not has_index_in(root, folder, settings):
        raise NoIndex(f"there is no index of {root}", f"make one: clew index {root}")
    return assemble(root, settings, open_store(folder, settings, within=root))


def open_databases(start: Path | str = ".", overrides: Mapping[str, object] | None = None) -> Databases:
    """The databases of the project around `start`, as `open_engine` finds it.

    Raises UsageError for a wrong setting or a path that is no folder.
    """
    root = _root_of(start)
    return _databases_of(root, load_settings(root, overrides))


def open_service(
    starts: Sequence[Path | str],
    audit: Audit | None = None,
    *,
    hides_places: bool = False,
    keeps_text: bool = False,
    timing: Timing | None = None,
    measures: Measures | None = None,
) -> Service:
    """What a server answers of the projects around these folders: of each the namespaces of its store, those of a shared database once.

    Raises UsageError for a wrong setting, a path that is no folder, a namespace that is in two stores; NoIndex for a project that is not indexed.
    """
    from clew.search.searcher import Searcher  # here, as of all that only a server needs
    from clew.serving.home import Home
    from clew.serving.service import Service
    from clew.serving.timing import timed_embedder, timed_store

    homes: dict[str, Home] = {}
    for root in dict.fromkeys(map(_root_of, starts)):
        settings = load_settings(root)
        shared = is_elsewhere(settings)
        folder = index_folder(root, settings)
        place = settings.store if shared else str(folder)
        if place not in homes:
            store = timed_store(open_store(folder, settings, within=root) if shared else _open_indexed(root, settings), timing)
            others = [one.load for one in fallbacks(settings, QuestionVectors(store.folder))]
            homes[place] = Home(store, Searcher(store, cache(timed_embedder(partial(embedder, settings), timing)), fallbacks=others))
        store = homes[place].store
        engine = None if shared else assemble(root, settings, store, mounts=False, timing=timing)
        homes[place].take_in(namespace_of(root, settings, store), engine, partial(_databases_of, root, settings))
    _refuse_doubles([home.store for home in homes.values()])
    return Service(tuple(homes.values()), audit, hides_places=hides_places, keeps_text=keeps_text, measures=measures)


def _refuse_doubles(stores: Sequence[Portable]) -> None:
    """Raise UsageError where two stores hold namespaces of one name: nobody could say which is meant."""
    seen: set[str] = set()
    for store in stores:
        names = set(store.namespaces())
        if double := sorted(names & seen):
            raise UsageError(f"two stores hold a namespace {double[0]}", "serve one of them, or index one under another name")
        seen |= names


def _timed(made: Callable[[], Embedder], timing: Timing | None) -> Callable[[], Embedder]:
    if timing is None:
        return made
    from clew.serving.timing import timed_embedder  # as above

    return timed_embedder(made, timing)


def _databases_of(root: Path, settings: Settings) -> Databases:
    from clew.assembly_databases import assemble_databases  # pydantic, which no search of code needs

    folder = index_folder(root, settings)
    return assemble_databases(
        root,
        settings,
        folder,
        cache(lambda: embedder(settings)),
        lambda place: open_folder(place, settings, within=root),
        lambda: language_model(root, settings),
        CodeBeside(root, settings, folder),
    )


def has_databases(root: Path) -> bool:
    """Whether databases are registered in the project at `root`."""
    return (index_folder(root, load_settings(root)) / DATABASES).exists()


def has_language_model(root: Path) -> bool:
    """Whether a language model is set up for the project at `root`; a setting that is wrong is told by the first question."""
    try:
        return bool(load_settings(root).llm)
    except UsageError:
        return False


def has_index(start: Path) -> bool:
    """Whether the project around `start` has an index."""
    root = project_root(start)
    settings = load_settings(root)
    return has_index_in(root, index_folder(root, settings), settings)


def assemble(
    root: Path, settings: Settings, store: Store, batch_files: int = BATCH_FILES, *, mounts: bool = True, timing: Timing | None = None
) -> Engine:
    """The engine of a project in a store that is open already; an index commits after each `batch_files`. Without `mounts` nothing else is asked;
    `timing` is told how long questions take to embed."""
    name = namespace_of(root, settings, store)
    project = Project(root, name, _visibility(settings, store.facts(name)), rules(settings))
    questions = QuestionVectors(store.folder)
    made = cache(_timed(lambda: asked_before(embedder(settings), questions), timing))
    language = cache(lambda: language_model(root, settings))
    beside = SchemasBeside(project, settings, store, made)
    others = fallbacks(settings, questions)
    mounted = elsewhere(root, settings, project.namespace, made, _open_indexed, [one.load for one in others]) if mounts else None
    summaries = SavedSummaries(index_folder(root, settings) / SUMMARIES)
    order = reranking(root, settings, language)
    return Engine(project, settings, store, made, batch_files, beside, language, mounted, summaries, others, order, questions.counted)


def open_mounts(start: Path) -> MountBook:
    """The mounts of the project around `start`. Raises UsageError for a path that is no folder or a damaged list."""
    root = _root_of(start)
    settings = load_settings(root)
    store = open_store(index_folder(root, settings), settings, within=root)
    try:
        own = namespace_of(root, settings, store)
    finally:
        store.close()
    return MountBook(root, settings, own, cache(lambda: embedder(settings)), _open_indexed)


def open_namespaces(start: Path) -> Namespaces:
    """The namespaces of the store of the project around `start`. Raises NoIndex where nothing is indexed."""
    from clew.namespaces import Namespaces  # what no search needs

    root = _root_of(start)
    settings = load_settings(root)
    store = _open_indexed(root, settings)
    set_by = settings.origins["visibility"]
    return Namespaces(store, this_user(settings), namespace_of(root, settings, store), set_by="" if set_by == "default" else set_by)


def _root_of(start: Path | str) -> Path:
    if not os.path.exists(start):  # noqa: PTH110 - false, where Path.exists raises, for a name that is too long
        raise UsageError(f"there is no folder {os.fspath(start)!r}", "give a project's folder, or one inside it")
    return project_root(Path(start))


def _open_indexed(root: Path, settings: Settings) -> Portable:
    """The store of another project. Raises NoIndex where nothing is indexed there: it is for its owner to do that."""
    folder = index_folder(root, settings)
    if not has_index_in(root, folder, settings):
        raise NoIndex(f"there is no index of {root}", f"make one: clew index {root}")
    return open_store(folder, settings, within=root)


class CodeBeside:
    """The indexed code of a project, opened by the first question about databases after there is any."""

    def __init__(self, root: Path, settings: Settings, folder: Path) -> None:
        self._root = root
        self._settings = settings
        self._folder = folder
        self._store: Store | None = None
        self._uses: Uses | None = None

    def opened(self) -> Uses | None:
        """What tells which code uses a table; None where no code is indexed."""
        if self._store is not None:
            self._store.renewed()
        elif is_begun(self._root, self._folder, self._settings):
            from clew.search.uses import Uses  # as below

            self._store = open_store(self._folder, self._settings, within=self._root)
            scope = Scope((namespace_of(self._root, self._settings, self._store),))
            self._uses = Uses(self._store, scope, self._root, rules(self._settings))
        return self._uses

    def close(self) -> None:
        """Give back files and locks."""
        if self._store is not None:
            self._store.close()


class SchemasBeside:
    """The indexed schemas of a project's databases, opened by the first question after there are any."""

    def __init__(self, project: Project, settings: Settings, code: Store, made: Callable[[], Embedder]) -> None:
        self._project = project
        self._settings = settings
        self._code = code
        self._made = made
        self._store: EmbeddedStore | None = None
        self._tables: Tables | None = None

    def opened(self) -> Tables | None:
        """What is known of the databases' tables; None where nothing is."""
        folder = self._code.folder / SCHEMA_CHUNKS
        if self._tables is None and (folder / "catalog.db").exists():
            from clew.search.tables import Tables  # rules of code that names tables, which most projects have no use for

            self._store = open_folder(folder, self._settings, within=self._project.root)
            scope = Scope((self._project.namespace,))
            self._tables = Tables(self._store, self._made, self._code, scope, self._project.root, self._project.rules)
        if self._store is not None:
            self._store.renewed()
        return self._tables

    def close(self) -> None:
        """Give back files and locks."""
        if self._store is not None:
            self._store.close()


def discard_index(start: Path | str = ".", overrides: Mapping[str, object] | None = None) -> Path:
    """Delete the index of the project around `start`, damaged or not, and return the project's root (without its index it may not be found again)."""
    root = project_root(Path(start))
    settings = load_settings(root, overrides)
    folder = index_folder(root, settings)
    if is_elsewhere(settings):
        forget_elsewhere(root, folder, settings)
    if folder.is_dir():
        try:
            discard(folder)
        except OSError as fault:
            raise IndexUnusable(
                f"the index at {folder} cannot be removed: {fault.strerror or fault}", "make its folder writable"
            ) from fault
    return root


def embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name, asked once for each text where that is costly."""
    return remembered(bare_embedder(settings))


def bare_embedder(settings: Settings) -> Embedder:
    """The same, asked each time."""
    return load_embedder(settings.embedder, settings.vector_dims or None, partial(access, settings))


def language_model(root: Path, settings: Settings) -> LanguageModel:
    """The language model that the settings name. Raises UsageError where they name none, MissingExtra, and Unreachable where its key is not set."""
    if not settings.llm:
        return no_language()
    if settings.llm_url and not is_trusted(root, settings, "llm_url", settings.llm_url):
        raise UsageError(
            f"{root / PROJECT_FILE} names a language model on another machine: that is for you to say",
            "set CLEW_LLM_URL to its `llm_url`, or put that into your own config.toml",
        )
    from clew.adapters.keyring import kept_secret  # as below
    from clew.adapters.language_models import load  # a second and more, when it is asked

    return load(settings.llm, settings.llm_url, language_model_key(root, settings), kept_secret, limit_of(settings, "llm_reply_tokens"))


def rules(settings: Settings) -> Rules:
    """Which files belong to a project, by its settings."""
    return Rules(include=settings.include, exclude=settings.exclude, max_file_bytes=settings.max_file_bytes)


def _visibility(settings: Settings, kept: Mapping[str, str]) -> Visibility:
    """As set; where nothing is set, as `clew namespace visibility` said."""
    said = settings.visibility if settings.origins.get("visibility", "default") != "default" else kept.get(SAID, "private")
    return next((one for one in VISIBILITIES if one == said), "private")
