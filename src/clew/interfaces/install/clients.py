"""Which clients are there, and where and how does each keep its servers? Data, from clients.toml."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from clew.errors import UsageError
from clew.settings import user_config_folder


@dataclass(frozen=True, slots=True)
class Client:
    """A coding agent: where its settings are, and what an entry in them looks like."""

    name: str
    title: str
    source: str
    format: str
    keys: tuple[str, ...]
    entry: Mapping[str, Any]
    user: Mapping[str, str]
    project: str = ""
    note: Mapping[str, str] | None = None

    def settings(self, project: Path | None) -> Path | None:
        """The file that holds its servers, of the user or of a project; None where there is none."""
        if project is not None:
            return _spelled(project / self.project) if self.project else None
        path = self.user.get(sys.platform) or self.user.get("any") or self.user.get("linux")
        return _spelled(_place(path)) if path else None

    def instructions(self, project: Path | None) -> Path | None:
        """The file that it reads instructions from."""
        path = (self.note or {}).get("user" if project is None else "project")
        return (_place(path) if project is None else project / path) if path else None

    def is_here(self, project: Path | None) -> bool:
        """Whether the client has left its settings, or a folder for them with something in it: an empty one is what an uninstall leaves."""
        settings = self.settings(project)
        if settings is None:
            return False
        apart = settings.parent not in (project, home())
        return settings.exists() or (apart and settings.parent.is_dir() and any(settings.parent.iterdir()))

    def server(self, command: list[str]) -> dict[str, Any]:
        """The entry for a server that is started by a command."""
        parts = {"COMMAND": command[0], "ARGUMENTS": command[1:], "COMMAND_LINE": command}
        return {key: parts[value] if isinstance(value, str) and value in parts else value for key, value in self.entry.items()}


@cache
def clients() -> dict[str, Client]:
    """All clients by name."""
    known = tomllib.loads(files("clew.interfaces.install").joinpath("clients.toml").read_text("utf-8"))
    return {name: Client(name, **{**fields, "keys": tuple(fields["keys"])}) for name, fields in known.items()}


def client(name: str) -> Client:
    """The client of a name. Raises UsageError naming those there are."""
    found = clients().get(name.lower().replace(" ", "-"))
    if found is None:
        raise UsageError(f"no client is called {name}", f"there are {', '.join(clients())}")
    return found


def _spelled(path: Path) -> Path:
    """The file itself, or the one beside it that says in its name that it has comments, where that is the one there is."""
    commented = path.with_suffix(".jsonc")
    return commented if path.suffix == ".json" and commented.exists() and not path.exists() else path


def _place(path: str) -> Path:
    config = user_config_folder().parent
    support = home() / "Library" / "Application Support" if sys.platform == "darwin" else config
    return Path(path.format(home=home(), config=config, support=support))


def home() -> Path:
    """The user's home folder."""
    return Path("~").expanduser()
