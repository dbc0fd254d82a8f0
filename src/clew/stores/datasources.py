"""Where are registrations of databases kept? In a file of the project that never holds a secret, and secrets in a file of the user that nobody else can read."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from clew.core.schema.addresses import HIDDEN
from clew.core.schema.protocols import Wishes
from clew.core.schema.registry import Registration
from clew.errors import IndexUnusable, WriterBusy
from clew.stores.embedded.lock import WriterLock

NAME = "datasources.json"
_REPAIR = "`clew db add NAME URL --replace` sets the damaged file aside and registers a database anew; what was read of it stays"
_PATIENCE_S = 10.0
"""How long one waits for another process's change, which takes milliseconds."""
_LOOK_S = 0.01
_OWN, _SHARED = 0o600, 0o644
"""Rights: of secrets, of what others who work in the project may read."""


class _Damaged(IndexUnusable):
    """A file holds what was never written to it."""


class FileRegistry:
    """A Registry in `folder`, its secrets in `vault`. A change replaces a file in one step, one process at a time."""

    def __init__(self, folder: Path, vault: Path) -> None:
        self._folder = folder
        self._file = folder / NAME
        self._vault = vault
        self._home = str(folder)

    @property
    def vault(self) -> str:
        """The file in which secrets are kept."""
        return str(self._vault)

    def all(self) -> dict[str, Registration]:
        """Every registration by name."""
        found, damaged = self._known()
        if damaged:
            raise _Damaged(f"{self._file} is damaged: {', '.join(damaged)} cannot be read", _REPAIR)
        return found

    def _known(self) -> tuple[dict[str, Registration], list[str]]:
        """The registrations that can be read, and the names of those that cannot."""
        found: dict[str, Registration] = {}
        damaged: list[str] = []
        for name, one in sorted(_read(self._file).items()):
            try:
                found[name] = _registration(name, one)
            except (KeyError, TypeError, AttributeError):
                damaged.append(name)
        return found, damaged

    def set_aside(self) -> tuple[str, ...]:
        """Put files that are damaged beside, and what can be read of them back in their places; returns where they are now."""
        aside: list[str] = []
        with _alone(self._folder / "datasources.lock"):
            try:
                found, damaged = self._known()
            except _Damaged:
                found, damaged = {}, [NAME]
            if damaged:
                aside.append(_beside(self._file))
                _write(self._file, {name: _object(one) for name, one in found.items()}, _SHARED)
        with _alone(self._vault.with_suffix(".lock")):
            try:
                self._all_secrets()
            except _Damaged:
                aside.append(_beside(self._vault))
        return tuple(aside)

    def put(self, registration: Registration, secrets: Mapping[str, str]) -> None:
        """Keep a registration with its secrets; those first, so that none is registered without."""
        if secrets or self._has_secrets(registration.name):
            self._keep_secrets(registration.name, secrets)
        self._hide_from_git()
        with _alone(self._folder / "datasources.lock"):
            found = _read(self._file)
            _write(self._file, {**found, registration.name: _object(registration)}, _SHARED)

    def secrets(self, name: str) -> dict[str, str]:
        """The secrets of a registration."""
        return dict(self._all_secrets().get(self._home, {}).get(name, {}))

    def _all_secrets(self) -> dict[str, dict[str, dict[str, str]]]:
        """Those of each project and registration."""
        found = _read(self._vault)
        for ours in found.values():
            if not isinstance(ours, dict) or not all(isinstance(one, dict) for one in ours.values()):
                raise _Damaged(f"{self._vault} is damaged", _REPAIR)
        return found

    def remove(self, name: str) -> None:
        """Forget a registration and its secrets, these first."""
        if self._has_secrets(name):
            self._keep_secrets(name, {})
        with _alone(self._folder / "datasources.lock"):
            found = _read(self._file)
            if found.pop(name, None) is not None:
                _write(self._file, found, _SHARED)

    def _hide_from_git(self) -> None:
        ignore = self._folder / ".gitignore"
        if not ignore.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            ignore.write_text("*\n", encoding="utf-8")

    def _has_secrets(self, name: str) -> bool:
        """Whether a registration has any, as far as it says itself: the user's file may be damaged, and most need none of it."""
        found, damaged = self._known()
        return name in damaged or (name in found and HIDDEN in found[name].url)

    def _keep_secrets(self, name: str, secrets: Mapping[str, str]) -> None:
        with _alone(self._vault.with_suffix(".lock")):
            found = self._all_secrets()
            ours = {**found.get(self._home, {}), name: dict(secrets)}
            found[self._home] = {one: kept for one, kept in ours.items() if kept}
            _write(self._vault, {home: kept for home, kept in found.items() if kept}, _OWN)


def _registration(name: str, found: Mapping[str, Any]) -> Registration:
    """Raises KeyError, TypeError and AttributeError for what is no registration."""
    wishes: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in found.get("wishes", {}).items()}
    made = Registration(name, found["url"], Wishes(**wishes))
    for key, usual in asdict(Wishes()).items():
        value = getattr(made.wishes, key)
        if type(value) is not type(usual) and not (isinstance(usual, float) and type(value) is int):
            raise TypeError(key)
    if not isinstance(made.url, str) or not all(isinstance(one, str) for one in made.wishes.schemas):
        raise TypeError(name)
    return made


def _object(registration: Registration) -> dict[str, Any]:
    """What is kept: only wishes that differ from the usual ones."""
    usual = asdict(Wishes())
    wishes = {key: value for key, value in asdict(registration.wishes).items() if value != usual[key]}
    return {"url": registration.url, **({"wishes": wishes} if wishes else {})}


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as fault:
        raise IndexUnusable(f"{path} cannot be read: {fault.strerror or fault}", "make it readable") from fault
    except (ValueError, RecursionError) as fault:
        raise _Damaged(f"{path} is damaged", _REPAIR) from fault
    if not isinstance(found, dict):
        raise _Damaged(f"{path} is damaged", _REPAIR)
    return found


def _beside(path: Path) -> str:
    """Where a file now is that was moved out of the way."""
    aside = path.with_name(path.name + ".damaged")
    path.replace(aside)
    return str(aside)


def _write(path: Path, content: Mapping[str, Any], rights: int) -> None:
    """Put the file in its place whole."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        beside.unlink()
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, rights)
    with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - the descriptor carries the rights
        json.dump(content, file, indent=1, sort_keys=True)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Be the one who changes what the lock guards; waits a little for another."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = WriterLock(path)
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                lock.take()
                break
            except WriterBusy:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_LOOK_S)
        try:
            yield
        finally:
            lock.give_back()
    except OSError as fault:
        raise IndexUnusable(f"{path.parent} cannot be written: {fault.strerror or fault}", "make the folder writable") from fault
