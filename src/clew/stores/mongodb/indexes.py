"""Which indexes does the store need, and are they there? Made, awaited and brought to their present form."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from clew.errors import IndexUnusable
from clew.stores.mongodb.connection import NO_SEARCH
from clew.stores.mongodb.documents import FIELDS
from clew.stores.mongodb.sight import WORDS_INDEX, Names
from clew.stores.mongodb.state import PRIMARY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clew.core.catalog import Space
    from clew.stores.mongodb.connection import Connection

FILTERS = ("namespace_id", "visibility", "language", "symbol_type", "file_path")
"""What a question may restrict neighbours by."""
READY_S = 300.0
"""How long a search index is waited for: a million vectors take minutes."""
LOOK_S = 0.5
SPACES, FILES, OUTLINES = "spaces", "files", "outlines"

_ALIVE = ("born", "died")
_CATALOG: Mapping[str, tuple[tuple[str, ...], ...]] = {
    PRIMARY: (
        ("namespace_id", "file_path", *_ALIVE),
        ("namespace_id", "id", *_ALIVE),
        ("namespace_id", "bare", *_ALIVE),
        ("namespace_id", "spaces"),
        ("checksum",),
        ("namespace_id", "born"),
        ("namespace_id", "died"),
    ),
    FILES: (("namespace_id", "file_path", *_ALIVE), ("namespace_id", "born"), ("namespace_id", "died")),
    OUTLINES: (("namespace_id", "file_path", *_ALIVE), ("namespace_id", "born"), ("namespace_id", "died")),
}
_SIDE = (("namespace_id", "file_path", *_ALIVE), ("checksum",), ("namespace_id", "born"), ("namespace_id", "died"))
_SIZES = ((10_000, 16, 100), (100_000, 16, 200), (1_000_000, 24, 300))
"""Up to so many chunks: edges of a node, candidates when one is added (DESIGN section 4; both are the least that a server takes)."""
_LARGEST = (32, 400)


class Found(NamedTuple):
    """A search index as the server tells of it."""

    name: str
    collection: str
    status: str
    queryable: bool


def vector_index(names: Names, dims: int, chunks: int) -> dict[str, Any]:
    """The definition of the index of vectors, for about so many chunks."""
    edges, candidates = next(((m, ef) for most, m, ef in _SIZES if chunks <= most), _LARGEST)
    vector = {
        "type": "vector",
        "path": names.path,
        "numDimensions": dims,
        "similarity": "cosine",
        "hnswOptions": {"maxEdges": edges, "numEdgeCandidates": candidates},
    }
    return {"fields": [vector, *({"type": "filter", "path": path} for path in (*FILTERS, *_ALIVE))]}


def words_index() -> dict[str, Any]:
    """The definition of the index of words: they come split and stemmed, so blanks are all that an analyzer has to see."""
    word = {"type": "string", "analyzer": "lucene.whitespace", "searchAnalyzer": "lucene.whitespace"}
    tokens = {name: {"type": "token"} for name in FILTERS}
    numbers = {name: {"type": "number"} for name in _ALIVE}
    words = {"type": "document", "fields": {name: dict(word) for name in FIELDS}}
    return {"mappings": {"dynamic": False, "fields": {**tokens, **numbers, "id": {"type": "token"}, "words": words}}}


class Indexes:
    """The indexes of one database. What is there already is left alone, and asked for once in a process."""

    def __init__(self, connection: Connection, names: Names) -> None:
        self._connection = connection
        self._names = names
        self._made: set[str] = set()
        self.fault = ""

    def make_catalog(self) -> None:
        """The indexes of the catalog and of words, where they are not."""
        if PRIMARY in self._made:
            return
        with self._connection.faults():
            for collection, keys in _CATALOG.items():
                self._make(collection, keys)
            self._connection.database[SPACES].create_index("collection", unique=True, name="collection")
        self._search(PRIMARY, WORDS_INDEX, "search", words_index())
        self._made.add(PRIMARY)

    def make_vectors(self, collection: str, space: Space, chunks: int) -> None:
        """The index of a space's vectors, where it is not."""
        if (name := f"{collection} {space.fingerprint}") in self._made:
            return
        if collection != PRIMARY:
            with self._connection.faults():
                self._make(collection, _SIDE)
        self._search(collection, self._names.vectors, "vectorSearch", vector_index(self._names, space.dims, chunks))
        self._made.add(name)

    def migrate(self, collection: str, space: Space, chunks: int) -> bool:
        """Bring the search indexes of a space to their present form; returns whether any was changed."""
        wanted = [(self._names.vectors, vector_index(self._names, space.dims, chunks))]
        wanted += [(WORDS_INDEX, words_index())] if collection == PRIMARY else []
        changed = False
        with self._connection.faults():
            there = {
                found["name"]: found.get("latestDefinition", {}) for found in self._connection.database[collection].list_search_indexes()
            }
            for name, definition in wanted:
                if name in there and not _holds(there[name], definition):
                    self._connection.database[collection].update_search_index(name, definition)
                    changed = True
        return changed

    def all(self, collections: Iterable[str]) -> tuple[Found, ...]:
        """The search indexes of these collections."""
        with self._connection.faults():
            return tuple(
                Found(one["name"], collection, one.get("status", ""), bool(one.get("queryable")))
                for collection in collections
                for one in self._connection.database[collection].list_search_indexes()
            )

    def await_ready(self, collections: Iterable[str], within_s: float = READY_S, said: Callable[[str], None] = lambda _: None) -> None:
        """Return once every search index can be asked. Raises IndexUnusable for one that failed, or takes longer."""
        names, last, told = tuple(collections), time.monotonic() + within_s, ""
        while True:
            found = self.all(names)
            failed = [one for one in found if one.status == "FAILED"]
            waiting = [one for one in found if not one.queryable or one.status in ("PENDING", "BUILDING")]
            if failed:
                raise IndexUnusable(
                    f"the search index {failed[0].name} of {failed[0].collection} failed",
                    "look at it in Atlas, drop it, and run `clew store setup`",
                )
            if not waiting:
                return
            state = ", ".join(f"{one.name} of {one.collection} is {one.status or 'not ready'}" for one in waiting)
            if time.monotonic() > last:
                raise IndexUnusable(f"search indexes are not ready: {state}", "wait, then run `clew store setup` again")
            if state != told:
                said(state)
                told = state
            time.sleep(LOOK_S)

    def _make(self, collection: str, keys: Iterable[tuple[str, ...]]) -> None:
        from pymongo import IndexModel

        models = [IndexModel([(name, 1) for name in key], name=" ".join(key)) for key in keys]
        self._connection.database[collection].create_indexes(models)

    def _search(self, collection: str, name: str, kind: str, definition: dict[str, Any]) -> None:
        """Make a search index where it is not. A server without search keeps the catalog all the same, and says so when it is asked."""
        from pymongo.errors import OperationFailure
        from pymongo.operations import SearchIndexModel

        with self._connection.faults():
            home = self._connection.database[collection]
            try:
                if any(found["name"] == name for found in home.list_search_indexes()):
                    return
                if collection not in home.database.list_collection_names(filter={"name": collection}):
                    home.database.create_collection(collection)
                home.create_search_index(SearchIndexModel(definition, name=name, type=kind))
            except OperationFailure as fault:
                if fault.code not in NO_SEARCH:
                    raise
                self.fault = NO_SEARCH_HERE


NO_SEARCH_HERE = "this MongoDB has no search (mongot): only names are found; docs/mongodb.md says which servers have it"


def _holds(there: Any, wanted: Any) -> bool:
    """Whether a definition says all that is wanted; a server adds defaults of its own."""
    if isinstance(wanted, dict):
        return isinstance(there, dict) and all(name in there and _holds(there[name], value) for name, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(there, list) and all(any(_holds(one, value) for one in there) for value in wanted)
    return bool(there == wanted)


def without_search(fault: Exception) -> bool:
    """Whether a fault of the server's means that it has no search."""
    return getattr(fault, "code", None) in NO_SEARCH
