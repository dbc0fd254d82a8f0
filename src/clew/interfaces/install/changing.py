"""What changes in which files, and how is it written? Worked out first, shown, and written whole or not at all."""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from clew.errors import UsageError
from clew.interfaces.install import jsonc, tables
from clew.interfaces.install.clients import Client, home
from clew.interfaces.install.notes import drop_note, put_note

_PUT = {"jsonc": jsonc.put, "toml": tables.put_toml, "yaml": tables.put_yaml}
_DROP = {"jsonc": jsonc.drop, "toml": tables.drop_toml, "yaml": tables.drop_yaml}


@dataclass(frozen=True, slots=True)
class Change:
    """A file's text before and after; None for no file. Folders inside `within` that are empty without the file go with it."""

    path: Path
    before: str | None
    after: str | None
    within: Path | None = None

    def __bool__(self) -> bool:
        return self.before != self.after

    def diff(self) -> Iterator[str]:
        """The change as a unified diff, line by line."""
        old, new = ((text or "").splitlines() for text in (self.before, self.after))
        was, will_be = (str(self.path) if text is not None else os.devnull for text in (self.before, self.after))
        yield from difflib.unified_diff(old, new, was, will_be, lineterm="")

    def write(self) -> None:
        """Put the new text in the place of the old one, in one step. Raises UsageError when that is impossible, or the file changed meanwhile."""
        path = Path(os.path.realpath(self.path))  # settings are often links into a folder that is kept elsewhere
        if text_of(path) != self.before:
            raise UsageError(f"{path} has changed meanwhile and is left as it is", "run it again")
        try:
            if self.after is None:
                path.unlink()
                _without_empty(path.parent, self.within)
            else:
                _replace(path, self.after)
        except OSError as fault:
            raise UsageError(f"cannot write {path}: {fault.strerror or fault}") from fault


def added(client: Client, command: list[str], project: Path | None) -> list[Change]:
    """What tells a client of the server, in its settings and its instructions. Raises UsageError for a file that cannot be edited."""
    settings = client.settings(project)
    if settings is None:
        raise UsageError(f"{client.title} has no settings in a project", f"leave out --project: clew install {client.name}")
    server = client.server(command)
    changes = [_edited(settings, lambda text: _PUT[client.format](text, client.keys, server))]
    instructions = client.instructions(project)
    return [*changes, *([_edited(instructions, put_note)] if instructions else [])]


def removed(client: Client, project: Path | None) -> list[Change]:
    """What undoes it: the entry and the note go, and what is empty then. Raises UsageError for a file that cannot be edited."""
    changes = []
    if settings := client.settings(project):
        changes.append(_edited(settings, lambda text: _DROP[client.format](text, client.keys)))
    if instructions := client.instructions(project):
        changes.append(_edited(instructions, drop_note))
    return [replace(change, within=project or home()) for change in changes]


def text_of(path: Path) -> str | None:
    """What a file says, its line ends as they are; None where there is none. Raises UsageError for what is no text."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as fault:
        raise UsageError(f"cannot read {path}: {getattr(fault, 'strerror', None) or fault}; it is left as it is") from fault


def _edited(path: Path, edit: Callable[[str], str]) -> Change:
    before = text_of(path)
    try:
        after: str | None = edit(before or "")
    except (ValueError, RecursionError) as fault:
        raise UsageError(f"{path} is left as it is: {fault}", "repair it, or put the entry in by hand: docs/mcp.md shows it") from fault
    if before is None and not after:
        return Change(path, None, None)
    return Change(path, before, None if before and not (after or "").strip() else after)


def _without_empty(folder: Path, within: Path | None) -> None:
    """Remove a folder if it is empty, and those around it that are so then, as far as they lie inside `within`."""
    while within is not None and folder != within and folder.is_relative_to(within):
        try:
            folder.rmdir()
        except OSError:  # not empty, or not ours to remove
            return
        folder = folder.parent


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)  # noqa: PTH101
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
