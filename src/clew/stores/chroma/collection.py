"""How are chunks kept in a collection of Chroma? By key, their text as the document, what a hit shows as metadata."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from clew.core.catalog import Vector, Vectors
    from clew.core.query import Scope
    from clew.stores.vector_homes import Rows

_READ = 1_000
"""Rows read at a time: SQLite, on which Chroma stands, takes some ten thousand values in one statement, and each row has twenty."""
_METADATA = (
    "namespace", "id", "filepath", "symbol_name", "symbol_type", "language", "line_start", "line_end", "signature", "parent",
    "docstring", "visibility", "checksum", "indexed_at", "model",
)  # fmt: skip
_LISTS = ("imports", "calls")
_FORM, _ROWS = "clew_form", "clew_rows"
_THIS_FORM = "1"
"""Counted up when the same chunks would be kept otherwise."""
_SPACE = "ip"
"""Vectors are of length 1, or 0 for a text without a known word: their product is their cosine, and they are kept to the bit, which Chroma's own
`cosine` does not do."""
_SEARCH_EF, _BUILD_EF, _NEIGHBOURS = 100, 100, 16
"""HNSW, whose proposals are scored again: building with 200 takes a third longer (20,000 random vectors of 256: 34 CPU s, 25 with 100)."""


class ChromaTable:
    """One collection. Chroma knows a key that is added twice by its first value alone, so everything is an upsert; no batch is larger than it takes."""

    def __init__(self, connected: Callable[[], AbstractContextManager[Any]], name: str, dims: int) -> None:
        self._connected = connected
        self._name = name
        self._dims = dims

    def is_whole(self) -> bool:
        """Whether it is there, in this form, with as many rows as were fed last."""
        with self._connected() as client:
            collection = self._existing(client)
            noted = (collection.metadata or {}) if collection is not None else {}
            return bool(collection is not None and noted.get(_FORM) == _THIS_FORM and noted.get(_ROWS) == collection.count())

    def rewrite(self, rows: Iterable[Rows], *, index_above: int) -> None:
        """Make the collection anew. It always has an index: `index_above` means nothing to it."""
        with self._connected() as client:
            if self._existing(client) is not None:
                client.delete_collection(self._name)
            hnsw = {"space": _SPACE, "ef_construction": _BUILD_EF, "ef_search": _SEARCH_EF, "max_neighbors": _NEIGHBOURS}
            collection = client.create_collection(
                self._name, configuration={"hnsw": hnsw}, metadata={_FORM: _THIS_FORM}, embedding_function=None
            )
            self._write(collection, rows, _most(client))

    def update(self, deleted: Sequence[tuple[str, str]], rows: Iterator[Rows], *, index_above: int) -> None:
        """Delete rows by key, then insert or replace rows by key."""
        with self._connected() as client:
            collection, most = self._opened(client), _most(client)
            collection.modify(metadata={_FORM: _THIS_FORM})  # until it is written to the end it is not whole
            names = [_name(*key) for key in deleted]
            for start in range(0, len(names), most):
                collection.delete(ids=names[start : start + most])
            self._write(collection, rows, most)

    def vectors(self) -> Iterator[tuple[list[str], Vectors]]:
        """All checksums and vectors, some at a time."""
        import numpy as np

        with self._connected() as client:
            collection = self._opened(client)
            for start in range(0, collection.count(), _READ):
                found = collection.get(limit=_READ, offset=start, include=["embeddings", "metadatas"])
                matrix = np.asarray(found["embeddings"], np.float32).reshape(-1, self._dims)
                yield [str(one["checksum"]) for one in found["metadatas"]], matrix

    def opened(self) -> OpenedCollection:
        """The collection, for searching until it is closed."""
        with ExitStack() as stack:
            collection = self._opened(stack.enter_context(self._connected()))
            return OpenedCollection(collection, stack.pop_all().close)

    def _write(self, collection: Any, rows: Iterable[Rows], most: int) -> None:
        for columns, vectors in rows:
            for start in range(0, len(vectors), most):
                part = {name: values[start : start + most] for name, values in columns.items()}
                collection.upsert(
                    ids=[_name(*key) for key in zip(part["namespace"], part["id"], strict=True)],
                    embeddings=vectors[start : start + most],
                    documents=list(part["text"]),
                    metadatas=_metadata(part),
                )
        collection.modify(metadata={_FORM: _THIS_FORM, _ROWS: collection.count()})

    def _opened(self, client: Any) -> Any:
        return client.get_collection(self._name, embedding_function=None)

    def _existing(self, client: Any) -> Any:
        from chromadb.errors import NotFoundError

        with suppress(NotFoundError):
            return self._opened(client)
        return None


class OpenedCollection:
    """A collection that is searched. Its index finds about the nearest; the store scores them again."""

    def __init__(self, collection: Any, close: Callable[[], None]) -> None:
        self._collection = collection
        self.close = close

    def propose(self, vector: Vector, scope: Scope | None, limit: int) -> list[tuple[str, str]]:
        """The keys of about the nearest rows in scope (None: of all)."""
        where: dict[str, Any] | None = None
        if scope is not None:
            if not scope.namespaces or not scope.visibilities:
                return []
            seen = ({"namespace": {"$in": list(scope.namespaces)}}, {"visibility": {"$in": list(scope.visibilities)}})
            where = {"$and": list(seen)}
        wanted = min(limit, self._collection.count())
        if not wanted:
            return []
        found = self._collection.query(query_embeddings=[vector], n_results=wanted, where=where, include=["metadatas"])
        return [(str(one["namespace"]), str(one["id"])) for one in found["metadatas"][0]]


def _most(client: Any) -> int:
    """Rows that Chroma takes at once."""
    return max(1, int(client.get_max_batch_size()))


def _name(namespace: str, key: str) -> str:
    return f"{namespace}/{key}"


def _metadata(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """A row's metadata; an empty list is left out, which Chroma does not take."""
    rows = [dict(zip(_METADATA, values, strict=True)) for values in zip(*(columns[name] for name in _METADATA), strict=True)]
    for name in _LISTS:
        for row, values in zip(rows, columns[name], strict=True):
            if values:
                row[name] = list(values)
    return rows
