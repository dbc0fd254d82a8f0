"""Where does a project begin, and what is it called? Its root and its namespace."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from clew.sources import git

_INDEXES = (os.path.join(".clew", "catalog.db"), os.path.join(".clew", "databases", "datasources.json"))  # noqa: PTH118
_HASH_DIGITS = 8
_NAME_LENGTH = 63 - 1 - _HASH_DIGITS


def project_root(start: Path) -> Path:
    """The nearest folder, `start` or above, that has an index, or databases; else the git work tree's root; else `start` itself, links resolved.

    A linked worktree ends the search for an index: it is a project of its own, even inside the checkout it was made from.
    """
    origin = Path(os.path.realpath(start))
    if not origin.is_dir():
        origin = origin.parent
    for folder in (origin, *origin.parents):
        if any(os.path.lexists(folder / index) for index in _INDEXES):
            return folder
        if git.is_linked_worktree(os.fspath(folder)):
            return folder
    return Path(git.work_tree(os.fspath(origin)) or origin)


def default_namespace(root: Path) -> str:
    """A legal name for the project at `root`: from the git remote, else the folder, with a short hash of the root's real path."""
    place = os.path.realpath(root)
    digest = hashlib.sha256(os.fsencode(place)).hexdigest()[:_HASH_DIGITS]
    name = (git.remote_name(place) if git.work_tree(place) else "") or os.path.basename(place)  # noqa: PTH119
    return f"{made_legal(name)}-{digest}"


def made_legal(name: str) -> str:
    """The name with everything else than `a-z 0-9 -` made a dash, and short enough for a hash behind it."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    started = plain if plain[:1].isalpha() else f"project-{plain}".strip("-")
    return started[:_NAME_LENGTH].strip("-")
