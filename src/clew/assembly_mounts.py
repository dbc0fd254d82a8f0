"""What of other projects is searched beside this one? The mounts of the settings in, each opened when it is first asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from clew.core.access import Principal
from clew.core.mounts import Mount
from clew.core.protocols import Embedder
from clew.errors import NoIndex, UsageError
from clew.settings import PROJECT_FILE, Settings, load_settings, section, user_config_folder, user_section
from clew.sources.project import project_root
from clew.stores.mounts import Mounts, parsed

if TYPE_CHECKING:
    from clew.core.protocols import Store
    from clew.search.mounted import Elsewhere, Mounted

Opened = Callable[[Path, Settings], "Store"]


def this_user(settings: Settings) -> Principal:
    """Whoever is logged in, who may on this machine what its files let them; their teams as set."""
    import getpass  # loads what asks for passwords

    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container may run as nobody in particular
        name = "unknown"
    return Principal(name, "admin", frozenset(settings.teams))


def kept_mounts(root: Path) -> Mounts:
    """The mounts that `clew mount` keeps of a project."""
    return Mounts(user_config_folder(), root)


def mounts_of(root: Path) -> tuple[Mount, ...]:
    """All mounts of a project: of its own file, of the user's, and those that `clew mount` keeps; of one store the last. Raises UsageError."""
    user_file = user_config_folder() / "config.toml"
    every = (
        *parsed(section(root, "mounts"), str(root / PROJECT_FILE), is_trusted=False),
        *parsed(user_section("mounts"), str(user_file), is_trusted=True),
        *kept_mounts(root).all(),
    )
    return tuple({_place(root, mount): mount for mount in every}.values())


class MountBook:
    """What `clew mount` reads and writes: the mounts of one project, and what can be asked of each now."""

    def __init__(self, root: Path, settings: Settings, own: str, embedder: Callable[[], Embedder], opened: Opened) -> None:
        self._root = root
        self._kept = kept_mounts(root)
        self._opened = partial(_mounted, root, settings, own, embedder, opened)
        self._open: list[Mounted] = []

    def all(self) -> tuple[Mount, ...]:
        """Every mount, wherever it is written."""
        return mounts_of(self._root)

    def names(self, mount: Mount) -> tuple[str, ...]:
        """The namespaces of a mount that can be asked. Raises ClewError where it cannot be opened, or has not what it should."""
        mounted = self._opened(mount)
        self._open.append(mounted)
        return mounted.namespaces()

    def add(self, store: str, namespaces: Sequence[str]) -> Mount:
        """Keep a mount for the user, once it has been opened and has something to show. Raises ClewError, nothing being kept."""
        place = store if "://" in store else str(Path(store).expanduser().resolve())
        mount = Mount(place, tuple(dict.fromkeys(namespaces)), str(user_config_folder()))
        if not self.names(mount):
            raise UsageError(
                f"{store} has nothing that may be mounted", "its owner opens it: clew namespace visibility public --path FOLDER"
            )
        self._kept.add(mount)
        return mount

    def remove(self, store: str) -> bool:
        """Forget a mount that the user keeps; returns whether there was one."""
        place = store if "://" in store else str(Path(store).expanduser().resolve())
        return self._kept.remove(place)

    def close(self) -> None:
        """Give back files and locks."""
        for mounted in self._open:
            mounted.close()


def elsewhere(
    root: Path, settings: Settings, own: str, embedder: Callable[[], Embedder], opened: Opened, fallbacks: Sequence[Callable[[], Embedder]]
) -> Elsewhere | None:
    """What the project has mounted, searched with its models; None where that is nothing, which is soon known."""
    mounts = mounts_of(root)
    if not mounts:
        return None
    from clew.search.mounted import Elsewhere  # a searcher of its own for each

    return Elsewhere({mount.store: partial(_mounted, root, settings, own, embedder, opened, mount, fallbacks) for mount in mounts})


def _mounted(
    root: Path,
    settings: Settings,
    own: str,
    embedder: Callable[[], Embedder],
    opened: Opened,
    mount: Mount,
    fallbacks: Sequence[Callable[[], Embedder]] = (),
) -> Mounted:
    """A mount, its store opened. Raises UsageError where a project's own file names a server, NoIndex where nothing is there."""
    from clew.search.mounted import Mounted

    if mount.is_address and not mount.is_trusted:
        raise UsageError(
            f"{mount.origin} would send questions to a server: that is for you to say",
            f"clew mount {mount.store} says so; or put it into your own config.toml",
        )
    place = root if mount.is_address else _folder(root, mount)
    origins = {**settings.origins, "store": mount.origin}
    theirs = replace(settings, store=mount.store, origins=origins) if mount.is_address else load_settings(place)
    return Mounted(mount.store, opened(place, theirs), embedder, this_user(settings), mount.namespaces, own, fallbacks)


def _folder(root: Path, mount: Mount) -> Path:
    place = Path(_place(root, mount))
    if not place.is_dir():
        raise NoIndex(
            f"there is no folder {place}", f"mount a project that is there, or take this one away: clew mount --remove {mount.store}"
        )
    return project_root(place)


def _place(root: Path, mount: Mount) -> str:
    """Where a mount is: an address, or a folder, relative ones seen from the project."""
    return mount.store if mount.is_address else str((root / Path(mount.store).expanduser()).resolve())
