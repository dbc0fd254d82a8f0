"""How do chunks live in LanceDB? The table `chunks` (and one for each further space), fed in batches, by key."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

from clew.stores.embedded.discarding import remove
from clew.stores.embedded.embeddings import PRIMARY_TABLE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from clew.core.catalog import Vector, Vectors
    from clew.core.query import Scope
    from clew.stores.vector_homes import Rows

_BATCH_ROWS = 4_096
"""Rows read at a time: 5 MB of vectors."""

_KEYS_A_DELETE = 1_000
"""Keys in one predicate: its parsing is quadratic far beyond this."""

_REFINE = 10
"""Candidates scored again with their full vectors, per hit: recall at 10 is .47 without, .998 with (100,000 chunks)."""

_PROBES = 20
"""Partitions searched, as LanceDB does by default."""

KEY = ("namespace", "id")
"""What identifies a row, as everywhere (decision 0001)."""

FAULTS = (OSError, RuntimeError, ValueError, KeyError)
"""What LanceDB and Arrow raise for files that are missing or damaged."""


def schema(dims: int) -> pa.Schema:
    """The columns of a table, in order."""
    import pyarrow as pa

    text, number, names = pa.string(), pa.int32(), pa.list_(pa.string())
    types: dict[str, pa.DataType] = {
        "id": text, "vector": pa.list_(pa.float32(), dims), "text": text, "filepath": text, "symbol_name": text, "symbol_type": text,
        "language": text, "line_start": number, "line_end": number, "signature": text, "parent": text, "docstring": text,
        "namespace": text, "visibility": text, "checksum": text, "imports": names, "calls": names, "indexed_at": pa.int64(), "model": text,
    }  # fmt: skip
    return pa.schema([_key_field(name) if name in KEY else pa.field(name, kind) for name, kind in types.items()])


def _key_field(name: str) -> pa.Field:
    """Declared as part of the primary key, or two processes that merge at once would insert a row twice."""
    import pyarrow as pa

    declared = "lance-schema:unenforced-primary-key"
    return pa.field(name, pa.string(), nullable=False, metadata={declared: "true", f"{declared}:position": str(KEY.index(name) + 1)})


def batch(columns: Mapping[str, Sequence[Any]], vectors: Vectors) -> pa.RecordBatch:
    """Rows as Arrow wants them; `columns` has every column but `vector`."""
    import pyarrow as pa

    wanted = schema(vectors.shape[1])
    flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1])
    arrays = [flat if field.name == "vector" else pa.array(columns[field.name], field.type) for field in wanted]
    return pa.RecordBatch.from_arrays(arrays, schema=wanted)


def listing(folder: Path, name: str) -> str:
    """What files the table consists of, with sizes and times: changes whenever one is lost, cut, added or written to. Reads no LanceDB."""
    found: list[str] = []
    pending = [str(folder / f"{name}.lance")]
    root = len(pending[0])
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        seen = entry.stat()
                        found.append(f"{entry.path[root:]}:{seen.st_size}:{seen.st_mtime_ns}")
        except OSError:
            return ""
    return "\n".join(sorted(found))


def same_files(one: str, other: str) -> bool:
    """Whether two listings name the same files of the same sizes; the times differ where a project was copied."""
    return _without_times(one) == _without_times(other)


def _without_times(listed: str) -> list[str]:
    return [line.rpartition(":")[0] for line in listed.split("\n")]


class LanceHome:
    """The tables of a store's folder, each a folder of its own."""

    faults = FAULTS
    repair = "free some disk space, then run `clew index`"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def table(self, name: str, dims: int) -> Table:
        """The table of that name."""
        return Table(self._folder, name, dims)

    def listing(self, name: str) -> str:
        """Its files."""
        return listing(self._folder, name)

    def is_there(self, name: str, recorded: str) -> bool:
        """Whether it has the files that were recorded."""
        return same_files(listing(self._folder, name), recorded)

    def drop(self, name: str) -> None:
        """Delete its folder."""
        shutil.rmtree(self._folder / f"{name}.lance", ignore_errors=True)

    def drop_others(self, known: Collection[str]) -> None:
        """Delete the folders of other tables."""
        drop_folders(self._folder, known)


def drop_folders(folder: Path, known: Collection[str]) -> None:
    """Delete the tables in a folder that have other names than these."""
    kept = {f"{name}.lance" for name in known}
    for path in folder.glob(f"{PRIMARY_TABLE}*.lance"):
        if path.name not in kept:
            remove(path)


