"""Where is a project's index? In a folder, or in a database elsewhere: settings in, a store out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from clew.core.protocols import Store
from clew.errors import NoIndex, UsageError
from clew.setting_rules import MONGODB
from clew.settings import PROJECT_FILE, Settings, is_trusted, load_settings, store_password, user_data_folder, variable
from clew.sources.project import default_namespace, project_root
from clew.stores.embedded import EmbeddedStore

if TYPE_CHECKING:
    from clew.stores.copying import Copied, Portable
    from clew.stores.mongodb import MongoStore


FOLDER = ".clew"


def index_folder(root: Path, settings: Settings) -> Path:
    """Where the project's index lives: as set, else `.clew` in the project, else the user's data folder when the project cannot be written."""
    if settings.index_dir:
        return root / Path(settings.index_dir).expanduser()
    inside = root / FOLDER
    if inside.exists() or os.access(root, os.W_OK):
        return inside
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return user_data_folder() / "indexes" / f"{root.name[:40]}-{name}"


def open_store(folder: Path, settings: Settings, *, within: Path) -> Portable:
    """The store of the project `within`: in a database elsewhere where the settings say so, else in its folder.

    Raises UsageError where a project's own file names a server that is not on this machine: its reader has to say so.
    """
    return _mongodb(folder, settings, within) if is_elsewhere(settings) else open_folder(folder, settings, within=within)


def open_folder(folder: Path, settings: Settings, *, within: Path | None = None) -> EmbeddedStore:
    """The store in a folder, for reading only where it cannot be written, its vectors where the settings say; a folder `within` is never made.

    Raises UsageError as `open_store` does.
    """
    name, _, where = settings.store.partition(":")
    if where.startswith(("http://", "https://")) and within is not None and not is_trusted(within, settings, "store", where):
        raise _not_for_a_project_to_say(within)
    read_only = not _writable(folder)
    if name != "chroma":
        return EmbeddedStore.open(folder, read_only=read_only, within=within)
    from clew.stores.chroma import chroma_home  # few have it

    return EmbeddedStore.open(folder, read_only=read_only, within=within, home=chroma_home(where))


def open_named(name: str, root: Path, folder: Path, settings: Settings, *, writable: bool) -> Portable:
    """The store that a name means: `embedded` (the project's own folder), an address of MongoDB, else an index's folder, or one that has it in `.clew`."""
    if name.startswith(MONGODB):
        return _mongodb_at(name, folder, settings, "")
    place = folder if name == "embedded" else Path(name).expanduser()
    if name != "embedded" and not (place / "catalog.db").exists() and (place / FOLDER).is_dir():
        place = place / FOLDER
    if not writable and not (place / "catalog.db").exists():
        raise NoIndex(f"there is no index in {place}", "give `embedded`, an index's folder, or an address of MongoDB")
    return EmbeddedStore.open(place, read_only=not writable or not _writable(place), within=root if name == "embedded" else None)


def open_shared(start: Path, overrides: Mapping[str, object] | None = None) -> MongoStore:
    """The database that the settings of the project around `start` name. Raises UsageError where they name none."""
    root = project_root(start)
    settings = load_settings(root, overrides)
    if not is_elsewhere(settings):
        raise UsageError("the setting store names no database", "set it: CLEW_STORE=mongodb://HOST/DATABASE, or give --store")
    return _mongodb(root, settings, root)


def copy_store(
    start: Path,
    source: str,
    target: str,
    namespaces: Sequence[str],
    report: Callable[[str, int, int], None] = lambda name, done, total: None,
) -> list[Copied]:
    """Copy namespaces from one store into another: those that are named, else the project's own out of a database, all out of a folder.

    Raises UsageError where both are the same, and as `clew.stores.copying.copy` does.
    """
    from clew.stores.copying import copy

    if source == target:
        raise UsageError("a store is not copied into itself", "give two stores: embedded, a folder, or an address of MongoDB")
    root = project_root(start)
    settings = load_settings(root)
    folder = index_folder(root, settings)
    with ExitStack() as stack:
        here = open_named(source, root, folder, settings, writable=False)
        stack.callback(here.close)
        there = open_named(target, root, folder, settings, writable=True)
        stack.callback(there.close)
        named = namespaces or ([namespace_of(root, settings, here)] if here.is_shared else here.namespaces())
        return [copy(here, there, name, lambda done, total, name=name: report(name, done, total)) for name in named]  # type: ignore[misc]


def is_elsewhere(settings: Settings) -> bool:
    """Whether the index lives in a database and not in a folder."""
    return settings.store.startswith(MONGODB)


def has_index_in(root: Path, folder: Path, settings: Settings) -> bool:
    """Whether the project has an index, whole or not, damaged or not."""
    return _is_known_elsewhere(root, folder, settings) if is_elsewhere(settings) else folder.exists()


def is_begun(root: Path, folder: Path, settings: Settings) -> bool:
    """Whether the index of the project's code has been begun."""
    return _is_known_elsewhere(root, folder, settings) if is_elsewhere(settings) else (folder / "catalog.db").exists()


def forget_elsewhere(root: Path, folder: Path, settings: Settings) -> None:
    """Delete what a database holds of the project, and nothing that is not of it."""
    store = open_store(folder, settings, within=root)
    try:
        store.forget(namespace_of(root, settings, store))
    finally:
        store.close()


def namespace_of(root: Path, settings: Settings, store: Store) -> str:
    """The set name, else the one the index was begun with, else one made from the project.

    An index outside of the project may hold others: there only a name that was given to this root counts. The one inside goes
    where the project goes, under its name. In a store that others share, roots of other machines tell nothing.
    """
    if settings.namespace or store.is_shared:
        return settings.namespace or default_namespace(root)
    kept = store.namespaces()
    ours = next((name for name in kept if store.facts(name).get("root") == str(root)), "")
    moved = kept[0] if kept and store.folder.is_relative_to(root) else ""
    return ours or moved or default_namespace(root)


def _mongodb(folder: Path, settings: Settings, root: Path) -> MongoStore:
    from clew.stores.mongodb.address import is_local

    if not is_trusted(root, settings, "store", "") and not is_local(settings.store):
        raise _not_for_a_project_to_say(root)
    return _mongodb_at(settings.store, folder, settings, settings.namespace or default_namespace(root))


def _mongodb_at(address: str, folder: Path, settings: Settings, home: str) -> MongoStore:
    from clew.stores.mongodb import MongoStore  # few have it
    from clew.stores.mongodb.address import place
    from clew.stores.mongodb.sight import Names

    names = Names(settings.vector_index, settings.vector_path)
    return MongoStore(place(address, variable, _password), folder, names=names, home=home)


def _password(address: str, user: str) -> str | None:
    """The password of a user at an address: from the environment, else from the system's keyring where that is installed and has one."""
    if (given := store_password()) is not None:
        return given
    from clew.adapters.keyring import kept_secret  # few have a store with a password

    return kept_secret(f"{user}@{address}")


def _not_for_a_project_to_say(root: Path) -> UsageError:
    return UsageError(
        f"{root / PROJECT_FILE} would send what is indexed to a server: that is for you to say",
        "set CLEW_STORE to its `store`, or put that into your own config.toml; or set CLEW_STORE=embedded",
    )


def _is_known_elsewhere(root: Path, folder: Path, settings: Settings) -> bool:
    store = open_store(folder, settings, within=root)
    try:
        return "complete" in store.facts(namespace_of(root, settings, store))
    finally:
        store.close()


def _writable(folder: Path) -> bool:
    nearest = next((p for p in (folder, *folder.parents) if p.exists()), folder)
    return os.access(nearest, os.W_OK)
