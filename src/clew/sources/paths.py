"""Which files does a path filter mean, however it is spelled? One stored form: relative to the root, `/` between names, NFC."""

from __future__ import annotations

import os
import posixpath
import re
import unicodedata
from pathlib import Path

from clew.core.query import PathFilter
from clew.errors import UsageError

_GLOB = re.compile(r"[*?\[]")
_HINT = "give a file, a folder or a glob inside the project, relative to its root"


def parse_path_filter(root: Path, text: str) -> PathFilter:
    """The filter that a user's spelling means: `src/api`, `./src/api/`, `src\\api`, an absolute path below the root, a glob.

    What exists under that name wins over a glob (`app/[id].tsx`), and as it is typed over `\\` read as `/`. A path need not exist:
    the index may know it still. The root itself gives the filter that restricts nothing. Raises UsageError for a path that
    leads out of the project or that no file can have.
    """
    if not text.strip() or "\0" in text:
        raise UsageError(f"{text!r} is not a path", _HINT)
    base = os.path.realpath(root)
    for spelling in dict.fromkeys((text, text.replace("\\", "/"))):
        existing = _existing(base, spelling)
        if existing is not None:
            return PathFilter(_stored(existing))
    path = _inside(base, os.fspath(root), text.replace("\\", "/"), text)
    if not _GLOB.search(path):
        return PathFilter(_stored(path))
    return PathFilter(_stored(f"{path}/**" if text.endswith(("/", "\\")) else path), is_glob=True)


def _existing(base: str, spelling: str) -> str | None:
    """The path, relative to the root, of what stands on disk under a spelling, links resolved; None where nothing does."""
    try:
        place = os.path.realpath(os.path.join(base, spelling))  # noqa: PTH118
        found = os.path.exists(place)  # noqa: PTH110
    except (OSError, ValueError):
        return None
    if not found:
        return None
    relative = _below(base, place)
    if relative is None:
        raise UsageError(f"{spelling} is outside the project {base}", _HINT)
    return relative


def _inside(base: str, typed_base: str, path: str, text: str) -> str:
    """A path to what does not exist, or a glob, made relative to the root by its spelling alone."""
    if path.startswith("/"):
        relative = _below(base, path)
        if relative is None:
            relative = _below(typed_base, path)
    else:
        relative = posixpath.normpath(path)
    if relative is None or relative == ".." or relative.startswith("../"):
        raise UsageError(f"{text} is outside the project {base}", _HINT)
    return relative


def _below(base: str, place: str) -> str | None:
    """`place` relative to `base`; empty for the same folder, None where it is not below."""
    here = base.replace(os.sep, "/").rstrip("/") + "/"
    there = posixpath.normpath(place.replace(os.sep, "/"))
    if there + "/" == here:
        return ""
    return there[len(here) :] if there.startswith(here) else None


def _stored(path: str) -> str:
    return unicodedata.normalize("NFC", "" if path == "." else path)
