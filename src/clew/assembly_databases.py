"""How are the parts of the databases' side put together? Beside `assembly`, which loads it only when databases are asked about."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from clew.adapters.databases import reflect
from clew.core.protocols import Embedder
from clew.core.schema.contracts import Snapshot
from clew.core.schema.meaning import Meanings
from clew.databases import Databases
from clew.index.schema_refresh import Refreshed, forget, refresh
from clew.index.schema_upkeep import SchemaUpkeep
from clew.search.legs.schema_vectors import StoredSchemaVectors
from clew.settings import Settings, user_data_folder, variable
from clew.stores.datasources import FileRegistry
from clew.stores.embedded import EmbeddedStore
from clew.stores.embedded.discarding import discard
from clew.stores.schemas import SqliteSchemas

FOLDER = "databases"
SCHEMAS = "schemas.db"
CHUNKS = "chunks"
VAULT = "databases.json"
"""The user's file of secrets, for all projects."""


def assemble_databases(root: Path, settings: Settings, index_folder: Path, embedder: Callable[[], Embedder]) -> Databases:
    """The databases of a project, whose folder is beside its index."""
    folder = index_folder / FOLDER
    registry = FileRegistry(folder, user_data_folder() / VAULT)
    schemas = SqliteSchemas(folder / SCHEMAS, settings.schemas_kept)
    chunks = StoredChunks(folder / CHUNKS, root, embedder)

    def meanings(_: str) -> Meanings:
        return Meanings()

    def refreshed(snapshot: Snapshot) -> Refreshed:
        return chunks.refresh(snapshot, meanings(snapshot.datasource), schemas.versions(snapshot.datasource))

    upkeep = SchemaUpkeep(root, registry, schemas, schemas, reflect, refreshed, variable)
    return Databases(root, settings, registry, schemas, upkeep, meanings, chunks)


class StoredChunks:
    """The chunks of schemas in a store of their own, opened when first needed."""

    def __init__(self, folder: Path, root: Path, embedder: Callable[[], Embedder]) -> None:
        self._folder = folder
        self._root = root
        self._embedder = embedder

    @cached_property
    def _store(self) -> EmbeddedStore:
        return EmbeddedStore.open(self._folder, read_only=not os.access(self._folder.parent, os.W_OK), within=self._root)

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
