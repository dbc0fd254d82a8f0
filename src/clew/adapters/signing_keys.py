"""By which keys are tokens of another maker checked? The JWKS that the settings name, a file or an address, read again when it changes."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from clew.errors import MissingExtra, Unreachable, UsageError
from clew.settings import is_on_this_machine

FRESH_S = 300.0
"""Keys that were fetched are used so long without another look: makers announce a new key days before they sign with it."""
AGAIN_S = 30.0
"""A key that is not known is looked for at most so often: anybody can name one."""
KEPT_S = 86_400.0
"""Keys are good so long when their maker cannot be reached."""
ANSWER_S = 5.0
MOST_BYTES = 1_000_000

Keys = Mapping[str, Mapping[str, Any]]


class SigningKeys:
    """The keys of one maker, by their names. Safe to use from several threads, one of which fetches."""

    def __init__(self, place: str, base: Path, now: Callable[[], float] = time.monotonic) -> None:
        self._url = place if "://" in place else ""
        self._file = base / Path(place).expanduser()
        if self._url and not (self._url.startswith("https://") or (self._url.startswith("http://") and is_on_this_machine(self._url))):
            raise UsageError(f"keys cannot be fetched from {place[:200]}", "give an https address, or a file")
        self._now = now
        self._turn = threading.Lock()
        self._keys: Keys = {}
        self._read = self._tried = float("-inf")
        self._stamp: tuple[int, int, int] | None = None

    def named(self, name: str) -> Mapping[str, Any] | None:
        """The key of this name. Raises Unreachable where none is known because none can be had, UsageError for a file that is none."""
        with self._turn:
            self._renew(is_missed=name not in self._keys)
            return self._keys.get(name)

    def refuse_unreadable(self) -> None:
        """Raise Unreachable or UsageError where no keys can be had now."""
        with self._turn:
            self._renew(is_missed=True)
            if not self._keys:
                raise UsageError(f"{self._url or self._file} holds no key", "it must be a JSON Web Key Set with named public keys")

    def _renew(self, *, is_missed: bool) -> None:
        if not self._url:
            self._read_file()
            return
        now = self._now()
        is_due = now - self._read >= FRESH_S or is_missed
        if not is_due or now - self._tried < AGAIN_S:
            if not self._keys:
                raise self._unreachable()
            return
        self._tried = now
        try:
            self._keys, self._read = _keys(_fetched(self._url)), now
        except (OSError, ValueError, RecursionError) as fault:
            if not self._keys or now - self._read >= KEPT_S:
                self._keys = {}
                raise self._unreachable() from fault

    def _read_file(self) -> None:
        try:
            seen = self._file.stat()
            stamp = (seen.st_ino, seen.st_mtime_ns, seen.st_size)
            if stamp != self._stamp:
                self._keys, self._stamp = _keys(self._file.read_bytes()), stamp
        except OSError as fault:
            raise UsageError(f"the keys in {self._file} cannot be read: {fault.strerror or fault}", "give a JSON Web Key Set") from fault
        except (ValueError, RecursionError) as fault:
            raise UsageError(f"{self._file} holds no keys", 'give a JSON Web Key Set: {"keys": [...]}') from fault

    def _unreachable(self) -> Unreachable:
        return Unreachable(f"the keys at {self._url} cannot be fetched", "check serve.identity.jwks, and whether this machine reaches it")


def _keys(text: bytes) -> Keys:
    """The keys that have a name; two of one name are none. Raises ValueError."""
    found = json.loads(text)
    every = found["keys"] if isinstance(found, dict) and isinstance(found.get("keys"), list) else None
    if every is None:
        raise ValueError("no set of keys")
    named = [one for one in every if isinstance(one, dict) and isinstance(one.get("kid"), str)]
    names = [one["kid"] for one in named]
    return {one["kid"]: one for one in named if names.count(one["kid"]) == 1}


def _fetched(url: str) -> bytes:
    """What is at an address: no other is followed to, and no more is read than a set of keys takes. Raises OSError."""
    try:
        import httpx
    except ImportError as fault:
        raise MissingExtra("keys are fetched with the package httpx", "pip install 'clew[serve]'") from fault

    try:
        with httpx.Client(timeout=ANSWER_S, trust_env=False) as client, client.stream("GET", url) as answer:
            if answer.status_code != 200:
                raise OSError(f"status {answer.status_code}")
            parts, size, end = [], 0, time.monotonic() + ANSWER_S
            for part in answer.iter_bytes():
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES or time.monotonic() > end:
                    raise OSError("too large, or too slow")
            return b"".join(parts)
    except httpx.HTTPError as fault:
        raise OSError(type(fault).__name__) from fault
