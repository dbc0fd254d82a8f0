"""Which mounts does a project have? Those of its own file, of the user's, and those that `clew mount` keeps for the user."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clew.core.mounts import Mount
from clew.errors import UsageError

NAME = "mounts.json"
"""In the user's folder, by project: an address that is searched is for the user to name, and nothing of a project's own."""
_EXAMPLE = 'give tables like: [[mounts]] store = "../other" namespaces = ["other-1a2b3c4d"]'


def parsed(content: object, origin: str, *, is_trusted: bool) -> tuple[Mount, ...]:
    """The mounts of a `[[mounts]]` section. Raises UsageError, naming the file and what is wrong."""
    if content is None:
        return ()
    if not isinstance(content, list) or not all(isinstance(one, dict) for one in content):
        raise UsageError(f"mounts in {origin} are no tables", _EXAMPLE)
    return tuple(_mount(one, origin, is_trusted=is_trusted) for one in content)


def _mount(given: Mapping[str, Any], origin: str, *, is_trusted: bool) -> Mount:
    unknown = ", ".join(sorted(set(given) - {"store", "namespaces"}))
    store, namespaces = given.get("store"), given.get("namespaces", [])
    if unknown:
        raise UsageError(f"a mount in {origin} has unknown keys: {unknown}", _EXAMPLE)
    if not isinstance(store, str) or not store.strip() or "\0" in store:
        raise UsageError(f"a mount in {origin} names no store", _EXAMPLE)
    if not isinstance(namespaces, list) or not all(isinstance(name, str) and name for name in namespaces):
        raise UsageError(f"the namespaces of the mount {store!r} in {origin} are no list of names", _EXAMPLE)
    return Mount(store, tuple(dict.fromkeys(namespaces)), origin, is_trusted)


class Mounts:
    """What `clew mount` keeps, in one file of the user's `folder`, by the root of the project. A change replaces the file in one step."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._file = folder / NAME
        self._root = str(root)

    def all(self) -> tuple[Mount, ...]:
        """The project's mounts, as they were added. Raises UsageError for a damaged file."""
        return parsed(self._read().get(self._root), str(self._file), is_trusted=True)

    def add(self, mount: Mount) -> bool:
        """Keep a mount; one of the same store is replaced. Returns whether anything changed."""
        kept = self.all()
        others = tuple(one for one in kept if one.store != mount.store)
        same = any(one.store == mount.store and one.namespaces == mount.namespaces for one in kept)
        if not same:
            self._write((*others, mount))
        return not same

    def remove(self, store: str) -> bool:
        """Forget the mount of a store; returns whether there was one."""
        kept = self.all()
        left = tuple(one for one in kept if one.store != store)
        if len(left) < len(kept):
            self._write(left)
        return len(left) < len(kept)

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self._file.read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (OSError, ValueError, RecursionError) as fault:
            raise UsageError(f"{self._file} cannot be read: {fault}", f"repair or remove {self._file}") from fault
        if not isinstance(found, dict):
            raise UsageError(f"{self._file} is damaged", f"remove {self._file} and mount again")
        return found

    def _write(self, mounts: tuple[Mount, ...]) -> None:
        every = self._read()
        every[self._root] = [{"store": one.store, "namespaces": list(one.namespaces)} for one in mounts]
        kept = {root: ours for root, ours in every.items() if ours}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        beside = self._file.with_name(f".{NAME}.{os.getpid()}")
        beside.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        beside.chmod(0o600)
        beside.replace(self._file)
