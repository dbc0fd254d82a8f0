"""What stands in an entry of a YAML file that anybody may have written? Texts and lists of texts; what is neither is a warning, never a failure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from clew.errors import UsageError

Warn = Callable[[str], None]

_LARGEST = 5_000_000
"""Bytes: a file of metrics that is larger is something else."""
_MOST_FILES = 5_000
"""YAML files of one folder that are read."""
_MOST_NAMES = 500
"""Names in one list."""
_LONGEST = 10_000
"""Characters of one text."""
_DEEPEST = 100
"""Brackets in brackets: reading 5,000 takes the parser eight seconds, and nobody writes ten."""
_ENDINGS = frozenset({".yml", ".yaml"})


class Entry:
    """A mapping of a file, asked key by key. What was never asked for is named by `finish`: it may be a slip of the pen."""

    def __init__(self, values: Mapping[Any, Any], name: str, warn: Warn) -> None:
        self._values = {str(key): value for key, value in values.items()}
        self._name = name
        self._warn = warn
        self._asked: dict[str, None] = {}

    def __contains__(self, key: str) -> bool:
        return self._values.get(key) is not None

    def raw(self, key: str) -> Any:
        """The value as it was read; None where it is not given."""
        self._asked[key] = None
        return self._values.get(key)

    def text(self, *keys: str) -> str:
        """The first of these keys that is given, as text; numbers and dates are texts too."""
        for key in keys:
            value = self.raw(key)
            if value is not None:
                return self._as_text(key, value)
        return ""

    def names(self, *keys: str) -> tuple[str, ...]:
        """A list of texts, or one that stands alone, of all these keys together."""
        found: list[str] = []
        for key in keys:
            value = self.raw(key)
            if value is None:
                continue
            items = value if isinstance(value, list | tuple) else [value]
            found += (self._as_text(key, item) for item in items[:_MOST_NAMES] if item is not None)
        return tuple(dict.fromkeys(name for name in found if name))

    def finish(self) -> None:
        """Warn of keys that mean nothing here."""
        for key in self._values:
            if key not in self._asked:
                close = difflib.get_close_matches(key, self._asked, n=1)
                hint = f"; did you mean {close[0]}?" if close else ""
                self._warn(f"{self._name}: the key {key[:60]!r} means nothing here{hint}")

    def warn(self, message: str) -> None:
        """Say what is wrong with this entry."""
        self._warn(f"{self._name}: {message}")

    def _as_text(self, key: str, value: Any) -> str:
        text = as_text(value)
        if text is None:
            self.warn(f"{key} is no text")
            return ""
        return text


def as_text(value: Any) -> str | None:
    """A scalar as text; None for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float | date | datetime):
        return "".join(character if character.isprintable() or character in "\n\t" else " " for character in str(value))[:_LONGEST].strip()
    return None


def documents(path: Path, warn: Warn) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    """Every mapping at the top of a YAML file, or of all in a folder and below, with the file's name.

    Raises UsageError for a path that is not there; a file that is no YAML is a warning.
    """
    if not path.exists():
        raise UsageError(f"there is no {path}", "give a YAML file, or a folder of them")
    for file in _files(path, warn):
        name = str(file.relative_to(path)) if path.is_dir() else file.name
        for content in _contents(file, name, warn):
            if isinstance(content, Mapping):
                yield name, content
            elif content is not None:
                warn(f"{name}: a list or mapping by name is expected at the top")


def each(section: Any, kind: str, name: str, warn: Warn, keys: Collection[str] = ("name",)) -> Iterator[tuple[str, Any]]:
    """The entries of a section with their names: of a mapping by name, or of a list of mappings that have one."""
    if isinstance(section, Mapping):
        for key, value in section.items():
            label = as_text(key)
            if label:
                yield label, value
            else:
                warn(f"{name}: a {kind} without a name is left out")
    elif isinstance(section, list):
        for place, value in enumerate(section, start=1):
            label = next((as_text(value[key]) for key in keys if value.get(key) is not None), "") if isinstance(value, Mapping) else ""
            if label:
                yield label, value
            else:
                warn(f"{name}: the {kind} at place {place} has no name and is left out")
    elif section is not None:
        warn(f"{name}: {kind}s are a list, or a mapping by name")


def _files(path: Path, warn: Warn) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(one for one in path.rglob("*") if one.suffix.lower() in _ENDINGS and one.is_file())
    if len(found) > _MOST_FILES:
        warn(f"{path}: only the first {_MOST_FILES} of {len(found)} YAML files are read")
    return found[:_MOST_FILES]


def _contents(file: Path, name: str, warn: Warn) -> list[Any]:
    from ruamel.yaml import YAML  # a tenth of a second, which a project without such files does not pay
    from ruamel.yaml.error import YAMLError

    try:
        if file.stat().st_size > _LARGEST:
            warn(f"{name}: larger than {_LARGEST:,} bytes, left out")
            return []
        text = file.read_text("utf-8-sig")
        if _depth(text) > _DEEPEST:
            warn(f"{name}: brackets in more than {_DEEPEST} brackets, left out")
            return []
        return list(YAML(typ="safe", pure=True).load_all(text))
    except (YAMLError, ValueError, RecursionError, OSError, TypeError) as fault:
        reason = str(getattr(fault, "problem", None) or fault).split("\n")[0]
        line = getattr(getattr(fault, "problem_mark", None), "line", None)
        place = f" at line {line + 1}" if isinstance(line, int) else ""
        warn(f"{name}: not valid YAML{place}: {reason[:200]}")
        return []


def _depth(text: str) -> int:
    """How many brackets are open at most, those in texts among them."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth = depth + 1 if bracket in "[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest
