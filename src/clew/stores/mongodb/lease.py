"""Who may write a namespace? One process at a time, by a lease that it renews while it lives and that others take over when it does not."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from clew.errors import ClewError, WriterBusy
from clew.stores.mongodb.state import HOLDERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.stores.mongodb.connection import Connection

NOW = {"$toLong": "$$NOW"}
"""The server's clock, in milliseconds since 1970."""
_RENEWALS = 4
"""How often it is renewed in that time."""


class Lease:
    """The right to write one namespace. Times are those of the server's clock; whether it still lasts is known without asking."""

    def __init__(self, connection: Connection, namespace: str, lasts_s: float) -> None:
        self.namespace = namespace
        self.token = secrets.token_hex(8)
        self._connection = connection
        self._lasts_s = lasts_s
        self._until = 0.0
        self._ended = Event()
        self._depth = 0

    def take(self) -> Mapping[str, Any]:
        """Take the lease, or once more; returns the namespace's document. Raises WriterBusy, naming who holds it."""
        if self._depth == 0:
            found = self._taken()
            self._ended.clear()
            Thread(target=self._keep, name=f"clew lease of {self.namespace}", daemon=True).start()
        else:
            self.check()
            found = self._document()
        self._depth += 1
        return found

    def give_back(self) -> None:
        """Undo one `take`; the last one frees the namespace, or leaves that to time where the server is gone."""
        self._depth -= 1
        if self._depth:
            return
        self._ended.set()
        with contextlib.suppress(ClewError), self._connection.faults():
            self._holders().update_one({"_id": self.namespace, "lease.token": self.token}, {"$unset": {"lease": ""}})
            self._holders().delete_one({"_id": self.namespace, "generation": {"$exists": False}, "lease": {"$exists": False}})

    @property
    def is_held(self) -> bool:
        """Whether it is taken and not given back."""
        return self._depth > 0

    def check(self) -> None:
        """Raise WriterBusy where the lease may have gone to somebody else."""
        if time.monotonic() >= self._until:
            raise WriterBusy(
                f"the right to write {self.namespace} was lost: the store did not answer for too long", "run the command again", ""
            )

    def _taken(self) -> Mapping[str, Any]:
        """Take the lease if nobody holds one that lasts; who ended on this machine holds none."""
        started = time.monotonic()
        ended = {"$lt": ["$lease.until", NOW]}  # so is one that is not there
        found = self._put({"$cond": [ended, self._new(), "$lease"]}, {}, upsert=True)
        held = found.get("lease") or {}
        if held.get("token") != self.token and _is_dead(held):
            found = self._put(self._new(), {"lease.token": held.get("token")}, upsert=False) or found
        if found["lease"]["token"] != self.token:
            owner = str(held.get("owner", "")) or "another process"
            raise WriterBusy(f"{owner} is writing {self.namespace}", "wait until it is done, then try again", owner)
        self._until = started + self._lasts_s
        return found

    def _put(self, lease: Mapping[str, Any], condition: Mapping[str, Any], *, upsert: bool) -> Mapping[str, Any]:
        from pymongo import ReturnDocument

        with self._connection.faults():
            found: Mapping[str, Any] | None = self._holders().find_one_and_update(
                {"_id": self.namespace, **condition}, [{"$set": {"lease": lease}}], upsert=upsert, return_document=ReturnDocument.AFTER
            )
        return found or {}

    def _new(self) -> dict[str, Any]:
        said = {"token": self.token, "owner": _name(), "pid": os.getpid(), "place": _place()}
        return {**{name: {"$literal": value} for name, value in said.items()}, "until": self._end()}

    def _keep(self) -> None:
        """Renew the lease until it is given back; where the server does not answer, again, as long as it lasts."""
        while not self._ended.wait(self._lasts_s / _RENEWALS):
            started = time.monotonic()
            with contextlib.suppress(ClewError), self._connection.faults():
                renewed = self._holders().update_one(
                    {"_id": self.namespace, "lease.token": self.token}, [{"$set": {"lease.until": self._end()}}]
                )
                if not renewed.matched_count:
                    self._until = 0.0
                    return
                self._until = started + self._lasts_s

    def _end(self) -> dict[str, Any]:
        return {"$add": [NOW, int(self._lasts_s * 1000)]}

    def _holders(self) -> Any:
        return self._connection.database[HOLDERS]

    def _document(self) -> Mapping[str, Any]:
        with self._connection.faults():
            return self._holders().find_one({"_id": self.namespace}) or {}


def _is_dead(held: Mapping[str, Any]) -> bool:
    """Whether a lease is that of a process that ended, as far as this machine can tell: one of its own."""
    if not held.get("place") or held["place"] != _place() or held.get("pid") == os.getpid():
        return False
    try:
        os.kill(int(held["pid"]), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError, OverflowError):
        return False
    return False


def _place() -> str:
    """Where a process's number means something: this machine since it was started, and what of it the process sees. Empty where the system does not tell."""
    try:
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text('ascii').strip()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _name() -> str:
    """This process, without what its command line may hold of secrets."""
    from clew.core.schema.addresses import masked_argument

    command = " ".join(masked_argument(word) for word in sys.argv)[:200]
    host = f" on {os.uname().nodename}" if hasattr(os, "uname") else ""
    return f"process {os.getpid()}{host} ({command})".encode("utf-8", "replace").decode()
