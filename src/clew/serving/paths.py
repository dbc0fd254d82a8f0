"""Which files does a path mean that somebody elsewhere has typed? What is on this machine's disk is not looked at for it."""

from __future__ import annotations

import posixpath
import re
import unicodedata

from clew.core.query import PathFilter
from clew.errors import UsageError

_GLOB = re.compile(r"[*?\[]")


def path_filter(text: str) -> PathFilter:
    """The filter: a folder or file, or a glob, from the root of a namespace. Raises UsageError for one that leads out of it."""
    path = posixpath.normpath(text.strip().replace("\\", "/")) if text.strip() else ".."
    if path.startswith("/") or path == ".." or path.startswith("../") or "\0" in path:
        raise UsageError(f"{text[:200]!r} is no path inside a project", "give a folder, a file or a glob from the project's root")
    stored = unicodedata.normalize("NFC", "" if path == "." else path)
    if not _GLOB.search(stored):
        return PathFilter(stored)
    return PathFilter(f"{stored}/**" if text.endswith("/") else stored, is_glob=True)
