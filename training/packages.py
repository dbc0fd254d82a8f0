"""Which packages are learned from? The pinned list: registry, name, version, stated licence, role, and each file's digest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).with_name("packages.tsv")
_COLUMNS = ("registry", "name", "version", "licence", "role", "files")


@dataclass(frozen=True, slots=True)
class Package:
    """`registry` is pypi, npm or debian; `role` is train, held (kept out, to measure on) or tool (needed, not learned from).
    `files` are (file name, SHA-256)."""

    registry: str
    name: str
    version: str
    licence: str
    role: str
    files: tuple[tuple[str, str], ...]

    @property
    def key(self) -> str:
        return f"{self.registry}-{self.name.replace('/', '+')}-{self.version}"


def listed(path: Path = LIST) -> list[Package]:
    """The packages of a list, in its order."""
    rows = [line.split("\t") for line in path.read_text("utf-8").split("\n")[1:] if line]
    return [Package(*row[:5], tuple(_named(file) for file in row[5].split(" "))) for row in rows]


def write(packages: Iterable[Package], path: Path = LIST) -> None:
    """The packages as a list, ordered by registry and name."""
    rows = ["\t".join(_COLUMNS)]
    ordered = sorted(packages, key=lambda p: (p.role == "tool", p.registry, p.name))
    rows += ["\t".join((p.registry, p.name, p.version, p.licence, p.role, " ".join(map("=".join, p.files)))) for p in ordered]
    path.write_text("\n".join(rows) + "\n", "utf-8")


def _named(file: str) -> tuple[str, str]:
    name, _, digest = file.partition("=")
    return name, digest