class Table:
    """One table of a store's folder. Opening imports lancedb (2.3 CPU seconds)."""

    def __init__(self, folder: Path, name: str, dims: int) -> None:
        import lancedb

        self._database = lancedb.connect(folder)
        self._folder = folder / f"{name}.lance"
        self._name = name
        self._dims = dims

    def is_whole(self) -> bool:
        """A listing of its files tells that."""
        return True

    def rewrite(self, rows: Iterable[Rows], *, index_above: int) -> None:
        """Make the whole table anew; every row is elsewhere too when this is called."""
        import pyarrow as pa

        if not self._folder.is_dir():
            remove(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)
        reader = pa.RecordBatchReader.from_batches(schema(self._dims), (batch(*some) for some in rows))
        mode = "overwrite" if self._folder.exists() else "create"
        table = self._database.create_table(self._name, data=reader, mode=mode)
        self._tidy(table, index_above, renew=True)

    def update(self, deleted: Sequence[tuple[str, str]], rows: Iterator[Rows], *, index_above: int) -> None:
        """Delete rows by key, then insert or replace rows by key."""
        table = self._database.open_table(self._name)
        for predicate in _predicates(deleted):
            table.delete(predicate)
        for some in rows:
            table.merge_insert(list(KEY)).when_matched_update_all().when_not_matched_insert_all().execute(batch(*some))
        self._tidy(table, index_above, renew=False)

    def vectors(self) -> Iterator[tuple[list[str], Vectors]]:
        """All checksums and vectors, batch by batch."""
        table = self._database.open_table(self._name)
        found = table.search().select(["checksum", "vector"]).to_batches(_BATCH_ROWS)
        for rows in found:
            flat = rows.column("vector").flatten().to_numpy(zero_copy_only=False)
            yield rows.column("checksum").to_pylist(), flat.reshape(-1, self._dims)

    def opened(self) -> OpenedTable:
        """The table as it is now, for searching."""
        return OpenedTable(self._database.open_table(self._name))

    def _tidy(self, table: Any, index_above: int, *, renew: bool) -> None:
        """Indexes, compaction, and no old versions: none is ever read again."""
        from datetime import timedelta

        from lancedb.index import BTree, IvfRq

        rows = table.count_rows()
        if renew and rows:
            table.create_index("filepath", config=BTree(), replace=True)
        if rows > index_above and (renew or "vector_idx" not in {index.name for index in table.list_indices()}):
            table.create_index("vector", config=IvfRq(distance_type="cosine"), replace=True, name="vector_idx")
        table.optimize(cleanup_older_than=timedelta(milliseconds=1))  # a search that still reads an old version compares everything instead


class OpenedTable:
    """One version of a table. Searching fails with one of FAULTS once that version was tidied away."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def propose(self, vector: Vector, scope: Scope | None, limit: int) -> list[tuple[str, str]]:
        """The keys of about the nearest rows in scope (None: of all), by the approximate index where there is one."""
        query: Any = self._table.search(vector, vector_column_name="vector").distance_type("cosine")
        query = query.nprobes(_PROBES).refine_factor(_REFINE).limit(limit)
        if scope is not None:
            where = f"namespace IN ({_literals(scope.namespaces)}) AND visibility IN ({_literals(scope.visibilities)})"
            query = query.where(where, prefilter=True)
        found = query.select(["namespace", "id", "_distance"]).to_arrow()
        return list(zip(found["namespace"].to_pylist(), found["id"].to_pylist(), strict=True))

    def close(self) -> None:
        """Nothing is held that would not go by itself."""


def _predicates(keys: Sequence[tuple[str, str]]) -> Iterator[str]:
    by_namespace: dict[str, list[str]] = {}
    for namespace, name in keys:
        by_namespace.setdefault(namespace, []).append(name)
    for namespace, names in by_namespace.items():
        for start in range(0, len(names), _KEYS_A_DELETE):
            yield f"namespace = {_literal(namespace)} AND id IN ({_literals(names[start : start + _KEYS_A_DELETE])})"


def _literals(texts: Iterable[str]) -> str:
    """A list of the predicate language, of which an empty one is not part."""
    return ", ".join(map(_literal, texts)) or "''"


def _literal(text: str) -> str:
    """A string of the predicate language: only the quote has a meaning in it."""
    return "'" + text.replace("'", "''") + "'"
