"""What does a path tell? The words of a file's name, and the role of a file: source, test, vendored, generated, prose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from clew.core.words import terms

Role = Literal["test", "vendored", "generated", "prose"]

_FOLDERS: dict[str, Role] = {
    **dict.fromkeys(["test", "tests", "spec", "specs", "__tests__", "__mocks__", "testdata", "fixtures", "fixture", "e2e"], "test"),
    **dict.fromkeys(["example", "examples", "sample", "samples", "demo", "demos", "bench", "benches", "benchmark", "benchmarks"], "test"),
    **dict.fromkeys(
        [
            "vendor",
            "vendors",
            "vendored",
            "third_party",
            "third-party",
            "thirdparty",
            "node_modules",
            "extern",
            ".yarn",
            "compat",
            "legacy",
        ],
        "vendored",
    ),
    **dict.fromkeys(["dist", "generated", "__generated__"], "generated"),
}
_FOLDER_WORDS: dict[str, Role] = {
    **dict.fromkeys(
        "test tests testing testutils testdata testfixtures fixtures mocks benches benchmarks examples samples demos".split(), "test"
    ),
    **dict.fromkeys("vendor vendored bundled external extern legacy deprecated compat".split(), "vendored"),
}
"""What makes a folder such a one as the first or last word of its name: `exposed-tests`, `tests-integration`, `Unit.Tests`, `_legacy_parser`."""
_BETWEEN_WORDS = re.compile(r"[-_. ]+|(?<=[a-z\d])(?=[A-Z])")
_NAMES: tuple[tuple[Role, re.Pattern[str]], ...] = (
    (
        "generated",
        re.compile(
            r"_pb2(_grpc)?\.pyi?$|\.pb\.\w+$|\.min\.\w+$|\.bundle\.\w+$|[._]generated\.|\.g\.\w+$|\.designer\.|\.map$|\.snap$", re.I
        ),
    ),
    ("generated", re.compile(r"\.lock$|\.lockb$|^(package-lock|npm-shrinkwrap|composer\.lock)|-lock\.ya?ml$|^go\.sum$", re.I)),
    ("test", re.compile(r"^(test_|tests?\.|conftest\.)|[._-](test|tests|spec|bench)\.\w+$")),
    ("test", re.compile(r"[a-z\d](Test|Tests|Spec)\.(java|kt|scala|cs|php|swift|groovy)$")),
    (
        "prose",
        re.compile(r"\.(md|mdx|markdown|rst|txt|adoc|rdoc|org|textile)$|^(changelog|changes|history|news|readme|license|copying)\b", re.I),
    ),
)
_PLACEHOLDERS = frozenset(["index", "mod", "main", "lib", "__init__", "__main__", "init"])
"""File names that say nothing: the folder's name says what the file is."""


_VERSION = re.compile(r"v(\d{1,3})")
NEAREST_FOLDERS = 3
"""Folders above that one are the project's or the language's (`src/main/java/org/…`)."""
ABBREVIATION_LENGTH = 3
"""Shorter beginnings fit anything."""


class PathWords(NamedTuple):
    """`name` are the words of the file's own name (of its folder, where the name says nothing), `beginnings` what may abbreviate them;
    `folders` are the words of each of its nearest folders, `above` all of these together, `folder` is where it lies; `role` is None for
    plain source; `version` has what lies above the first folder that is called by a version (`src`, 4 for `src/v4/core.ts`)."""

    name: frozenset[str]
    beginnings: frozenset[str]
    role: Role | None
    parts: tuple[str, ...]
    folders: tuple[frozenset[str], ...] = ()
    above: frozenset[str] = frozenset()
    folder: str = ""
    version: tuple[str, int] | None = None


@lru_cache(maxsize=65_536)
def path_words(filepath: str) -> PathWords:
    """What the path of a file says about it."""
    parts = tuple(filepath.lower().split("/"))
    plain = filepath.split("/")
    stem = plain[-1].split(".")[0] or plain[-1].lstrip(".")
    if stem.lower() in _PLACEHOLDERS and len(plain) > 1:
        stem = plain[-2]
    name = _words_of(stem)
    folders = tuple(words for folder in plain[:-1][-NEAREST_FOLDERS:] if (words := _words_of(folder)))
    return PathWords(
        name,
        beginnings(name),
        _role(plain[-1], plain[:-1]),
        parts,
        folders,
        frozenset().union(*folders),
        filepath.rpartition("/")[0],
        _version(parts[:-1]),
    )


def _version(folders: Sequence[str]) -> tuple[str, int] | None:
    for place, folder in enumerate(folders):
        if found := _VERSION.fullmatch(folder):
            return "/".join(folders[:place]), int(found[1])
    return None


@lru_cache(maxsize=65_536)
def _words_of(name: str) -> frozenset[str]:
    return frozenset(word for word in terms(name) if "_" not in word)


def beginnings(words: Iterable[str]) -> frozenset[str]:
    """What may abbreviate one of the words."""
    return frozenset(word[:size] for word in words for size in range(ABBREVIATION_LENGTH, len(word)))


def _role(name: str, folders: Sequence[str]) -> Role | None:
    by_name = next((role for role, pattern in _NAMES if pattern.search(name)), None)
    return by_name or next((role for folder in folders if (role := _role_of_folder(folder))), None)


@lru_cache(maxsize=65_536)
def _role_of_folder(name: str) -> Role | None:
    words = [word for word in _BETWEEN_WORDS.split(name) if word]
    return _FOLDERS.get(name.lower()) or next(
        (role for word in (*words[-1:], *words[:1]) if (role := _FOLDER_WORDS.get(word.lower()))), None
    )


def mentioned(parts: tuple[str, ...], mention: str) -> float:
    """How well a file fits a path in a question, 0 to 1: the share of the shorter path that the two have in common at their ends."""
    wanted = mention.lower().split("/")
    return common_end(parts, wanted) / min(len(parts), len(wanted))


def common_end(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """How many parts two paths have in common, counted from their ends."""
    common = 0
    for our, their in zip(reversed(ours), reversed(theirs), strict=False):
        if our != their:
            break
        common += 1
    return common
