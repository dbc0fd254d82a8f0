"""In which collection do the vectors of a space live? The store's first space beside the chunks themselves, each other in one of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.core.catalog import Space
from clew.stores.mongodb.indexes import SPACES
from clew.stores.mongodb.state import PRIMARY

if TYPE_CHECKING:
    from clew.stores.mongodb.connection import Connection


class Homes:
    """The spaces of a database. A space keeps its collection for good, so what was found once is not asked again."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[str, str] = {}

    def of(self, fingerprint: str) -> str:
        """The collection of a space; empty for one that was never written."""
        if fingerprint not in self._known:
            self._read()
        return self._known.get(fingerprint, "")

    def made(self, space: Space) -> str:
        """The collection of a space, which gets one now if it has none. Two writers at once get the same."""
        from pymongo.errors import DuplicateKeyError

        for collection in (PRIMARY, f"{PRIMARY}__{space.fingerprint[:8]}"):
            if found := self.of(space.fingerprint):
                return found
            with self._connection.faults():
                try:
                    self._connection.database[SPACES].insert_one(
                        {"_id": space.fingerprint, "model": space.model, "dims": space.dims, "collection": collection}
                    )
                except DuplicateKeyError:
                    continue  # the name is taken by another space, or the space was written by somebody else just now
            self._known[space.fingerprint] = collection
        return self.of(space.fingerprint)

    def beside(self) -> tuple[str, ...]:
        """The collections of all spaces but the first."""
        self._read()
        return tuple(sorted(name for name in self._known.values() if name != PRIMARY))

    def all(self) -> list[tuple[Space, str]]:
        """Every space of the store with its collection."""
        with self._connection.faults():
            found = list(self._connection.database[SPACES].find({}).sort("collection", 1))
        return [(Space(one["_id"], one["model"], one["dims"]), one["collection"]) for one in found]

    def _read(self) -> None:
        with self._connection.faults():
            for found in self._connection.database[SPACES].find({}, {"collection": 1}):
                self._known[found["_id"]] = found["collection"]
