"""How are the parts of the databases' side put together? Beside `assembly`, which loads it only when databases are asked about."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from clew.adapters.databases import reflect
from clew.adapters.meanings import read_meanings
from clew.core.protocols import Embedder
from clew.core.schema.contracts import Snapshot
from clew.core.schema.meaning import Meanings
from clew.databases import Databases, Meant
from clew.index.schema_refresh import Refreshed, forget, refresh
from clew.index.schema_upkeep import SchemaUpkeep, looks
from clew.search.legs.schema_vectors import StoredSchemaVectors
from clew.settings import PROJECT_FILE, Settings, user_data_folder, variable
from clew.stores.datasources import FileRegistry
from clew.stores.embedded import EmbeddedStore
from clew.stores.embedded.discarding import discard
from clew.stores.schemas import SqliteSchemas

FOLDER = "databases"
SCHEMAS = "schemas.db"
CHUNKS = "chunks"
VAULT = "databases.json"
"""The user's file of secrets, for all projects."""


def assemble_databases(
    root: Path, settings: Settings, index_folder: Path, embedder: Callable[[], Embedder], open_store: Callable[[Path], EmbeddedStore]
) -> Databases:
    """The databases of a project, whose folder is beside its index."""
    folder = index_folder / FOLDER
    registry = FileRegistry(folder, user_data_folder() / VAULT)
    schemas = SqliteSchemas(folder / SCHEMAS, settings.schemas_kept)
    chunks = StoredChunks(folder / CHUNKS, open_store, embedder)
    meant = ProjectMeanings(root, settings)

    def refreshed(snapshot: Snapshot) -> Refreshed:
        return chunks.refresh(snapshot, meant().meanings, schemas.versions(snapshot.datasource))

    upkeep = SchemaUpkeep(root, registry, schemas, schemas, reflect, refreshed, variable)
    return Databases(root, settings, registry, schemas, upkeep, meant, chunks)


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
    """The chunks of schemas in a store of their own, opened when first needed."""

    def __init__(self, folder: Path, open_store: Callable[[Path], EmbeddedStore], embedder: Callable[[], Embedder]) -> None:
        self._folder = folder
        self._open_store = open_store
        self._embedder = embedder

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

    def forget(self, datasource: str) -> None:
        """Delete all of a datasource."""
        if self._folder.exists():
            forget(self._store, datasource)

    def discard(self) -> None:
        """Delete all of it, damaged or not."""
        self.close()
        if self._folder.exists():
            discard(self._folder)

    def close(self) -> None:
        """Give back files and locks."""
        self.__dict__.pop("_vectors", None)
        store = self.__dict__.pop("_store", None)
        if store is not None:
            store.close()
