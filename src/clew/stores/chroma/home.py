"""How do the vectors of a catalog live in Chroma? A collection for each space, fed by key, in a folder or on a server that others use too."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.errors import MissingExtra, Unreachable
from clew.stores.chroma.address import Server, place
from clew.stores.chroma.collection import ChromaTable
from clew.stores.embedded.table import drop_folders

if TYPE_CHECKING:
    from collections.abc import Callable

_DATABASE = "chroma.sqlite3"
"""The file by which a folder of Chroma's is known."""
_OWNER = "chunks.owner"
"""The file that tells an index apart from others that share a server: a random name, made once."""
_ANSWER_S = 5.0
"""How long a server may take to say that it is there."""
_REQUEST_S = 60.0
"""How long one request to it may take: a batch of thousands of vectors needs a few seconds."""


def chroma_home(address: str) -> Callable[[Path], ChromaHome]:
    """Makes the home of an index's folder: in Chroma at a path or a server's address, in the folder itself where that is empty."""
    return lambda folder: ChromaHome(folder, address)


class ChromaHome:
    """The collections of one index. Nothing of Chroma is imported, and no server asked, before a table is written or read."""

    repair = "make Chroma reachable (is its server running? its folder writable?), then run `clew index`"

    def __init__(self, folder: Path, address: str = "") -> None:
        self._folder = folder
        self._place = place(address, folder)

    @property
    def faults(self) -> tuple[type[Exception], ...]:
        """What Chroma and the way to it raise."""
        known: tuple[type[Exception], ...] = (OSError, RuntimeError, ValueError, KeyError, Unreachable)
        with suppress(ImportError):
            import httpx
            from chromadb.errors import ChromaError

            known = (*known, ChromaError, httpx.HTTPError)
        return known

    def table(self, name: str, dims: int) -> ChromaTable:
        """The collection of a space."""
        return ChromaTable(self.connected, self._collection(name), dims)

    def listing(self, name: str) -> str:
        """Whose collection it is and where; empty where its folder is gone. A server is not asked: a search must not wait for one."""
        if isinstance(self._place, Server):
            return f"{self._place.shown} {self._collection(name)}"
        if not (self._place / _DATABASE).is_file():
            return ""
        return f"{'' if self._is_inside else self._place.absolute()} {self._collection(name)}"

    def is_there(self, name: str, recorded: str) -> bool:
        """Whether it is where it was; a project that was moved has a collection of another name."""
        return not recorded or self.listing(name) == recorded

    def drop(self, name: str) -> None:
        """Delete the collection."""
        if isinstance(self._place, Path) and not self.listing(name):
            return
        with suppress(*self.faults), self.connected() as client:
            client.delete_collection(self._collection(name))

    def drop_others(self, known: Collection[str]) -> None:
        """Delete this index's other collections, and the tables of LanceDB that it had before."""
        drop_folders(self._folder, ())
        if not self.listing(""):
            return
        kept, ours = {self._collection(name) for name in known}, self._collection("")
        with suppress(*self.faults), self.connected() as client:
            for collection in client.list_collections():
                if collection.name.startswith(ours) and collection.name not in kept:
                    client.delete_collection(collection.name)

    def _collection(self, name: str) -> str:
        """`clew-<index>-<table>`. Of an index whose Chroma lies elsewhere its own place is part of the name: a copy of a project, which has the same
        owner's file, feeds collections of its own."""
        where = "" if self._is_inside else self._folder.absolute()
        digest = hashlib.sha256(f"{self._owner}\0{where}".encode("utf-8", "surrogateescape")).hexdigest()
        return f"clew-{digest[:16]}-{name}"

    @cached_property
    def _is_inside(self) -> bool:
        """Whether Chroma's folder goes where the index goes."""
        return isinstance(self._place, Path) and self._place.absolute().is_relative_to(self._folder.absolute())

    @cached_property
    def _owner(self) -> str:
        path = self._folder / _OWNER
        with suppress(OSError):
            with suppress(FileExistsError), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w") as file:
                file.write(secrets.token_hex(8))
            return path.read_text("ascii")
        return ""

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """A client, closed after use: one that stays open in a folder does not see what another process writes there, and fails over it."""
        client = self._client()
        try:
            yield client
        finally:
            close = getattr(client, "close", None)  # older clients have none
            if close is not None:
                close()

    def _client(self) -> Any:
        """Without telemetry, without a look at `.env` files, without waiting for ever."""
        try:
            import chromadb
            from chromadb.config import Settings
        except ImportError as fault:
            raise MissingExtra("vectors in Chroma need its client", "pip install 'clew[chroma]'") from fault
        options: dict[str, Any] = {"_env_file": None, "anonymized_telemetry": False}
        quiet = Settings(**options)
        if isinstance(self._place, Path):
            self._place.mkdir(parents=True, exist_ok=True)
            return chromadb.PersistentClient(self._place, settings=quiet)
        server = self._place
        _knock(server)
        client = chromadb.HttpClient(server.host, server.port, server.is_encrypted, server.headers, quiet)
        session = getattr(getattr(client, "_server", None), "_session", None)
        if session is not None:  # it would wait for ever, and there is no setting for that
            session.timeout = _REQUEST_S
        return client


def _knock(server: Server) -> None:
    """Raise Unreachable where no Chroma answers in time."""
    import httpx

    try:
        with httpx.Client(timeout=_ANSWER_S, headers=server.headers) as session:
            session.get(f"{server.shown}/api/v2/heartbeat").raise_for_status()
    except (httpx.HTTPError, OSError, ValueError) as fault:
        raise Unreachable(f"no Chroma answers at {server.shown}: {type(fault).__name__}", "start it, or set another `store`") from fault
