"""Where are tokens kept? In one file of the user's, readable to nobody else, as digests: what was taken back counts from the next look on."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from clew.core.access import PERMISSIONS, ROLES
from clew.core.credentials import PREFIX, Credential
from clew.errors import UsageError
from clew.settings import user_config_folder

NAME = "tokens.json"
SECRET_BYTES = 32
"""256 random bits: nobody guesses them, so that a plain digest keeps them as safe as a slow one."""
_ID_BYTES = 6
_NOBODY = hashlib.sha256(b"").hexdigest()


class TokenFile:
    """The tokens of one file. Several threads may ask; several processes may change it, one after the other."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._known: dict[str, Credential] = {}

    def all(self) -> tuple[Credential, ...]:
        """Every token that is kept, in the order in which they were made. Raises UsageError for a file that cannot be read or that others can read."""
        return tuple(self._now().values())

    def create(self, credential: Credential) -> tuple[Credential, str]:
        """Keep a new token, made from these wishes; returns what is kept, and the token itself, which is not seen again."""
        secret, made = secrets.token_urlsafe(SECRET_BYTES), secrets.token_hex(_ID_BYTES)
        kept = replace(credential, id=made, digest=_digest(secret), created=int(time.time()))
        with self._changing() as known:
            known[made] = kept
        return kept, f"{PREFIX}_{made}_{secret}"

    def revoke(self, named: str) -> tuple[Credential, ...]:
        """Forget the token of this id, or all of this name; returns them."""
        with self._changing() as known:
            gone = tuple(one for one in known.values() if named in (one.id, one.name))
            for one in gone:
                del known[one.id]
        return gone

    def bearer(self, token: str, now: float | None = None) -> Credential | None:
        """Whose token this is; None for one that is not kept, or whose time is over. Takes as long for every wrong secret."""
        kind, _, rest = token.partition("_")
        made, _, secret = rest.partition("_")
        kept = self._now().get(made) if kind == PREFIX else None
        fits = hmac.compare_digest(_digest(secret), kept.digest if kept is not None else _NOBODY)
        return kept if kept is not None and fits and not kept.is_expired(time.time() if now is None else now) else None

    def _now(self) -> Mapping[str, Credential]:
        """What the file holds, read again where it is not the one that was read."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            self._seen, self._known = None, {}
            return self._known
        except OSError as fault:
            raise self._unreadable(fault.strerror or str(fault)) from fault
        seen = (found.st_ino, found.st_mtime_ns, found.st_size)
        if seen != self._seen:
            self._known = self._read(found.st_mode)
            self._seen = seen
        return self._known

    def _read(self, mode: int) -> dict[str, Credential]:
        if os.name != "nt" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise UsageError(f"{self._path} can be read by others", f"chmod 600 {self._path}")
        try:
            kept = json.loads(self._path.read_text("utf-8"))
            return {one.id: one for one in map(_credential, kept["tokens"])}
        except OSError as fault:
            raise self._unreadable(fault.strerror or str(fault)) from fault
        except (ValueError, KeyError, TypeError, RecursionError) as fault:
            raise UsageError(f"{self._path} is damaged", "remove it, and make new tokens: clew token create NAME") from fault

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Credential]]:
        """The tokens, which are kept as they are when the block ends: the file is replaced in one step, by one process at a time."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(self._path.with_name(f".{self._path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as fault:
            raise UsageError(f"{self._path} cannot be written: {fault.strerror or fault}", "name another file with --tokens") from fault
        try:
            _hold(lock)
            known = dict(self._now())
            yield known
            self._write(known)
        finally:
            os.close(lock)

    def _write(self, known: Mapping[str, Credential]) -> None:
        beside = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            beside.unlink(missing_ok=True)
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as written:
                written.write(json.dumps({"tokens": [asdict(one) for one in known.values()]}, indent=1) + "\n")
            beside.replace(self._path)
        except OSError as fault:
            raise UsageError(f"{self._path} cannot be written: {fault.strerror or fault}", "name another file with --tokens") from fault

    def _unreadable(self, why: str) -> UsageError:
        return UsageError(f"{self._path} cannot be read: {why}", "make it readable to you, or name another file with --tokens")


def _hold(lock: int) -> None:
    if os.name == "nt":
        return  # replacing the file is one step there too; two at the same moment may lose one
    import fcntl

    fcntl.flock(lock, fcntl.LOCK_EX)


def _credential(kept: Mapping[str, Any]) -> Credential:
    """A token as it was written. Raises ValueError for what no token of ours says: it must not be good for more than it was made for."""
    if kept["role"] not in ROLES or not isinstance(kept["digest"], str) or not set(kept["permissions"] or ()) <= set(PERMISSIONS):
        raise ValueError(kept["role"])
    several = {name: None if kept[name] is None else tuple(kept[name]) for name in ("namespaces", "permissions")}
    return Credential(**{**kept, **several, "teams": tuple(kept["teams"])})


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def opened(path: Path | None) -> TokenFile:
    """The tokens of a file, or of the user."""
    return TokenFile(path or user_config_folder() / NAME)
