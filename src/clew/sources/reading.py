"""What does a file say? Its bytes, read safely, as a document of lines, or the reason why it is none."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from clew.core.chunk import checksum
from clew.core.document import Document
from clew.sources.decoding import HEAD_BYTES, decode, looks_binary
from clew.sources.languages import language_of
from clew.sources.minified import minified
from clew.sources.notebook import notebook_lines
from clew.sources.rules import Rules, oversize

_HEAD_CHARACTERS = 4_000
"""Enough for a language to be told from: a first line, a modeline, the includes of a header."""
_OPEN_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as it was read: a document without outline, or `skipped`, the reason why there is none. `checksum` is of the raw bytes,
    and empty where they were not read to the end; `note` is a remark on a document."""

    document: Document | None = None
    checksum: str = ""
    skipped: str = ""
    note: str = ""


class _LeftOut(Exception):
    """The reason why a file is not read."""


def read(root: Path, filepath: str, rules: Rules) -> Reading:
    """Read a file of the project at `root`. Never raises for what it meets on the disk, and reads nothing outside of the root."""
    try:
        data = _load(os.path.realpath(root), filepath, rules)
    except _LeftOut as left_out:
        return Reading(skipped=str(left_out))
    digest = checksum(data)
    decoded = decode(data)
    if decoded is None:
        return Reading(checksum=digest, skipped="binary")
    lines = split_lines(decoded.text)
    reason = minified(filepath, lines)
    if reason:
        return Reading(checksum=digest, skipped=reason)
    language = language_of(filepath, decoded.text[:_HEAD_CHARACTERS])
    if filepath.lower().endswith(".ipynb"):
        lines = notebook_lines(decoded.text)[0]
    return Reading(Document(filepath, language, tuple(lines)), digest, note=decoded.note)


def split_lines(text: str) -> list[str]:
    """The lines of a text, ended by `\\n` alone; a `\\r` before it belongs to the end."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def _load(root: str, filepath: str, rules: Rules) -> bytes:
    """All bytes of a regular file inside the root. Raises _LeftOut."""
    try:
        place = os.path.join(root, filepath)  # noqa: PTH118 - strings, once for each file of an index
        if not _is_inside(os.path.realpath(os.path.dirname(place)), root):  # noqa: PTH120
            raise _LeftOut("outside the project")
        handle = os.open(place, _OPEN_FLAGS)
        try:
            return _contents(handle, rules)
        finally:
            os.close(handle)
    except OSError as fault:
        raise _LeftOut("symbolic link" if fault.errno == errno.ELOOP else (fault.strerror or type(fault).__name__).lower()) from fault
    except ValueError as fault:
        raise _LeftOut("not a possible path") from fault


def holds(place: str, size: int, known: str) -> bool:
    """Whether a regular file of that size has just the bytes of a known checksum. A link is not followed."""
    try:
        handle = os.open(place, _OPEN_FLAGS)
    except OSError:
        return False
    try:
        seen = os.fstat(handle)
        if not stat.S_ISREG(seen.st_mode) or seen.st_size != size:
            return False
        data = bytearray()
        while len(data) <= size and (more := os.read(handle, size + 1 - len(data))):
            data += more
    except OSError:
        return False
    finally:
        os.close(handle)
    return checksum(bytes(data)) == known


def _contents(handle: int, rules: Rules) -> bytes:
    seen = os.fstat(handle)
    if stat.S_ISDIR(seen.st_mode):
        raise _LeftOut("is a directory")
    if not stat.S_ISREG(seen.st_mode):
        raise _LeftOut("not a regular file")
    if reason := oversize(seen.st_size, rules):
        raise _LeftOut(reason)
    data = os.read(handle, HEAD_BYTES)
    if looks_binary(data):
        raise _LeftOut("binary")
    while more := os.read(handle, max(seen.st_size - len(data), HEAD_BYTES)):
        data += more
        if reason := oversize(len(data), rules):  # it grew while it was read
            raise _LeftOut(reason)
    return data


def _is_inside(folder: str, root: str) -> bool:
    return folder == root or folder.startswith(root.rstrip("/\\") + os.sep)
