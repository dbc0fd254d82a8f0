"""Which files do a question's path filters let through? Compared in NFC; a file or folder, or a glob."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clew.core.query import PathFilter

_GLOB_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\[[!^]?\]?[^\]/]*\]|.", re.DOTALL)


def paths_pass(paths: Iterable[PathFilter]) -> Callable[[str], bool]:
    """A test for file paths; without filters everything passes."""
    tests = [_glob_test(path) if is_glob else _folder_test(path) for path, is_glob in paths]
    if not tests:
        return lambda _: True

    def passes(filepath: str) -> bool:
        normal = nfc(filepath)
        return any(test(normal) for test in tests)

    return passes


def expression(path: PathFilter) -> str:
    """The regular expression that a whole path in NFC must match, for engines that filter by themselves."""
    if path.is_glob:
        return _compiled(nfc(path.path)).pattern
    exact = nfc(path.path).strip("/")
    return ".*" if exact in ("", ".") else f"{re.escape(exact)}(?:/.*)?"


def labels_pass(allowed: Iterable[str]) -> Callable[[str], bool]:
    """A test for languages or symbol types, whatever the case; without any, everything passes."""
    wanted = {label.lower() for label in allowed}
    return (lambda label: label.lower() in wanted) if wanted else (lambda _: True)


def nfc(path: str) -> str:
    """The form in which paths are compared: one file name may be typed and stored in two Unicode forms."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def _folder_test(path: str) -> Callable[[str], bool]:
    exact = nfc(path).strip("/")
    if exact in ("", "."):
        return lambda _: True
    folder = exact + "/"
    return lambda filepath: filepath == exact or filepath.startswith(folder)


def _glob_test(pattern: str) -> Callable[[str], bool]:
    match = _compiled(nfc(pattern)).fullmatch
    return lambda filepath: match(filepath) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    anywhere = "" if "/" in pattern else "(?:.*/)?"
    body = "".join(_translated(part) for part in _GLOB_PARTS.findall(pattern.lstrip("/")))
    try:
        return re.compile(anywhere + body, re.DOTALL)
    except re.error:
        return re.compile(anywhere + re.escape(pattern), re.DOTALL)


def _translated(part: str) -> str:
    fixed = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if part in fixed:
        return fixed[part]
    if len(part) > 2 and part[0] == "[":
        inside = part[1:-1].replace("\\", "\\\\").replace("[", "\\[").replace("&&", "&\\&").replace("~~", "~\\~").replace("||", "|\\|")
        return f"[^/{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]"
    return re.escape(part)
