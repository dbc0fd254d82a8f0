"""How do the packages get here? By their registries' ordinary clients, each file checked against the pinned digest."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from training.packages import Package

_AT_ONCE = 40
_SOURCES = Path("/etc/apt/sources.list.d/debian.sources")


class NotAsPinned(Exception):
    """A file that the registry gave is not the one that was learned from."""


def fetch(packages: Sequence[Package], folder: Path) -> None:
    """Download what is missing. Raises NotAsPinned for a file that differs."""
    folder.mkdir(parents=True, exist_ok=True)
    for registry, client in (("pypi", _pip), ("npm", _npm), ("debian", _apt)):
        missing = iter([p for p in packages if p.registry == registry and not all((folder / name).is_file() for name, _ in p.files)])
        while some := list(islice(missing, _AT_ONCE)):
            client(some, folder)
    for package in packages:
        for name, digest in package.files:
            if not (folder / name).is_file() or digest_of(folder / name) != digest:
                raise NotAsPinned(f"{package.key}: {name} is missing or has another SHA-256 than {digest}")


def paths(package: Package, folder: Path) -> list[Path]:
    """Where a package's files are."""
    return [folder / name for name, _ in package.files]


def digest_of(path: Path) -> str:
    """SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pip(packages: Sequence[Package], folder: Path) -> None:
    wanted = [f"{package.name}=={package.version}" for package in packages]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(folder), *wanted]
    subprocess.run(command, check=True)


def _npm(packages: Sequence[Package], folder: Path) -> None:
    wanted = [f"{package.name}@{package.version}" for package in packages]
    subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", *wanted], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _apt(packages: Sequence[Package], folder: Path) -> None:
    """The machine's own sources, asked for source packages, with lists and caches beside the downloads."""
    apt = folder / "apt"
    for part in ("conf", "lists/partial", "cache/archives/partial"):
        (apt / part).mkdir(parents=True, exist_ok=True)
    (apt / "conf" / "source.sources").write_text(re.sub(r"(?m)^Types: .*$", "Types: deb-src", _SOURCES.read_text("utf-8")), "utf-8")
    options = (
        f"Dir::Etc::SourceParts={apt}/conf",
        "Dir::Etc::SourceList=/dev/null",
        f"Dir::State::Lists={apt}/lists",
        f"Dir::Cache={apt}/cache",
    )
    client = ["apt-get", "-qq", *(word for option in options for word in ("-o", option))]
    subprocess.run([*client, "update"], check=True)
    wanted = [f"{package.name}={package.version}" for package in packages]
    subprocess.run([*client, "source", "--download-only", *wanted], cwd=folder, check=True, stdout=subprocess.DEVNULL)
