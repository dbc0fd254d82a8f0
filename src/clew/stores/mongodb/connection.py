"""How is MongoDB reached? A client made on first use, with faults that say what to do and hold no password."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from clew.core.schema.addresses import redacted
from clew.errors import ClewError, IndexUnusable, MissingExtra, Unreachable, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pymongo.database import Database

    from clew.stores.mongodb.address import Address

_FIND_MS = 5_000
"""How long a server may take to be found: a question is not to hang on one that is gone."""
_CONNECT_MS = 5_000
_ANSWER_MS = 20_000
"""How long one command may take: less than a writer's lease lasts, so that none is carried out after the lease was lost."""
_USUAL: dict[str, Any] = {
    "appname": "clew",
    "serverSelectionTimeoutMS": _FIND_MS,
    "connectTimeoutMS": _CONNECT_MS,
    "socketTimeoutMS": _ANSWER_MS,
}
_NOT_ALLOWED = (13, 18, 8000)
"""MongoDB's codes for: not authorized, authentication failed, and Atlas's own for either."""
NO_SEARCH = (59, 115, 31082, 40324)
"""MongoDB's codes for: no such command, not supported here, search is not set up, no such stage."""


class Connection:
    """One client of one database. Nothing of pymongo is imported, and no server asked, before it is used."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._client: Any = None

    @cached_property
    def database(self) -> Database[dict[str, Any]]:
        """The database; raises MissingExtra, and UsageError for options that pymongo does not know."""
        try:
            import pymongo
            from pymongo.write_concern import WriteConcern
        except ImportError as fault:
            raise MissingExtra("the store mongodb needs pymongo", "pip install 'clew[mongodb]'") from fault
        with self.faults():
            self._client = pymongo.MongoClient(self.address.uri, **_usual(self.address.uri))
            made: Database[dict[str, Any]] = self._client.get_database(self.address.database, write_concern=WriteConcern(w="majority"))
            return made

    @contextmanager
    def faults(self) -> Iterator[None]:
        """What pymongo raises inside becomes an error of clew's own, in words without secrets."""
        from pymongo import errors

        try:
            yield
        except errors.PyMongoError as fault:
            raise self._meant(fault, errors) from None

    def close(self) -> None:
        """Give back the sockets."""
        if self._client is not None:
            self._client.close()

    def _meant(self, fault: Exception, errors: Any) -> ClewError:
        where = self.address.shown
        said = redacted(str(fault).partition(", full error")[0], self.address.secrets)[:300]
        code = getattr(fault, "code", None)
        if isinstance(fault, errors.ConfigurationError | errors.InvalidURI):
            return UsageError(f"the store's address cannot be used: {said}", "see docs/mongodb.md for its form")
        if code in _NOT_ALLOWED:
            return Unreachable(f"{where} refuses: {said}", "check the user, the password and what the user may do")
        if isinstance(fault, errors.ConnectionFailure | errors.ExecutionTimeout):
            return Unreachable(f"{where} does not answer: {said}", "is the server running, and may this machine reach it?")
        return IndexUnusable(f"{where} cannot do it: {said}", "run `clew store setup`; docs/mongodb.md says what a server needs")


def _usual(uri: str) -> dict[str, Any]:
    """The options of ours that an address does not give itself."""
    given = {option.partition("=")[0].lower() for option in uri.partition("?")[2].split("&")}
    return {name: value for name, value in _USUAL.items() if name.lower() not in given}
