"""How are the parts of the databases' side put together? Beside `assembly`, which loads it only when databases are asked about."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from clew.adapters.databases import reflect
from clew.adapters.meanings import read_meanings
from clew.core.language import LanguageModel
from clew.core.protocols import Embedder
from clew.core.schema.contracts import Snapshot
from clew.core.schema.meaning import Meanings
from clew.databases import CodeBeside, Databases, Meant
from clew.errors import IndexUnusable
from clew.index.schema_chunks import with_keys
from clew.index.schema_enrichment import Enriched, enrich
from clew.index.schema_refresh import Refreshed, forget, refresh
from clew.index.schema_upkeep import SchemaUpkeep, looks
from clew.search.legs.schema_vectors import StoredSchemaVectors
from clew.search.schema.links import inferred
from clew.settings import PROJECT_FILE, Settings, user_data_folder, variable
from clew.stores.datasources import FileRegistry
from clew.stores.embedded import EmbeddedStore
from clew.stores.embedded.discarding import discard
from clew.stores.held_values import SqliteValues
from clew.stores.meanings import SavedMeanings
from clew.stores.schemas import SqliteSchemas

FOLDER = "databases"
SCHEMAS = "schemas.db"
CHUNKS = "chunks"
MEANINGS = "meanings.db"
VALUES = "values.db"
VAULT = "databases.json"
"""The user's file of secrets, for all projects."""


def assemble_databases(
    root: Path,
    settings: Settings,
    index_folder: Path,
    embedder: Callable[[], Embedder],
    open_store: Callable[[Path], EmbeddedStore],
    language_model: Callable[[], LanguageModel],
    code: CodeBeside,
) -> Databases:
    """The databases of a project, whose folder is beside its index."""
    folder = index_folder / FOLDER
    registry = FileRegistry(folder, user_data_folder() / VAULT)
    schemas = SqliteSchemas(folder / SCHEMAS, settings.schemas_kept)
    saved = SavedMeanings(folder / MEANINGS)
    chunks = StoredChunks(folder / CHUNKS, open_store, embedder, saved)
    values = SqliteValues(folder / VALUES)
    meant = ProjectMeanings(root, settings)
    described = Descriptions(saved, folder / MEANINGS)

    def refreshed(snapshot: Snapshot) -> Refreshed:
        linked = with_keys(snapshot, ((link.left, link.key) for link in inferred(snapshot)))
        return chunks.refresh(linked, described(snapshot, meant().meanings), schemas.versions(snapshot.datasource))

    def describe(snapshot: Snapshot) -> Enriched:
        return enrich(snapshot, language_model, saved)

    def meant_now() -> Meant:
        found = meant()
        return found._replace(warnings=(*found.warnings, *described.warnings))

    upkeep = SchemaUpkeep(root, registry, schemas, schemas, reflect, refreshed, variable, describe, values.keep)
    return Databases(root, settings, registry, schemas, upkeep, meant_now, described, chunks, code, values)


class Descriptions:
    """Meanings with what a language model said of a snapshot's tables; the same object while nothing of that changed."""

    def __init__(self, saved: SavedMeanings, path: Path) -> None:
        self._saved = saved
        self._path = path
        self._made: dict[str, tuple[tuple[object, ...], Meanings, Meanings]] = {}
        self.warnings: tuple[str, ...] = ()

    def __call__(self, snapshot: Snapshot, meanings: Meanings) -> Meanings:
        """The meanings, tables' among them; without those where their file is damaged: an answer does not hang on it."""
        if not self._path.exists():
            return meanings
        state = (snapshot.version, id(snapshot), looks(os.fspath(self._path)))
        known = self._made.get(snapshot.datasource)
        if known is None or known[0] != state or known[1] is not meanings:
            self.warnings = ()
            try:
                tables = self._saved.of(snapshot)
            except IndexUnusable as fault:
                self.warnings = (f"what a language model said of tables is missing: {fault.message} ({fault.hint})",)
                tables = ()
            known = (state, meanings, meanings.model_copy(update={"tables": tables}) if tables else meanings)
            self._made[snapshot.datasource] = known
        return known[2]


class ProjectMeanings:
    """Metrics and glossary of a project, read again when one of their files changes."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self._root = root
        self._settings = settings
        self._stamp = ""
        self._meant: Meant | None = None

    def __call__(self) -> Meant:
        """What the files say now."""
        named = (PROJECT_FILE, *self._settings.metrics, *self._settings.glossary)
        stamp = " ".join(looks(os.fspath(self._root / Path(name).expanduser())) for name in named)
        if self._meant is None or stamp != self._stamp:
            warnings: list[str] = []
            self._meant = Meant(read_meanings(self._root, self._settings, warnings.append), tuple(warnings))
            self._stamp = stamp
        return self._meant


class StoredChunks:
    """The chunks of schemas in a store of their own, opened when first needed; what was said of tables goes with them."""

    def __init__(
        self, folder: Path, open_store: Callable[[Path], EmbeddedStore], embedder: Callable[[], Embedder], saved: SavedMeanings
    ) -> None:
        self._folder = folder
        self._open_store = open_store
        self._embedder = embedder
        self._saved = saved

    @cached_property
    def _store(self) -> EmbeddedStore:
        return self._open_store(self._folder)

    @cached_property
    def _vectors(self) -> StoredSchemaVectors:
        return StoredSchemaVectors(self._store, self._embedder)

    def refresh(self, snapshot: Snapshot, meanings: Meanings, kept: Sequence[str]) -> Refreshed:
        """Bring the chunks of a datasource to a snapshot; versions that are kept keep theirs."""
        return refresh(snapshot, meanings, self._store, self._embedder(), keep=kept)

    def vectors(self) -> StoredSchemaVectors | None:
        """The vector leg; None where nothing is embedded yet."""
        return self._vectors if self._folder.exists() else None

    def outdated(self, versions: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """The datasources whose vectors are of another version."""
        return self._vectors.outdated(versions)

    def forget(self, datasource: str) -> None:
        """Delete all of a datasource."""
        self._saved.forget(datasource)
        if self._folder.exists():
            forget(self._store, datasource)

    def discard(self) -> None:
        """Delete all of it, damaged or not; of what was said of tables only what is damaged."""
        self.close()
        self._saved.discard_if_damaged()
        if self._folder.exists():
            discard(self._folder)

    def close(self) -> None:
        """Give back files and locks."""
        self.__dict__.pop("_vectors", None)
        store = self.__dict__.pop("_store", None)
        if store is not None:
            store.close()
